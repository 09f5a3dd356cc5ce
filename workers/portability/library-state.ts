/** The state of a device as programs on Baileys keep it: credentials and keys as JSON texts, each key under its type and id. */
import { BufferJSON } from '@whiskeysockets/baileys'

export interface LibraryKey {
  type: string
  id: string
  /** JSON. */
  text: string
}

export interface LibraryState {
  /** JSON; undefined: there are none. */
  creds: string | undefined
  keys: readonly LibraryKey[]
  /** Entries whose name says no type that is known. */
  unknown: number
  /** When any of it was last written, epoch ms; undefined: that is not known. */
  writtenAt: number | undefined
}

/** The types there are, none before one that it begins with: an id may begin with anything. */
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

/** The type of a name like `session-123.0`, and the rest behind it. */
export function typeOf(name: string): { type: string; rest: string } | undefined {
  const type = TYPES.find((each) => name.startsWith(`${each}-`))
  return type === undefined ? undefined : { type, rest: name.slice(type.length + 1) }
}

/** The text with its bytes as bytes: as the library writes them, and as Node does. Throws a SyntaxError. */
export const revived = (text: string): unknown => JSON.parse(text, reviver)

function reviver(key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
  if (isBytes && Array.isArray(value.data)) return Buffer.from(value.data as number[])
  return BufferJSON.reviver(key, value)
}
