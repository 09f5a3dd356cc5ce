import { type BinaryNode, children } from '../wire/node.ts'
import type { Companion, Network } from './model.ts'
import { confirmed } from './offline-queue.ts'
import { deliver } from './transmit.ts'

/** Keeps the stanzas for a linked device until the device has answered them. Unanswered stanzas are sent again at its next login. */

/**
 * Returns the key under which a stanza is kept until it is answered. There is one message per id, but there may be several receipts (delivered, read,
 * one per participant).
 */
function pendingKey(kind: string, attrs: BinaryNode['attrs'], peer: string | undefined): string {
  if (kind === 'message') return `message ${attrs.id}`
  if (kind === 'receipt') return `receipt ${attrs.id} ${peer} ${attrs.participant ?? ''} ${attrs.type ?? ''}`
  return `${kind} ${attrs.id}`
}

export function enqueue(network: Network, companion: Companion, item: BinaryNode) {
  const key = pendingKey(item.tag, item.attrs, item.attrs.from)
  // A message that is sent again becomes the newest one, even if its first copy still waits.
  companion.pending.delete(key)
  companion.pending.set(key, item)
  network.changed()
  const { connection } = companion
  if (connection?.isLive) deliver(network, connection, item)
  else connection?.backlog?.later.add(key)
}

/**
 * Handles an `<ack>` of the client: the receipt, notification or call is no longer kept. A message is removed only if the client cannot, or need not,
 * send a receipt for it.
 */
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

/** Handles a `<receipt>` of the client, which means that the messages have arrived. */
export function settleByReceipt(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) settle(network, companion, `message ${id}`)
}

/** Handles `<receipt><offer/></receipt>`, which means that the call has arrived. */
export function settleCall(network: Network, companion: Companion, ids: string[]) {
  for (const id of ids) settle(network, companion, `call ${id}`)
}

/** Returns the ids of the messages in a receipt: its own id, and the ids in its list. */
export function receiptIds(item: BinaryNode): string[] {
  const more = children(children(item, 'list')[0], 'item').map((entry) => entry.attrs.id ?? '')
  return [item.attrs.id ?? '', ...more].filter((id) => id !== '')
}
