import { jidDecode, proto } from '@whiskeysockets/baileys'
import type { DeviceKey } from '../../src/domain/device-bundle.ts'
import type { KeyType } from '../shard/keys/key-store.ts'
import { keyBytes } from '../shard/keys/signal/codec.ts'
import type { OwnDevice } from '../shard/keys/signal/session-json.ts'
import { mergeSessions, usableSession } from '../shard/keys/signal/session-record.ts'
import { CATEGORIES, type CategoryType, type Counted } from './categories.ts'
import { type LibraryKey, revived } from './library-state.ts'

export interface KeyChoice {
  own: OwnDevice
  ownJids: readonly string[]
  /** Whether the device was used after this copy was made. */
  isOld: boolean
}

interface Read {
  bytes: Uint8Array
  isConverted: boolean
}

type Reader = (text: string, own: OwnDevice) => Read | undefined

const as = (bytes: Uint8Array | undefined): Read | undefined => bytes && { bytes, isConverted: false }

const bytesIn = (text: string): Uint8Array | undefined => {
  const value = revived(text)
  return value instanceof Uint8Array && value.length > 0 ? value : undefined
}

const inForm =
  (type: KeyType, isOfForm: (value: unknown) => boolean): Reader =>
  (text) => {
    const value = revived(text)
    return as(isOfForm(value) ? keyBytes(type, value) : undefined)
  }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)

const isKey = (value: unknown) => value instanceof Uint8Array && (value.length === 32 || value.length === 33)

function senderKey(text: string): Read | undefined {
  const bytes = bytesIn(text)
  if (!bytes) return undefined
  if (bytes[0] !== 0x5b) return as(bytes)
  const states: unknown = JSON.parse(Buffer.from(bytes).toString())
  return as(Array.isArray(states) && states.length > 0 ? bytes : undefined)
}

function session(text: string, own: OwnDevice): Read | undefined {
  const value = revived(text)
  const stored = value instanceof Uint8Array ? value : Buffer.from(text)
  const usable = usableSession(stored, () => own)
  return usable && { bytes: usable, isConverted: usable !== stored }
}

