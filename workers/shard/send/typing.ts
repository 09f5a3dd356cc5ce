import { normalizeMessageContent } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { pause } from '../connection/within.ts'
import { chatState } from '../wire/presence.ts'
import type { OutgoingContent, SendContext } from './contract.ts'
import type { Destination } from './destination.ts'

/**
 * Shows `typing...` for the delay of the item, or `recording...` before a voice note. Channels and status posts have no
 * typing indicator.
 */
export async function showTyping({ ask, session, item }: SendContext, to: Destination, content: OutgoingContent): Promise<void> {
  if (item.delayTyping === 0 || to.kind === 'newsletter' || to.kind === 'status') return
  const isVoiceNote = 'proto' in content && normalizeMessageContent(content.proto)?.audioMessage?.ptt === true
  const state = isVoiceNote ? 'recording' : 'composing'
  await ask.write(chatState(to.jid, state))
  await pause(session, item.delayTyping * SECOND)
}
