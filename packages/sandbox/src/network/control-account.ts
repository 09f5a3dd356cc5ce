import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { ControlError } from '../control/control-error.ts'
import type { AccountControl } from '../control/schemas/people.ts'
import { node, randomId, SERVER_JID, seconds } from '../wire/node.ts'
import { publishPushName, writeAction } from './app-state-phone.ts'
import { findKnown } from './control-people.ts'
import { enqueue } from './delivery.ts'
import type { Network, Person } from './model.ts'
import { lidJidOf, pnOf } from './people.ts'
import { setPersonPicture } from './pictures.ts'
import { announcePrivacy, chooseSetting, PRIVACY_VALUES } from './privacy.ts'
import { newMessageId, sendToOwnDevice } from './send-as.ts'

/**
 * Changes of an account that the control API requests: its restriction, contacts, name, picture, labels and privacy,
 * and messages of the phone to its linked devices.
 */

/** Restricts an account. With `silent`, the client only learns of the restriction when it queries it. */
export function restrict(network: Network, person: Person, { seconds: duration, silent }: AccountControl['restriction']) {
  person.restrictedUntil = duration > 0 ? seconds() + duration : undefined
  network.changed()
  if (silent) return
  const payload = {
    is_active: duration > 0,
    time_enforcement_ends: String(person.restrictedUntil ?? 0),
    enforcement_type: 'DEFAULT',
  }
  const update = JSON.stringify({ data: { xwa2_notify_account_reachout_timelock: payload } })
  for (const companion of person.companions.values()) {
    const attrs = { from: SERVER_JID, type: 'mex', id: randomId(), t: seconds() }
    const content = node('update', { op_name: 'NotificationUserReachoutTimelockUpdate' }, update)
    enqueue(network, companion, node('notification', attrs, [content]))
  }
}

export const CONTACTS = 'critical_unblock_low'
export const CONTACT_VERSION = 2

export const contactIndex = (other: Person) => ['contact', pnOf(other)]

export const contactValue = (other: Person, name: string) => ({
  timestamp: Date.now(),
  contactAction: { fullName: name, firstName: name, lidJid: lidJidOf(other), saveOnPrimaryAddressbook: true },
})

export function saveContact(network: Network, person: Person, { phone, name }: AccountControl['contact']) {
  const other = findKnown(network, phone)
  writeAction(network, person, CONTACTS, contactIndex(other), CONTACT_VERSION, contactValue(other, name))
}

/** Sets the name, which is written to app state, or the picture, about which everyone is notified. */
export function setProfile(network: Network, person: Person, { name, picture }: AccountControl['profile']) {
  if (name !== undefined) {
    person.name = name
    publishPushName(network, person)
  }
  if (picture !== undefined) setPersonPicture(network, person, picture)
}

const LABELS = 'regular'
const LABEL_VERSION = 3

export function labelChat(network: Network, person: Person, { chat, label, assigned, message_id }: AccountControl['label']) {
  const jid = chat.includes('@') ? chat : pnOf(findKnown(network, chat))
  const index = message_id ? ['label_message', label, jid, message_id, '0', '0'] : ['label_jid', label, jid]
  const value = { timestamp: Date.now(), labelAssociationAction: { labeled: assigned } }
  writeAction(network, person, LABELS, index, LABEL_VERSION, value)
}

/** Writes an action as the phone. Its index, collection and value are those of WhatsApp Web. */
export function act(network: Network, person: Person, { collection, index, version, value }: AccountControl['action']) {
  const fields = value === null ? null : { timestamp: Date.now(), ...value }
  writeAction(network, person, collection, index, version, fields)
}

/** Sends any message from the phone to its own devices. */
export async function sayToDevices(network: Network, person: Person, { proto: json, damage }: AccountControl['peer']) {
  const message = proto.Message.fromObject(json)
  const id = newMessageId()
  for (const companion of person.companions.values())
    await sendToOwnDevice(network, person.devices[0]!, companion, message, { id, damage })
  return { id }
}

export function setStatusPrivacy(network: Network, person: Person, { setting, phones }: AccountControl['statusPrivacy']) {
  person.statusPrivacy = { setting, numbers: phones.map((phone) => findKnown(network, phone).number) }
  network.changed()
}

export function setPrivacy(network: Network, person: Person, { name, value, phones }: AccountControl['privacy']) {
  if (!PRIVACY_VALUES[name]?.includes(value)) throw new ControlError('invalid_request', `${name} cannot be ${value}`)
  chooseSetting(person, name, value)
  if (phones) person.privacyLists.set(name, new Set(phones.map((phone) => findKnown(network, phone).number)))
  network.changed()
  announcePrivacy(network, person, [name])
}
