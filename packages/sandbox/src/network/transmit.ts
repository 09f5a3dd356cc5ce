import { type BinaryNode, children } from '../wire/node.ts'
import type { Connection, Network } from './model.ts'

export function deliver(network: Network, connection: Connection, item: BinaryNode) {
  const on = item.tag === 'message' || item.tag === 'receipt' || item.tag === 'call' ? item.tag : undefined
  const facts = {
    ...item.attrs,
    child: children(item)[0]?.tag,
    phone: connection.companion?.person.number,
    direction: 'to_client',
  }
  const action = on && network.faults.take(on, facts)
  if (!action) return connection.send(item)
  if (action === 'drop') return
  if (action === 'cut' || action === 'unanswered') return connection.cut()
  if (action === 'duplicate') {
    connection.send(item)
    return connection.send(item)
  }
  if ('delay_ms' in action) return network.later(action.delay_ms, () => connection.send(item))
  if ('corrupt' in action) return connection.send(corrupted(item))
  connection.send(item)
}

/** Returns the stanza with damaged ciphertexts, so that the client has to request the message again. */
export function corrupted(item: BinaryNode): BinaryNode {
  const content = children(item).map((part) => {
    if (part.tag === 'participants' || part.tag === 'to') return corrupted(part)
    if (part.tag !== 'enc' || !(part.content instanceof Uint8Array)) return part
    const bytes = Buffer.from(part.content)
    // This byte is in the MAC of a message, or in the signature of a sender key message.
    const at = Math.max(0, bytes.length - 8)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    return { ...part, content: bytes }
  })
  return { ...item, content }
}
