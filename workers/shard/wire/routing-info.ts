/**
 * Reads `<ib><edge_routing><routing_info/></edge_routing></ib>`: bytes with which the next connection begins, so that
 * it reaches the same server.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildBuffer } from '@whiskeysockets/baileys'

export function routingInfoIn(node: BinaryNode): Buffer | undefined {
  if (node.tag !== 'ib') return undefined
  const info = getBinaryNodeChildBuffer(getBinaryNodeChild(node, 'edge_routing'), 'routing_info')
  return info && Buffer.from(info)
}
