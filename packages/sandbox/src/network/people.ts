import type { SignalDevice } from '../people/device.ts'
import { createSignalDevice } from '../people/signal-device.ts'
import { SERVER, seconds } from '../wire/node.ts'
import { createAppState } from './app-state.ts'
import { createBusinessProfile } from './business-profile.ts'
import { jid, lidOf, numberOfLid, parseJid } from './jid.ts'
import type { Companion, Network, Person, PretendDevice } from './model.ts'
import { createPersonInbox } from './person-inbox.ts'

const NOBODY = '0000'

export function newPretendDevice(person: Person, id: number, restored?: SignalDevice): PretendDevice {
  let signal = restored
  let last: Promise<unknown> = Promise.resolve()
  return {
    person,
    id,
    address: `${person.number}.${id}`,
    received: 0,
    get signal() {
      signal ??= createSignalDevice()
      return signal
    },
    get hasSignal() {
      return signal !== undefined
    },
    turn(job) {
      const result = last.then(job, job)
      last = result.catch(() => undefined)
      return result
    },
  }
}

export function addPerson(network: Network, number: string, isPhone: boolean, isAutomatic: boolean, lid = lidOf(number)): Person {
  const person: Person = {
    number,
    lid,
    name: isPhone ? `Phone ${number}` : `Contact ${number}`,
    platform: 'android',
    isPhone,
    isAutomatic,
    business: false,
    receipts: undefined,
    picture: undefined,
    about: undefined,
    aboutAt: seconds(),
    blockedMe: false,
    groupAdd: 'all',
    isSink: false,
    asksAgain: true,
    history: { chats: 0, contacts: 0 },
    devices: [],
    companions: new Map(),
    nextDevice: 1,
    presence: 'unavailable',
    lastSeen: 0,
    subscribers: new Map(),
    inbox: createPersonInbox(),
    sent: new Map(),
    replayable: new Map(),
    signals: [],
    blocklist: new Set(),
    watchers: new Set(),
    privacyLists: new Map(),
    profile: createBusinessProfile(),
    privacy: new Map(),
    defaultEphemeralSeconds: 0,
    appState: createAppState(),
    restrictedUntil: undefined,
    statusPrivacy: { setting: 'contacts', numbers: [] },
  }
  person.devices.push(newPretendDevice(person, 0))
  network.people.set(number, person)
  network.lids.set(lid, person)
  network.changed()
  return person
}

export function setDeviceCount(person: Person, count: number) {
  person.devices.length = Math.min(person.devices.length, count)
  while (person.devices.length < count) person.devices.push(newPretendDevice(person, person.devices.length))
  person.nextDevice = Math.max(person.nextDevice, count)
}

/** Matches Brazilian mobile numbers with or without the ninth digit. */
const BRAZILIAN = /^(55\d\d)(9?)(\d{8})$/

/**
 * Returns the registered form of a Brazilian number, with or without the ninth digit. If neither or both forms are
 * registered, returns the given number.
 */
export function registeredForm(network: Network, number: string): string {
  const [, area, ninth, rest] = BRAZILIAN.exec(number) ?? []
  const other = `${area}${ninth === '9' ? '' : '9'}${rest}`
  return area !== undefined && !network.people.has(number) && network.people.has(other) ? other : number
}

/** Finds a person by number. An unknown valid number becomes a new contact, unless `auto_contacts` is off. */
export function findNumber(network: Network, number: string): Person | undefined {
  const known = network.people.get(number)
  if (known) return known
  if (!network.settings.auto_contacts || !/^\d{5,15}$/.test(number) || number.endsWith(NOBODY)) return undefined
  return addPerson(network, number, false, true)
}

export function findPerson(network: Network, address: string): Person | undefined {
  const { user, server } = parseJid(address)
  if (server === SERVER) return findNumber(network, user)
  if (server !== 'lid') return undefined
  const known = network.lids.get(user)
  if (known) return known
  const number = numberOfLid(user)
  // A person with this number exists, but has another LID, so this generated LID belongs to nobody.
  return number === undefined || network.people.has(number) ? undefined : findNumber(network, number)
}

export type AnyDevice = { person: Person } & (
  | { companion: Companion; pretend?: undefined }
  | { pretend: PretendDevice; companion?: undefined }
)

export function findDevice(network: Network, address: string): AnyDevice | undefined {
  const person = findPerson(network, address)
  if (!person) return undefined
  const { device } = parseJid(address)
  const companion = person.companions.get(device)
  if (companion) return { person, companion }
  const pretend = person.devices[device]
  return pretend && { person, pretend }
}

export function devicesOf(person: Person): AnyDevice[] {
  const companions = [...person.companions.values()].map((companion) => ({ person, companion }))
  return [...person.devices.map((pretend) => ({ person, pretend })), ...companions]
}

export const pnOf = (person: Person, device = 0) => jid(person.number, SERVER, device)
export const lidJidOf = (person: Person, device = 0) => jid(person.lid, 'lid', device)
export const jidOf = (person: Person, addressing: 'lid' | 'pn', device = 0) =>
  addressing === 'lid' ? lidJidOf(person, device) : pnOf(person, device)

/**
 * Returns attributes that name the person of the chat by number and LID. `sender_lid` is not among them, because a
 * client would treat it as the other address of the chat.
 */
export function recipientAttributes(network: Network, chat: string): Record<string, string> {
  const person = findPerson(network, chat)
  if (!person) return { recipient: chat }
  if (parseJid(chat).server !== 'lid') return { recipient: pnOf(person), peer_recipient_lid: lidJidOf(person) }
  return { recipient: lidJidOf(person), peer_recipient_pn: pnOf(person), addressing_mode: 'lid' }
}

export function addSignal(person: Person, signal: Person['signals'][number]) {
  person.signals.push(signal)
  if (person.signals.length > 100) person.signals.shift()
}

export function setAbout(person: Person, text: string) {
  person.about = text
  person.aboutAt = seconds()
}

export const textStatusOf = ({ textStatus, about, aboutAt }: Person): Person['textStatus'] =>
  textStatus ?? (about === undefined ? undefined : { text: about, emoji: null, duration: 0, at: aboutAt })
