import { type BinaryNode, child, node, SERVER_JID } from '../wire/node.ts'
import type { Companion, Connection, Network } from './model.ts'
import { deliver } from './transmit.ts'

/**
 * Sends a linked device the stanzas that waited for it. The server announces their number, sends the first few, and
 * waits for `<ib><offline_batch count/></ib>`. New stanzas follow only after the last waiting one.
 * The web client requests batches until the end, Baileys requests only one, and whatsmeow requests none. In this
 * simulator, Baileys and whatsmeow receive another stanza for each one that they confirm, unless `offline_batches` is
 * `required`.
 */

const UNASKED = 5

const KINDS = ['message', 'receipt', 'notification', 'call'] as const

/** Sends the stanzas that waited for the device, and calls `done` when all have been sent. */
export function handOver(network: Network, connection: Connection, companion: Companion, done: () => void) {
  const waiting = [...companion.pending.values()]
  companion.nacksToIgnore.clear()
  const counts = KINDS.map((tag) => [tag, waiting.filter((item) => item.tag === tag).length])
  announce(network, connection, node('offline_preview', { count: waiting.length, ...Object.fromEntries(counts), appdata: 0 }))
  const keys = [...companion.pending.keys()]
  connection.backlog = { keys, next: 0, sent: 0, allowed: UNASKED, later: new Set(), done }
  goOn(network, connection)
}

/** Handles a request for a batch. If an earlier request is not complete, the larger of the two counts is used. */
export function receiveBatchRequest(network: Network, connection: Connection, item: BinaryNode) {
  const count = Number(child(item, 'offline_batch')?.attrs.count)
  if (!connection.backlog || !(count > 0)) return
  connection.backlog.allowed = Math.max(connection.backlog.allowed, count)
  goOn(network, connection)
}

/** Handles a stanza that the client has confirmed. The next waiting one may then be sent. */
export function confirmed(network: Network, connection: Connection) {
  if (!connection.backlog || network.settings.offline_batches === 'required') return
  connection.backlog.allowed += 1
  goOn(network, connection)
}

function goOn(network: Network, connection: Connection) {
  const { backlog, companion } = connection
  if (!backlog || !companion || !connection.isOpen) return
  for (; backlog.next < backlog.keys.length && backlog.allowed > 0; backlog.next++) {
    const key = backlog.keys[backlog.next] ?? ''
    const item = companion.pending.get(key)
    if (!item || backlog.later.has(key)) continue
    backlog.allowed--
    backlog.sent++
    deliver(network, connection, { ...item, attrs: { ...item.attrs, offline: '0' } })
  }
  if (backlog.next === backlog.keys.length) finish(network, connection, companion)
}

function finish(network: Network, connection: Connection, companion: Companion) {
  const { sent, later, done } = connection.backlog!
  connection.backlog = undefined
  connection.isLive = true
  announce(network, connection, node('offline', { count: sent }))
  for (const key of later) {
    const item = companion.pending.get(key)
    if (item) deliver(network, connection, item)
  }
  done()
}

function announce(network: Network, connection: Connection, what: BinaryNode) {
  const facts = { child: what.tag, phone: connection.companion?.person.number }
  if (network.faults.take('ib', facts) !== 'drop') connection.send(node('ib', { from: SERVER_JID }, [what]))
}
