import { createHash } from 'node:crypto'
import type { SignalBundle } from '../../people/device.ts'
import {
  type BinaryNode,
  bigEndian,
  child,
  childBytes,
  children,
  node,
  randomId,
  readBigEndian,
  SERVER_JID,
  seconds,
} from '../../wire/node.ts'
import { enqueue } from '../delivery.ts'
import type { Companion, Network, PublicSignedKey } from '../model.ts'
import { type AnyDevice, devicesOf, findDevice, findPerson } from '../people.ts'
import type { Answer } from './query.ts'

const KEY_TYPE = Buffer.from([5])
/** Number of one-time keys below which the client is asked for more. */
const LOW_STOCK = 5

/**
 * Returns a device's keys with one of its one-time keys, which is removed. The device is notified if fewer than
 * `LOW_STOCK` of them are left.
 */
export function takeBundle(network: Network, companion: Companion): SignalBundle {
  const [first] = companion.preKeys
  if (first) {
    companion.preKeys.delete(first[0])
    network.changed()
    const count = companion.preKeys.size
    if (count < LOW_STOCK) {
      enqueue(
        network,
        companion,
        node('notification', { from: SERVER_JID, type: 'encrypt', id: randomId(), t: seconds() }, [
          node('count', { value: count }),
        ]),
      )
    }
  }
  const { registrationId, identity, signedPreKey } = companion
  return { registrationId, identity, signedPreKey, ...(first ? { preKey: { id: first[0], publicKey: first[1] } } : {}) }
}

function bundleOf(network: Network, device: AnyDevice): SignalBundle {
  return device.companion ? takeBundle(network, device.companion) : device.pretend.signal.bundle(true)
}

export function keyNode(tag: 'key' | 'skey', key: { id: number; publicKey: Uint8Array; signature?: Uint8Array }): BinaryNode {
  const parts = [node('id', {}, bigEndian(key.id, 3)), node('value', {}, key.publicKey)]
  return node(tag, {}, key.signature ? [...parts, node('signature', {}, key.signature)] : parts)
}

export function signedKeyOf(item: BinaryNode | undefined): PublicSignedKey | undefined {
  const id = childBytes(item, 'id')
  const publicKey = childBytes(item, 'value')
  const signature = childBytes(item, 'signature')
  return id && publicKey && signature ? { id: readBigEndian(id), publicKey, signature } : undefined
}

function userNode(network: Network, address: string): BinaryNode {
  const device = findDevice(network, address)
  if (!device) return node('user', { jid: address }, [node('error', { code: 404, text: 'item-not-found' })])
  return node('user', { jid: address, t: seconds() }, bundleNodes(network, device))
}

function bundleNodes(network: Network, device: AnyDevice): BinaryNode[] {
  const bundle = bundleOf(network, device)
  const identity = device.companion?.deviceIdentity
  return [
    node('registration', {}, bigEndian(bundle.registrationId, 4)),
    node('type', {}, KEY_TYPE),
    node('identity', {}, bundle.identity),
    keyNode('skey', bundle.signedPreKey),
    ...(bundle.preKey ? [keyNode('key', bundle.preKey)] : []),
    ...(identity ? [node('device-identity', {}, identity)] : []),
  ]
}

function registrationOf(device: AnyDevice): number {
  return device.companion ? device.companion.registrationId : device.pretend.signal.registrationId
}

/**
 * Returns the keys of the person's devices that the client does not know: its query does not name them, or names them
 * with a wrong registration id.
 */
function missingKeys(network: Network, user: BinaryNode): BinaryNode {
  const { jid = '' } = user.attrs
  const person = findPerson(network, jid)
  if (!person) return node('user', { jid }, [node('error', { code: 404, text: 'item-not-found' })])
  const known = new Map(
    children(user, 'device').map((item) => [
      Number(item.attrs.id),
      readBigEndian(childBytes(item, 'registration') ?? Buffer.alloc(4)),
    ]),
  )
  const missing = devicesOf(person).filter((device) => known.get(idOf(device)) !== registrationOf(device))
  const shown = missing.map((device) => node('device', { id: idOf(device), t: seconds() }, bundleNodes(network, device)))
  return node('user', { jid }, shown)
}

const idOf = (device: AnyDevice) => (device.companion ? device.companion.device : device.pretend.id)

function storeKeys(network: Network, companion: Companion, item: BinaryNode) {
  for (const key of children(child(item, 'list'), 'key')) {
    const id = childBytes(key, 'id')
    const value = childBytes(key, 'value')
    if (id && value) companion.preKeys.set(readBigEndian(id), value)
  }
  companion.signedPreKey = signedKeyOf(child(item, 'skey')) ?? companion.signedPreKey
  companion.identity = childBytes(item, 'identity') ?? companion.identity
  const registration = childBytes(item, 'registration')
  if (registration) companion.registrationId = readBigEndian(registration)
  network.changed()
}

/**
 * Returns the hash of the stored keys. The client hashes its own keys in the same order. If the hashes differ, it
 * uploads its keys again.
 */
function digest(companion: Companion): BinaryNode {
  const { identity, signedPreKey, preKeys } = companion
  const ids = [...preKeys.keys()]
  const hash = createHash('sha1').update(identity).update(signedPreKey.publicKey).update(signedPreKey.signature)
  for (const key of preKeys.values()) hash.update(key)
  return node('digest', {}, [
    node('registration', {}, bigEndian(companion.registrationId, 4)),
    node('type', {}, KEY_TYPE),
    node('identity', {}, companion.identity),
    keyNode('skey', companion.signedPreKey),
    node(
      'list',
      {},
      ids.map((id) => node('id', {}, bigEndian(id, 3))),
    ),
    node('hash', {}, hash.digest()),
  ])
}

export const KEY_QUERIES: Record<string, Answer> = {
  'encrypt get count': ({ companion }) => [node('count', { value: companion.preKeys.size })],
  'encrypt get digest': ({ companion }) => [digest(companion)],
  'encrypt set registration': ({ network, companion, item }) => {
    storeKeys(network, companion, item)
    return undefined
  },
  'encrypt set rotate': ({ network, companion, subject }) => {
    companion.signedPreKey = signedKeyOf(child(subject, 'skey')) ?? companion.signedPreKey
    network.changed()
    return undefined
  },
  'encrypt get key_fetch': ({ network, subject }) => [
    node(
      'list',
      {},
      children(subject, 'user').map((user) => missingKeys(network, user)),
    ),
  ],
  'encrypt get key': ({ network, subject }) => [
    node(
      'list',
      {},
      children(subject, 'user').map((user) => userNode(network, user.attrs.jid ?? '')),
    ),
  ],
}
