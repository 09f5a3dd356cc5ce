import { ControlError } from '../control/control-error.ts'
import type { Rotation } from '../control/schemas/messages.ts'
import { node, randomId, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import { watchersOf } from './devices.ts'
import type { Network, Person, PretendDevice } from './model.ts'
import { jidOf, lidJidOf } from './people.ts'

/** Replaces keys of a device. Linked devices of other accounts are only notified if the identity is new. */
export function rotateKeys(network: Network, person: Person, number: number, what: Rotation) {
  const device = person.devices[number]
  if (!device) throw new ControlError('not_found', `${person.number} has no device ${number}`)
  if (what === 'identity') return newIdentity(network, person, device)
  if (what === 'signed_pre_key') device.signal.rotateSignedPreKey()
  else if (what === 'sender_keys') forgetSenderKeys(network, device)
  else forgetSessions(network, device)
  network.changed()
}

function forgetSessions(network: Network, device: PretendDevice) {
  if (!device.hasSignal) return
  for (const other of network.people.values())
    for (const { address } of other.companions.values()) device.signal.dropSession(address)
}

function forgetSenderKeys(network: Network, device: PretendDevice) {
  for (const group of network.groups.values()) {
    group.keyHolders.delete(device.address)
    if (device.hasSignal) device.signal.dropSenderKey(group.id)
  }
}

/**
 * Makes a new identity, as if the app was installed again. Accounts that queried the devices are notified, as by the
 * real server.
 */
function newIdentity(network: Network, person: Person, device: PretendDevice) {
  if (person.companions.size > 0) {
    throw new ControlError('conflict', `${person.number} has linked devices: a new identity of the phone would unlink them`)
  }
  forgetSenderKeys(network, device)
  device.signal.renew()
  for (const { number, addressing } of watchersOf(person)) {
    for (const companion of network.people.get(number)?.companions.values() ?? []) {
      const other = addressing === 'lid' ? {} : { lid: lidJidOf(person) }
      const attrs = { from: jidOf(person, addressing, device.id), ...other, type: 'encrypt', id: randomId(), t: seconds() }
      enqueue(network, companion, node('notification', attrs, [node('identity')]))
    }
  }
  network.changed()
}
