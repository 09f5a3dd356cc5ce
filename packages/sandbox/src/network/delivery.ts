import { type BinaryNode, children } from '../wire/node.ts'
import type { Companion, Network } from './model.ts'
import { confirmed } from './offline-queue.ts'
import { deliver } from './transmit.ts'

/** Keeps the stanzas for a linked device until it has answered them. They are sent again at its next login. */

/**
 * Returns the key of a waiting stanza. An id belongs to one message, but to several receipts (delivered, read, one per
 * participant).
 */
function pendingKey(kind: string, attrs: BinaryNode['attrs'], peer: string | undefined): string {
  if (kind === 'message') return `message ${attrs.id}`
  if (kind === 'receipt') return `receipt ${attrs.id} ${peer} ${attrs.participant ?? ''} ${attrs.type ?? ''}`
  return `${kind} ${attrs.id}`
}

export function enqueue(network: Network, companion: Companion, item: BinaryNode) {
  const key = pendingKey(item.tag, item.attrs, item.attrs.from)
  companion.pending.delete(key)
  companion.pending.set(key, item)
  network.changed()
  const { connection } = companion
  if (connection?.isLive) deliver(network, connection, item)
  else connection?.backlog?.later.add(key)
}

/**
 * Ends the delivery of the stanza, so that it is not sent again. A client that cannot, or need not, send a receipt for
 * a message acknowledges it by an ack.
 */
export function settleByAck(network: Network, companion: Companion, item: BinaryNode) {
  const kind = item.attrs.class ?? ''
  const key = pendingKey(kind, item.attrs, item.attrs.to)
  if (kind === 'message' && companion.nacksToIgnore.delete(item.attrs.id ?? '')) return
  settle(network, companion, key)
}

export function settle(network: Network, companion: Companion, key: string): boolean {
  if (!companion.pending.delete(key)) return false
  network.changed()
  if (companion.connection) confirmed(network, companion.connection)
  return true
}

/** Ends the delivery of messages. A `<receipt>` means that they have arrived. */
export function settleByReceipt(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) settle(network, companion, `message ${id}`)
}

/** Ends the delivery of a call. `<receipt><offer/></receipt>` means that it has arrived. */
export function settleCall(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) settle(network, companion, `call ${id}`)
}

export function receiptIds(item: BinaryNode): string[] {
  const more = children(children(item, 'list')[0], 'item').map((entry) => entry.attrs.id ?? '')
  return [item.attrs.id ?? '', ...more].filter((id) => id !== '')
}