const READERS: Readonly<Record<CategoryType, Reader>> = {
  session,
  'sender-key': senderKey,
  'sender-key-memory': inForm('sender-key-memory', isObject),
  'pre-key': inForm('pre-key', (value) => isObject(value) && isKey(value.public) && isKey(value.private)),
  'identity-key': (text) => as(bytesIn(text)),
  'app-state-sync-key': (text) => {
    const value = revived(text)
    if (!isObject(value) || value.keyData === undefined) return undefined
    return as(keyBytes('app-state-sync-key', proto.Message.AppStateSyncKeyData.fromObject(value)))
  },
  'app-state-sync-version': () => undefined,
  'lid-mapping': inForm('lid-mapping', (value) => typeof value === 'string' && value.length > 0),
  'device-list': inForm('device-list', (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')),
  tctoken: inForm('tctoken', (value) => isObject(value) && value.token instanceof Uint8Array),
}

export type Counts = Record<CategoryType, Counted>

/** Reads the keys to import, and counts them by type. A key that cannot be read is only counted. */
export function readKeys(stored: readonly LibraryKey[], choice: KeyChoice): { keys: DeviceKey[]; counts: Counts } {
  const given = withDomains(stored, choice)
  const counts = Object.fromEntries(
    CATEGORIES.map(({ type }) => [type, { found: 0, taken: 0, converted: 0, unreadable: 0, leftOut: 0 }]),
  ) as Counts
  const isWanted = wanted(given, choice)
  const keys: DeviceKey[] = []
  for (const entry of given) {
    const type = entry.type as CategoryType
    const counted = counts[type]
    counted.found += 1
    if (!isWanted(entry)) {
      counted.leftOut += 1
      continue
    }
    const read = attempt(() => READERS[type](entry.text, choice.own))
    if (!read) {
      counted.unreadable += 1
      continue
    }
    counted.taken += 1
    if (read.isConverted) counted.converted += 1
    keys.push([type, entry.id, read.bytes])
  }
  return { keys: underHiddenIds(keys), counts }
}

function attempt(read: () => Read | undefined): Read | undefined {
  try {
    return read()
  } catch {
    // Truncated JSON and values with an unexpected structure count as entries that cannot be read.
    return undefined
  }
}

/**
 * Selects the keys to import. If the copy is old, sessions and the account's own sender keys are left out: recipients
 * would silently drop messages whose counters they have seen.
 */
function wanted(given: readonly LibraryKey[], { ownJids, isOld }: KeyChoice): (key: LibraryKey) => boolean {
  const ownUsers = new Set(ownJids.map((jid) => jidDecode(jid)?.user))
  const isOwn = (id: string) => ownUsers.has(id.split('::')[1]?.split('_')[0])
  const groupsWithKey = new Set(
    given
      .filter(({ type, id, text }) => type === 'sender-key' && isOwn(id) && IN_DOMAIN.test(id) && attempt(() => senderKey(text)))
      .map(({ id }) => id.split('::')[0]),
  )
  return ({ type, id }) => {
    switch (type) {
      // Versions of app state are not imported: with such a version, the service would not read the app state
      // completely.
      case 'app-state-sync-version':
        return false
      case 'session':
        return !isOld
      case 'sender-key':
        return !(isOld && isOwn(id))
      case 'sender-key-memory':
        return !isOld && groupsWithKey.has(id)
      default:
        return true
    }
  }
}

const LID_DOMAIN = 1
const IN_DOMAIN = new RegExp(`_${LID_DOMAIN}(\\.|::)\\d+$`)
const WITHOUT_DOMAIN = /^((?:.+::)?)(\d+)(\.|::)(\d+)$/
/** Smallest number of digits of a LID. Phone numbers have fewer, with very few exceptions. */
const LID_DIGITS = 14
const NAMED_BY_ADDRESS = new Set(['session', 'sender-key', 'identity-key'])

/**
 * Adds the suffix of LIDs to the names of keys. Versions of Baileys before 7 omit it, and name the keys of a LID like
 * those of a number.
 */
function withDomains(given: readonly LibraryKey[], { ownJids }: KeyChoice): readonly LibraryKey[] {
  const isBefore7 = given.every(({ type, id }) => type !== 'lid-mapping' && !(NAMED_BY_ADDRESS.has(type) && IN_DOMAIN.test(id)))
  if (!isBefore7) return given
  const ownLids = ownJids.map(jidDecode).flatMap((jid) => (jid?.server === 'lid' ? [jid.user] : []))
  return given.map((key) => {
    const [, group, user = '', dot, device] = (NAMED_BY_ADDRESS.has(key.type) && WITHOUT_DOMAIN.exec(key.id)) || []
    const isLid = user.length >= LID_DIGITS || ownLids.includes(user)
    return isLid ? { ...key, id: `${group}${user}_${LID_DOMAIN}${dot}${device}` } : key
  })
}

/**
 * Moves sessions and identities from the number to the LID, where the service looks for them. If both have a session,
 * the one under the LID stays in use, and the other is kept for decryption.
 */
function underHiddenIds(keys: readonly DeviceKey[]): DeviceKey[] {
  const lids = new Map(keys.flatMap(([type, id, value]) => (type === 'lid-mapping' ? [[id, Buffer.from(value).toString()]] : [])))
  const found = new Map(keys.map((key) => [`${key[0]} ${key[1]}`, key] as const))
  for (const [type, id, value] of keys) {
    if (type !== 'session' && type !== 'identity-key') continue
    const [user = '', device = ''] = id.split('.')
    const lid = lids.get(user)
    if (lid === undefined) continue
    const to = `${lid}_${LID_DOMAIN}.${device}`
    const there = found.get(`${type} ${to}`)
    found.delete(`${type} ${id}`)
    const moved = there === undefined ? value : type === 'session' ? mergeSessions(there[2], value) : there[2]
    found.set(`${type} ${to}`, [type, to, moved])
  }
  return [...found.values()]
}
