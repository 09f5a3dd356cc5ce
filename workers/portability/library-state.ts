/** State of a device as programs on Baileys store it: credentials and keys as JSON texts, each key with its type and id. */
import { BufferJSON } from '@whiskeysockets/baileys'

export interface LibraryKey {
  type: string
  id: string
  /** JSON text of the key. */
  text: string
}

export interface LibraryState {
  /** JSON text of the credentials; undefined if there are none. */
  creds: string | undefined
  keys: readonly LibraryKey[]
  /** Number of entries whose name has an unknown type. */
  unknown: number
  /** Time of the last write in epoch ms; undefined if unknown. */
  writtenAt: number | undefined
}

/** All types of keys. A type comes before those that are a prefix of it, because an id may begin with any character. */
const TYPES = [
  'app-state-sync-version',
  'app-state-sync-key',
  'sender-key-memory',
  'sender-key',
  'identity-key',
  'device-list',
  'lid-mapping',
  'pre-key',
  'session',
  'tctoken',
]

/** The type of a name like `session-123.0`, and the rest after it. */
export function typeOf(name: string): { type: string; rest: string } | undefined {
  const type = TYPES.find((each) => name.startsWith(`${each}-`))
  return type === undefined ? undefined : { type, rest: name.slice(type.length + 1) }
}

/** Parses JSON whose bytes are in the form of the library or in that of Node. Throws a SyntaxError. */
export const revived = (text: string): unknown => JSON.parse(text, reviver)

function reviver(key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
  if (isBytes && Array.isArray(value.data)) return Buffer.from(value.data as number[])
  return BufferJSON.reviver(key, value)
}
