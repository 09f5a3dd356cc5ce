/**
 * The stanzas about the offline backlog: the stanzas that arrived while the device was offline.
 *
 *   <ib><offline_preview count message receipt …/></ib>   of the network: this many stanzas wait
 *   <ib><offline_batch count/></ib>                       of this device: send this many more
 *   <ib><offline count/></ib>                             of the network: all were sent
 */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'

export const offlineBatch = (count: number): BinaryNode => ({
  tag: 'ib',
  attrs: {},
  content: [{ tag: 'offline_batch', attrs: { count: String(count) } }],
})

/** Returns whether this stanza announces the backlog or ends it; undefined for every other stanza. */
export function offlineMark(node: BinaryNode): 'begin' | 'end' | undefined {
  if (node.tag !== 'ib') return undefined
  if (getBinaryNodeChild(node, 'offline_preview')) return 'begin'
  return getBinaryNodeChild(node, 'offline') && 'end'
}
