import { createHash } from 'node:crypto'
import { type BinaryNode, node, SERVER_JID, seconds } from '../wire/node.ts'
import type { ClientHandshake } from '../wire/noise-responder.ts'
import { bootstrap } from './bootstrap-after-pairing.ts'
import { failure, LOCATION, streamError } from './connection.ts'
import { notifyDevices } from './devices.ts'
import type { Companion, Connection, Network } from './model.ts'
import { handOver } from './offline-queue.ts'
import { lidJidOf } from './people.ts'
import { showAvailability } from './presence.ts'

const ROUTING_INFO = Buffer.from([8, 13, 8, 5])

export function login(network: Network, connection: Connection, client: ClientHandshake) {
  const number = String(client.payload.username)
  const device = client.payload.device ?? 0
  const { primary, secondary, tertiary } = client.payload.userAgent?.appVersion ?? {}
  const version = [primary, secondary, tertiary].join('.')
  const action = network.faults.take('login', { username: number, phone: number, device: String(device), version })
  if (action === 'drop') return
  if (action === 'cut') return connection.cut()
  if (typeof action === 'object') {
    if ('delay_ms' in action) return network.later(action.delay_ms, () => admit(network, connection, client, number, device))
    if ('failure' in action) return connection.end(failure(action.failure, { code: action.code, expire: action.expire }))
    if ('stream_error' in action) return connection.end(streamError(action.stream_error))
    if ('corrupt' in action) return connection.sendGarbage()
  }
  admit(network, connection, client, number, device)
}

function admit(network: Network, connection: Connection, client: ClientHandshake, number: string, device: number) {
  const companion = network.people.get(number)?.companions.get(device)
  if (!companion?.noiseKey.equals(client.staticKey)) return connection.end(failure(401))
  companion.connection?.end(streamError('replaced'))
  companion.connection = connection
  connection.companion = companion
  const { passive, lc, connectAttemptCount } = client.payload
  companion.sessionTimes = { openedAt: Date.now(), closedAt: companion.sessionTimes?.closedAt ?? null }
  companion.login = { passive: passive === true, lc: lc ?? null, connectAttemptCount: connectAttemptCount ?? null }
  const success = {
    t: seconds(),
    lid: lidJidOf(companion.person, device),
    display_name: companion.person.name,
    creation: seconds(),
    location: LOCATION,
    props: 1,
    abprops: 1,
    group_abprops: 1,
    companion_enc_static: createHash('sha256').update(companion.noiseKey).digest('base64'),
  }
  connection.send(node('success', success))
  connection.send(node('ib', { from: SERVER_JID }, [node('edge_routing', {}, [node('routing_info', {}, ROUTING_INFO)])]))
  if (!client.payload.passive) activate(network, connection, companion)
}

/** Sends the client the stanzas that waited for it. A new device also gets the data of its phone. */
export function activate(network: Network, connection: Connection, companion: Companion) {
  if (connection.isLive || connection.backlog) return
  handOver(network, connection, companion, () => caughtUp(network, connection, companion))
}

/** Called when all waiting stanzas have been sent. Tells the client which data to query again (`dirty`). */
function caughtUp(network: Network, connection: Connection, companion: Companion) {
  connection.send(dirty('account_sync'))
  const number = companion.person.number
  const isInGroups = [...network.groups.values()].some((group) => group.members.has(number))
  if (isInGroups && !companion.hasReadGroups) connection.send(dirty('groups'))
  if (companion.isBootstrapped) return
  companion.isBootstrapped = true
  network.run(bootstrap(network, companion))
}

function dirty(type: string): BinaryNode {
  return node('ib', { from: SERVER_JID }, [node('dirty', { type, timestamp: seconds() })])
}

export function leave(connection: Connection) {
  const companion = connection.companion
  if (companion?.connection !== connection) return
  companion.connection = undefined
  companion.sessionTimes = { openedAt: companion.sessionTimes?.openedAt ?? null, closedAt: Date.now() }
  // The presence subscriptions of a device end with its connection.
  for (const person of connection.network.people.values()) person.subscribers.delete(companion)
  showAvailability(companion, false)
}

/** Removes the device, and sends it a stream error if it is connected. */
export function unlinkDevice(network: Network, companion: Companion) {
  const { person, device, connection } = companion
  person.companions.delete(device)
  notifyDevices(network, person, 'remove', device)
  for (const pretend of person.devices) if (pretend.hasSignal) pretend.signal.dropSession(companion.address)
  network.changed()
  companion.connection = undefined
  connection?.end(streamError('device_removed'))
}
