import { createHash } from 'node:crypto'
import { type BinaryNode, node, randomId, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import { parseJid } from './jid.ts'
import type { Network, Person } from './model.ts'
import { jidOf, lidJidOf } from './people.ts'

export function deviceIds(person: Person): number[] {
  return [...person.devices.map((device) => device.id), ...person.companions.keys()].sort((a, b) => a - b)
}

/**
 * Returns the hash of a list of devices as clients compute it: the first six bytes of the SHA-256 over the sorted full
 * addresses.
 */
export function deviceHash(devices: { person: Person; id: number }[], addressing: 'lid' | 'pn'): string {
  const addresses = devices.map(({ person, id }) => {
    const { user, server } = parseJid(jidOf(person, addressing))
    return `${user}.0:${id}@${server}`
  })
  const digest = createHash('sha256').update(addresses.sort().join('')).digest()
  return `2:${digest.subarray(0, 6).toString('base64')}`
}

const LID_MARK = '@lid'

/** Records that `asker` must be notified of later changes of the device list, with the kind of JID that was queried. */
export function watchDevices(network: Network, person: Person, asker: Person, addressing: 'lid' | 'pn') {
  const entry = addressing === 'lid' ? `${asker.number}${LID_MARK}` : asker.number
  if (person.watchers.has(entry)) return
  person.watchers.add(entry)
  network.changed()
}

export function watchersOf(person: Person): { number: string; addressing: 'lid' | 'pn' }[] {
  return [...person.watchers].map((entry) =>
    entry.endsWith(LID_MARK)
      ? { number: entry.slice(0, -LID_MARK.length), addressing: 'lid' }
      : { number: entry, addressing: 'pn' },
  )
}

/**
 * Notifies devices that the device list has changed. Other devices of the account get the whole list for the number and
 * for the LID, because clients store both. Other accounts that queried the list get only the change.
 */
export function notifyDevices(network: Network, person: Person, change: 'add' | 'remove', device: number) {
  for (const companion of person.companions.values()) {
    if (companion.device === device) continue
    for (const addressing of ['pn', 'lid'] as const) enqueue(network, companion, ownList(person, addressing))
  }
  for (const { number, addressing } of watchersOf(person)) {
    if (number === person.number) continue
    for (const companion of network.people.get(number)?.companions.values() ?? [])
      enqueue(network, companion, changeOf(person, change, device, addressing))
  }
}

function ownList(person: Person, addressing: 'lid' | 'pn'): BinaryNode {
  const ids = deviceIds(person)
  const listed = ids.map((id) => node('device', { jid: jidOf(person, addressing, id), 'key-index': id === 0 ? undefined : id }))
  const dhash = deviceHash(
    ids.map((id) => ({ person, id })),
    addressing,
  )
  const keys = node('key-index-list', { ts: seconds() }, Buffer.from([1]))
  const attrs = { from: jidOf(person, addressing), type: 'account_sync', id: randomId(), t: seconds() }
  return node('notification', attrs, [node('devices', { dhash }, [...listed, keys])])
}

function changeOf(person: Person, change: 'add' | 'remove', device: number, addressing: 'lid' | 'pn'): BinaryNode {
  const all = deviceIds(person).map((id) => ({ person, id }))
  const isLid = addressing === 'lid'
  const listed = node('device', {
    jid: jidOf(person, addressing, device),
    ...(isLid ? {} : { lid: lidJidOf(person, device) }),
    'key-index': device === 0 ? undefined : device,
  })
  const hashes = {
    device_hash: deviceHash(all, addressing),
    ...(isLid ? {} : { device_lid_hash: deviceHash(all, 'lid') }),
  }
  const attrs = {
    from: jidOf(person, addressing),
    ...(isLid ? {} : { lid: lidJidOf(person) }),
    type: 'devices',
    id: randomId(),
    t: seconds(),
  }
  return node('notification', attrs, [node(change, hashes, [listed])])
}
