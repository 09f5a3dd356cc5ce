import type { Settings } from '../control/schemas/network.ts'
import { restoreSignalDevice } from '../people/signal-device.ts'
import type { BinaryNode } from '../wire/node.ts'
import type { SavedTrust } from '../wire/trust.ts'
import type { Companion, Group, Network, Person } from './model.ts'
import type { Newsletter } from './newsletter-model.ts'
import { addPerson, newPretendDevice } from './people.ts'
import { createPersonInbox, type SavedInbox } from './person-inbox.ts'

/**
 * The whole network as JSON: bytes become `{ $bytes: base64 }`, maps `{ $map: entries }`, and sets `{ $set: values }`.
 */
export interface SavedNetwork {
  v: 1
  trust: SavedTrust
  settings: Settings
  people: unknown[]
  groups: unknown[]
  newsletters: unknown
}

/** Maximum number of a person's sent messages in the state, for devices that request them again after a restart. */
const KEPT_SENT = 200

export function pack(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Map) return { $map: [...value].map(([key, item]) => [key, pack(item)]) }
  if (value instanceof Set) return { $set: [...value].map(pack) }
  if (Array.isArray(value)) return value.map(pack)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, pack(item)]))
  }
  return value
}

function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack)
  if (typeof value !== 'object' || value === null) return value
  if ('$bytes' in value) return Buffer.from(String(value.$bytes), 'base64')
  if ('$map' in value) return new Map((value.$map as [string, unknown][]).map(([key, item]) => [key, unpack(item)]))
  if ('$set' in value) return new Set((value.$set as unknown[]).map(unpack))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unpack(item)]))
}

const PERSON_FIELDS = [
  'lid',
  'name',
  'platform',
  'isPhone',
  'isAutomatic',
  'business',
  'contactCode',
  'email',
  'notices',
  'reports',
  'username',
  'usernameKey',
  'verifiedName',
  'receipts',
  'picture',
  'about',
  'aboutAt',
  'textStatus',
  'blockedMe',
  'needsToken',
  'trusted',
  'chatTokenSalt',
  'groupAdd',
  'isSink',
  'asksAgain',
  'history',
  'nextDevice',
  'passkey',
  'blocklist',
  'watchers',
  'privacyLists',
  'profile',
  'privacy',
  'defaultEphemeralSeconds',
  'appState',
  'restrictedUntil',
  'statusPrivacy',
] as const satisfies (keyof Person)[]

interface SavedPerson extends Pick<Person, (typeof PERSON_FIELDS)[number]> {
  number: string
  sent: Person['sent']
  inbox?: SavedInbox
  devices: unknown[]
  companions: SavedCompanion[]
}

/**
 * Fields that describe the connection of a device. They are not saved, because the connection ends with the process.
 */
type OfConnections = 'connection' | 'isAvailable' | 'nacksToIgnore' | 'login' | 'sessionTimes'
type SavedCompanion = Omit<Companion, 'person' | 'address' | OfConnections>

interface SavedGroup extends Omit<Group, 'owner' | 'subjectBy' | 'members' | 'requests' | 'description'> {
  owner: string
  subjectBy: string
  description: (Omit<NonNullable<Group['description']>, 'by'> & { by: string }) | undefined
  members: [string, Group['requests'] extends Map<string, unknown> ? 'member' | 'admin' | 'superadmin' : never][]
  requests: [string, number][]
}

export function saveNetwork(network: Network): SavedNetwork {
  return {
    v: 1,
    trust: network.trust.save(),
    settings: network.settings,
    people: [...network.people.values()].map((person) => pack(savedPerson(person))),
    groups: [...network.groups.values()].map((group) => pack(savedGroup(group))),
    newsletters: pack(network.newsletters),
  }
}

function savedPerson(person: Person): SavedPerson {
  const fields = Object.fromEntries(PERSON_FIELDS.map((name) => [name, person[name]])) as Pick<
    Person,
    (typeof PERSON_FIELDS)[number]
  >
  return {
    number: person.number,
    ...fields,
    sent: new Map([...person.sent].slice(-KEPT_SENT)),
    inbox: person.inbox.save(),
    devices: person.devices.map((device) => (device.hasSignal ? device.signal.save() : null)),
    companions: [...person.companions.values()].map(savedCompanion),
  }
}

function savedCompanion(companion: Companion): SavedCompanion {
  const { person, address, connection, isAvailable, nacksToIgnore, login, sessionTimes, ...data } = companion
  return data
}

function savedGroup(group: Group): SavedGroup {
  const { owner, subjectBy, members, requests, description } = group
  return {
    ...group,
    owner: owner.number,
    subjectBy: subjectBy.number,
    description: description && { ...description, by: description.by.number },
    members: [...members.values()].map(({ person, role }) => [person.number, role]),
    requests: [...requests.values()].map(({ person, at }) => [person.number, at]),
  }
}

export function restoreNetwork(network: Network, saved: SavedNetwork) {
  if (saved.v !== 1)
    throw new Error(
      `The saved state of the sandbox has version ${String(saved.v)}, which this release cannot read; delete the sandbox's folder.`,
    )
  Object.assign(network.settings, saved.settings)
  for (const person of saved.people) restorePerson(network, unpack(person) as SavedPerson)
  for (const group of saved.groups) restoreGroup(network, unpack(group) as SavedGroup)
  for (const [id, item] of unpack(saved.newsletters) as Map<string, Newsletter>) network.newsletters.set(id, item)
}

function restorePerson(network: Network, saved: SavedPerson) {
  const { devices, companions, number, inbox, ...fields } = saved
  const person = addPerson(network, number, fields.isPhone, fields.isAutomatic, fields.lid)
  Object.assign(person, fields)
  person.inbox = createPersonInbox(inbox)
  person.devices = devices.map((signal, id) =>
    newPretendDevice(person, id, signal === null ? undefined : restoreSignalDevice(signal)),
  )
  for (const data of companions) {
    const companion: Companion = {
      ...data,
      pending: data.pending as Map<string, BinaryNode>,
      person,
      address: `${number}.${data.device}`,
      nacksToIgnore: new Set(),
      isAvailable: false,
      connection: undefined,
    }
    person.companions.set(data.device, companion)
  }
}

function restoreGroup(network: Network, saved: SavedGroup) {
  const find = (number: string): Person => {
    const person = network.people.get(number)
    if (!person) throw new Error(`the state names ${number}, whom it does not know`)
    return person
  }
  network.groups.set(saved.id, {
    ...saved,
    owner: find(saved.owner),
    subjectBy: find(saved.subjectBy),
    description: saved.description && { ...saved.description, by: find(saved.description.by) },
    members: new Map(saved.members.map(([number, role]) => [number, { person: find(number), role }])),
    requests: new Map(saved.requests.map(([number, at]) => [number, { person: find(number), at }])),
  })
}
