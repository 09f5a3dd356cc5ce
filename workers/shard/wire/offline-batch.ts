/** `<ib><offline_batch count/></ib>`: requests more stanzas of the offline backlog. Pure. */
import type { BinaryNode } from '@whiskeysockets/baileys'

/** Builds the request for `count` more of the waiting stanzas. */
export const offlineBatch = (count: number): BinaryNode => ({
  tag: 'ib',
  attrs: {},
  content: [{ tag: 'offline_batch', attrs: { count: String(count) } }],
})
