import { node, randomId, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import type { Network, Person } from './model.ts'
import { lidJidOf, pnOf } from './people.ts'

/** Tells the account's other devices, and every account that asked for the list, that a device came or went. */
export function notifyDevices(network: Network, person: Person, change: 'add' | 'remove', device: number) {
  const numbers = new Set([person.number, ...person.watchers])
  for (const number of numbers) {
    for (const companion of network.people.get(number)?.companions.values() ?? []) {
      if (companion.person === person && companion.device === device) continue
      const attrs = { from: pnOf(person), lid: lidJidOf(person), type: 'devices', id: randomId(), t: seconds() }
      const listed = node('device', { jid: pnOf(person, device), lid: lidJidOf(person, device), 'key-index': device })
      enqueue(network, companion, node('notification', attrs, [node(change, { device_hash: '2:sim' }, [listed])]))
    }
  }
}
