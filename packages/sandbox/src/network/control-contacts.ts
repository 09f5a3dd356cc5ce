import { ControlError } from '../control/control-error.ts'
import type { ContactInput, PhoneInput } from '../control/schemas/people.ts'
import { notifyDevices } from './devices.ts'
import { digits } from './jid.ts'
import type { Network, Person } from './model.ts'
import { addPerson, setAbout, setDeviceCount } from './people.ts'
import { setPersonPicture } from './pictures.ts'

/** Fields of a contact. `retries`: false if it sends no retry receipt for a message that it cannot decrypt. */
export type ContactOptions = ContactInput & { retries?: boolean | undefined }

function describeContact(person: Person) {
  const { number, name, lid, devices, business, about, blockedMe, groupAdd, isSink } = person
  return {
    phone: number,
    name,
    lid,
    devices: devices.length,
    business,
    receipts: person.receipts ?? null,
    picture: person.picture ?? null,
    about: about ?? null,
    blocked_me: blockedMe,
    needs_token: person.needsToken ?? false,
    group_add: groupAdd,
    sink: isSink,
  }
}

export function applyContact(network: Network, person: Person, input: ContactOptions, isNew = false) {
  if (input.devices !== undefined && input.devices !== person.devices.length) {
    const before = person.devices.map(({ id }) => id)
    setDeviceCount(person, input.devices)
    const after = person.devices.map(({ id }) => id)
    for (const id of after) if (!before.includes(id)) notifyDevices(network, person, 'add', id)
    for (const id of before) if (!after.includes(id)) notifyDevices(network, person, 'remove', id)
  }
  if (input.lid !== undefined) {
    // If the person was known before, the earlier LID stays valid, too. If the person is new, the
    // generated LID is removed.
    if (isNew) network.lids.delete(person.lid)
    person.lid = digits(input.lid)
    network.lids.set(person.lid, person)
  }
  person.name = input.name ?? person.name
  person.business = input.business ?? person.business
  person.receipts = input.receipts ?? person.receipts
  if (input.picture !== undefined) setPersonPicture(network, person, input.picture)
  if (input.about !== undefined) setAbout(person, input.about)
  person.blockedMe = input.blocked_me ?? person.blockedMe
  person.groupAdd = input.group_add ?? person.groupAdd
  if (input.needs_token !== undefined) person.needsToken = input.needs_token
  person.isSink = input.sink ?? person.isSink
  person.asksAgain = input.retries ?? person.asksAgain
  person.isAutomatic = false
  network.changed()
  return describeContact(person)
}

export function createPhone(network: Network, input: PhoneInput) {
  const number = digits(input.phone)
  const known = network.people.get(number)
  if (known?.isPhone) throw new ControlError('conflict', `there is a phone ${number} already`)
  const person = known ?? addPerson(network, number, true, false, input.lid === undefined ? undefined : digits(input.lid))
  person.isPhone = true
  person.isAutomatic = false
  person.name = input.name ?? `Phone ${number}`
  person.platform = input.platform ?? person.platform
  person.business = person.platform === 'smba' || person.platform === 'smbi'
  person.history = input.history ?? person.history
  person.verifiedName = input.verified_name
  if (input.nct_salt !== undefined) person.chatTokenSalt = Buffer.from(input.nct_salt, 'base64')
  network.changed()
  return { phone: number, name: person.name, platform: person.platform, lid: person.lid }
}

export function createContact(network: Network, phone: string, input: ContactOptions) {
  const number = digits(phone)
  const known = network.people.get(number)
  if (known && !known.isAutomatic) throw new ControlError('conflict', `${number} exists already`)
  return applyContact(network, known ?? addPerson(network, number, false, false), input, known === undefined)
}
