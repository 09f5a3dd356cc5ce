import { BufferJSON } from '@whiskeysockets/baileys'

export interface LibraryKey {
  type: string
  id: string
  text: string
}

export interface LibraryState {
  creds: string | undefined
  keys: readonly LibraryKey[]
  unknown: number
  /** Last write in epoch ms; undefined if unknown. */
  writtenAt: number | undefined
}

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

export function typeOf(name: string): { type: string; rest: string } | undefined {
  const type = TYPES.find((each) => name.startsWith(`${each}-`))
  return type === undefined ? undefined : { type, rest: name.slice(type.length + 1) }
}

/** Parses JSON, and restores bytes that Baileys or Node wrote in it. Throws a SyntaxError if the text is not JSON. */
export const revived = (text: string): unknown => JSON.parse(text, reviver)

function reviver(key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
  if (isBytes && Array.isArray(value.data)) return Buffer.from(value.data as number[])
  return BufferJSON.reviver(key, value)
}
