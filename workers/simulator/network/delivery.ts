import { type BinaryNode, children } from '../wire/node.ts'
import type { Companion, Network } from './model.ts'
import { confirmed } from './offline-queue.ts'
import { deliver } from './transmit.ts'

/**
 * Delivers stanzas to a linked device. Each one that needs an answer is kept, in order, until the device answers it,
 * and is sent again at the next login. We assume that the real server does so; our tests of message loss depend on it.
 */

/**
 * Returns the key that matches a stanza with its answer: there is one message per id, but several receipts (delivered,
 * read, one per participant).
 */
function pendingKey(kind: string, attrs: BinaryNode['attrs'], peer: string | undefined): string {
  if (kind === 'message') return `message ${attrs.id}`
  if (kind === 'receipt') return `receipt ${attrs.id} ${peer} ${attrs.participant ?? ''} ${attrs.type ?? ''}`
  return `${kind} ${attrs.id}`
}

export function enqueue(network: Network, companion: Companion, item: BinaryNode) {
  const key = pendingKey(item.tag, item.attrs, item.attrs.from)
  // A message that is sent again is the newest, even if its first copy still waits.
  companion.pending.delete(key)
  companion.pending.set(key, item)
  network.changed()
  const { connection } = companion
  if (connection?.isLive) deliver(network, connection, item)
  else connection?.backlog?.later.add(key)
}

/** Handles an `<ack>` of the client: it settles messages (only if it cannot or need not send a receipt), receipts, notifications and calls. */
export function settleByAck(network: Network, companion: Companion, item: BinaryNode) {
  const kind = item.attrs.class ?? ''
  const key = pendingKey(kind, item.attrs, item.attrs.to)
  if (kind === 'message' && companion.nacksToIgnore.delete(item.attrs.id ?? '')) return
  settle(network, companion, key)
}

/** Removes a stanza that the client has answered, so that it is not sent again. Returns whether it was still kept. */
export function settle(network: Network, companion: Companion, key: string): boolean {
  if (!companion.pending.delete(key)) return false
  network.changed()
  if (companion.connection) confirmed(network, companion.connection)
  return true
}

/** Handles a `<receipt>` of the client for messages, which have arrived. */
export function settleByReceipt(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) settle(network, companion, `message ${id}`)
}

/** Handles `<receipt><offer/></receipt>`: the call has arrived. */
export function settleCall(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) settle(network, companion, `call ${id}`)
}

/** Returns the ids that a receipt is for: its own, and those of its list. */
export function receiptIds(item: BinaryNode): string[] {
  const more = children(children(item, 'list')[0], 'item').map((entry) => entry.attrs.id ?? '')
  return [item.attrs.id ?? '', ...more].filter((id) => id !== '')
}
