import { type BinaryNode, children, node, SERVER_JID } from '../wire/node.ts'
import type { Companion, Connection, Network } from './model.ts'

/**
 * Stanzas for a linked device. Each one that needs an answer is kept, in order, until the device answers it; an unanswered one is sent again at the
 * next login. That the real server does so is an assumption; our tests of loss rest on it.
 */

/** The key of a stanza in its answer: one message per id, but several receipts (delivered, read, one per participant). */
function pendingKey(kind: string, attrs: BinaryNode['attrs'], peer: string | undefined): string {
  if (kind === 'message') return `message ${attrs.id}`
  if (kind === 'receipt') return `receipt ${attrs.id} ${peer} ${attrs.participant ?? ''} ${attrs.type ?? ''}`
  return `${kind} ${attrs.id}`
}

export function enqueue(network: Network, companion: Companion, item: BinaryNode) {
  const key = pendingKey(item.tag, item.attrs, item.attrs.from)
  // a resent message is the newest one, also when its first copy still waits
  companion.pending.delete(key)
  companion.pending.set(key, item)
  network.changed()
  if (companion.connection?.isLive) deliver(network, companion.connection, item)
}

function deliver(network: Network, connection: Connection, item: BinaryNode) {
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

/** The same stanza with every ciphertext damaged: the client has to ask for it again. */
export function corrupted(item: BinaryNode): BinaryNode {
  const content = children(item).map((part) => {
    if (part.tag === 'participants' || part.tag === 'to') return corrupted(part)
    if (part.tag !== 'enc' || !(part.content instanceof Uint8Array)) return part
    const bytes = Buffer.from(part.content)
    // in the MAC of a message, also of one inside a pre-key message, and in the signature of a sender key message
    const at = Math.max(0, bytes.length - 8)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    return { ...part, content: bytes }
  })
  return { ...item, content }
}

/** Everything that waits, oldest first, as the server hands it over after a login. */
export function flushPending(network: Network, connection: Connection, companion: Companion) {
  const waiting = [...companion.pending.values()]
  companion.nacksToIgnore.clear()
  const count = (tag: string) => waiting.filter((item) => item.tag === tag).length
  const counts = {
    count: waiting.length,
    message: count('message'),
    receipt: count('receipt'),
    notification: count('notification'),
    call: count('call'),
    appdata: 0,
  }
  announce(network, connection, node('offline_preview', counts))
  connection.isLive = true
  for (const item of waiting) deliver(network, connection, { ...item, attrs: { ...item.attrs, offline: '0' } })
  announce(network, connection, node('offline', { count: waiting.length }))
}

/** The network's notices around pending stanzas; a fault can suppress them. */
function announce(network: Network, connection: Connection, what: BinaryNode) {
  const facts = { child: what.tag, phone: connection.companion?.person.number }
  if (network.faults.take('ib', facts) !== 'drop') connection.send(node('ib', { from: SERVER_JID }, [what]))
}

/** `<ack>` of the client: settles messages (only when it cannot or need not send a receipt), receipts, notifications and calls. */
export function settleByAck(network: Network, companion: Companion, item: BinaryNode) {
  const kind = item.attrs.class ?? ''
  const key = pendingKey(kind, item.attrs, item.attrs.to)
  if (kind === 'message' && companion.nacksToIgnore.delete(item.attrs.id ?? '')) return
  if (companion.pending.delete(key)) network.changed()
}

/** `<receipt>` of the client for messages: they arrived. */
export function settleByReceipt(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) if (companion.pending.delete(`message ${id}`)) network.changed()
}

/** `<receipt><offer/></receipt>`: the call arrived. */
export function settleCall(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) if (companion.pending.delete(`call ${id}`)) network.changed()
}

/** The ids a receipt is for: its own, and those of its list. */
export function receiptIds(item: BinaryNode): string[] {
  const more = children(children(item, 'list')[0], 'item').map((entry) => entry.attrs.id ?? '')
  return [item.attrs.id ?? '', ...more].filter((id) => id !== '')
}
