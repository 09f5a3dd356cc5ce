/**
 * Finds the names of stored keys. Except for pre-keys, the store has only a keyed hash of each name. Names consist of
 * addresses and ids, most of which other records contain. So the possible names are hashed and compared.
 */
import type { DeviceKey } from '../../../src/domain/device-bundle.ts'

export type Records = ReadonlyMap<string, Uint8Array>

export interface StoredKeys {
  byType: ReadonlyMap<string, Records>
  blind(id: string): string
}

export interface Known {
  ownJids: readonly string[]
  jids: Iterable<string>
  stateKeyIds: readonly string[]
}

export interface NamedKeys {
  keys: DeviceKey[]
  unnamed: ReadonlyMap<string, number>
}

const PRE_KEY = 'pre-key'
const GROUP = '@g.us'
const SERVERS = ['s.whatsapp.net', 'lid'] as const
const DOMAINS = ['', '_1', '_128', '_129'] as const
/** Device numbers that are always tried: 0 is the phone, 99 a hosted account. */
const DEVICES = [0, 99]
const TOKEN_INDEX = '__index'

const userOf = (jid: string) => jid.split('@')[0]!.split(':')[0]!
const deviceOf = (jid: string) => Number(jid.split('@')[0]!.split(':')[1] ?? 0)
const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())

export function nameKeys({ byType, blind }: StoredKeys, known: Known): NamedKeys {
  const left = new Map([...byType].map(([type, records]) => [type, new Map(records)]))
  const keys: DeviceKey[] = []
  const valuesOf = (type: string) => [...(byType.get(type)?.values() ?? [])]

  /** Moves the record with this id to the result. Returns false if there is none. */
  function take(type: string, id: string): boolean {
    const records = left.get(type)
    if (!records || records.size === 0) return false
    const hash = blind(id)
    const value = records.get(hash)
    if (value === undefined) return false
    records.delete(hash)
    keys.push([type, id, value])
    return true
  }

  for (const [id, value] of left.get(PRE_KEY) ?? []) keys.push([PRE_KEY, String(Number(id)), value])
  left.delete(PRE_KEY)

  const holders = valuesOf('sender-key-memory').flatMap((value) => Object.keys(jsonOf(value) as object))
  const jids = [...known.jids, ...known.ownJids, ...holders]
  take('tctoken', TOKEN_INDEX)
  const indexed = keys.flatMap(([type, id, value]) => (type === 'tctoken' && id === TOKEN_INDEX ? tokenJids(value) : []))
  const people = [...jids, ...indexed].filter((jid) => !jid.endsWith(GROUP))
  const users = new Set([...people.map(userOf), ...valuesOf('lid-mapping').map((value) => Buffer.from(value).toString())])
  const groups = new Set(jids.filter((jid) => jid.endsWith(GROUP)))
  const devices = new Set([
    ...DEVICES,
    ...people.map(deviceOf),
    ...valuesOf('device-list').flatMap((value) => (jsonOf(value) as string[]).map(Number)),
  ])

  for (const user of users) {
    take('lid-mapping', user)
    take('lid-mapping', `${user}_reverse`)
    take('device-list', user)
    for (const server of SERVERS) take('tctoken', `${user}@${server}`)
  }
  for (const group of groups) take('sender-key-memory', group)
  for (const id of known.stateKeyIds) take('app-state-sync-key', id)
  /**
   * Possible senders of messages to groups: each device with a stored session or identity, and the account's own
   * devices.
   */
  const senders = new Set(known.ownJids.flatMap((jid) => DOMAINS.map((domain) => `${userOf(jid)}${domain}::${deviceOf(jid)}`)))
  for (const user of users)
    for (const domain of DOMAINS)
      for (const device of devices) {
        const id = `${user}${domain}.${device}`
        const isThere = [take('session', id), take('identity-key', id)].some(Boolean)
        if (isThere) senders.add(`${user}${domain}::${device}`)
      }
  for (const group of groups) for (const sender of senders) take('sender-key', `${group}::${sender}`)
  return { keys, unnamed: new Map([...left].flatMap(([type, { size }]) => (size > 0 ? [[type, size]] : []))) }
}

/**
 * Returns the addresses in the index of tokens. The record of the index contains them as a JSON text in place of a
 * token.
 */
function tokenJids(index: Uint8Array): string[] {
  const { token } = jsonOf(index) as { token: { data: string } }
  return JSON.parse(Buffer.from(token.data, 'base64').toString())
}
