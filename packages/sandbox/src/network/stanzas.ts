import { type BinaryNode, firstChild } from '../wire/node.ts'
import { acknowledgement } from './acknowledgement.ts'
import { receiveCall } from './calls.ts'
import { failure, streamError } from './connection.ts'
import { settleByAck } from './delivery.ts'
import { receiveMessage } from './incoming.ts'
import type { Connection, Network } from './model.ts'
import { receiveBatchRequest } from './offline-queue.ts'
import { takeAck } from './passkey-ceremony.ts'
import { receiveChatState, receivePresence } from './presence.ts'
import { answerQuery, queryError } from './queries/index.ts'
import { receiveReceipt } from './receipts.ts'
import { corrupted } from './transmit.ts'

type FaultPoint = 'query' | 'message' | 'receipt' | 'presence' | 'call'

const FAULT_POINTS: Record<string, FaultPoint> = {
  iq: 'query',
  message: 'message',
  receipt: 'receipt',
  presence: 'presence',
  chatstate: 'presence',
  call: 'call',
}

/** Handles each stanza of a client. The fault rules of the control API are applied first. */
export function receiveStanza(network: Network, connection: Connection, item: BinaryNode) {
  const on = FAULT_POINTS[item.tag]
  const phone = connection.companion?.person.number
  const facts = { ...item.attrs, tag: item.tag, child: firstChild(item)?.tag, phone, direction: 'from_client' }
  const action = on && network.faults.take(on, facts)
  if (!action) return handle(network, connection, item)
  if (action === 'drop') return
  if (action === 'cut') return connection.cut()
  if (action === 'unanswered') {
    connection.cut()
    return handle(network, connection, item)
  }
  if (action === 'duplicate') {
    handle(network, connection, item)
    return handle(network, connection, item)
  }
  if ('delay_ms' in action) return network.later(action.delay_ms, () => handleLate(network, connection, item))
  if ('query_error' in action) return connection.send(queryError(item, ...action.query_error), true)
  if ('ack_error' in action) return connection.send(acknowledgement(item, action.ack_error), true)
  if ('stream_error' in action) return connection.end(streamError(action.stream_error))
  if ('failure' in action) return connection.end(failure(action.failure, { code: action.code, expire: action.expire }))
  if ('corrupt' in action) {
    // A damaged message is still delivered to the people, but none of their devices can decrypt it.
    return item.tag === 'message' ? handle(network, connection, corrupted(item)) : connection.sendGarbage()
  }
  handle(network, connection, item)
}

/**
 * Handles a delayed stanza. It is dropped if the device was unlinked, because the phone has then removed its session.
 */
function handleLate(network: Network, connection: Connection, item: BinaryNode) {
  const { companion } = connection
  if (companion && companion.person.companions.get(companion.device) !== companion) return
  handle(network, connection, item)
}

function handle(network: Network, connection: Connection, item: BinaryNode) {
  const companion = connection.companion
  if (item.tag === 'iq') return network.run(answerQuery(network, connection, item))
  if (item.tag === 'xmlstreamend') return connection.end()
  if (item.tag === 'ack' && !companion) return takeAck(connection, item.attrs)
  // All other stanzas of a client without an account are dropped.
  if (!companion) return
  switch (item.tag) {
    case 'message':
      return receiveMessage(network, companion, item)
    case 'receipt':
      connection.send(acknowledgement(item))
      return receiveReceipt(network, companion, item)
    case 'ack':
      return settleByAck(network, companion, item)
    case 'presence':
      return receivePresence(network, companion, item)
    case 'chatstate':
      return receiveChatState(network, companion, item)
    case 'call':
      return receiveCall(network, companion, item)
    case 'ib':
      return receiveBatchRequest(network, connection, item)
    default:
      network.stats.unknownQueries.push(`stanza ${item.tag}`)
  }
}
