/**
 * Builds `<call from to><reject call-id call-creator count="0"/></call>`. `count` is 0, as in the library
 * whatsmeow.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'

export const callRejection = (meId: string, creator: string, callId: string): BinaryNode => ({
  tag: 'call',
  attrs: { from: meId, to: creator },
  content: [{ tag: 'reject', attrs: { 'call-id': callId, 'call-creator': creator, count: '0' } }],
})
