/**
 * Content of a stored session: libsignal's RecordStructure (1 = current session, 2 = archived ones), or the JSON of the JavaScript library, which the
 * module converts on its first use.
 */
import { SessionRecord } from 'whatsapp-rust-bridge'
import { bytesOf, checkFields, FieldReader, lengthDelimited } from './wire.ts'

const CURRENT = 1
const ARCHIVED = 2
/** Fields of SessionStructure. */
const REGISTRATION_ID = 10
const BASE_KEY = 13
/** The most libsignal keeps; more would be dropped at the next archiving anyway. */
const MAX_ARCHIVED = 40

/** Input of the module's loadSession: bytes, or a session of the JavaScript library as parsed JSON. */
export type LoadedSession = Uint8Array | LegacySession

interface LegacyEntry {
  registrationId?: number
  indexInfo?: { closed?: number; baseKey?: string }
  pendingPreKey?: unknown
}

export interface LegacySession {
  _sessions: Record<string, LegacyEntry>
  version: string
}

/**
 * The record as the module can use it; undefined where it cannot: truncated bytes (the module takes garbage for an empty record), and a
 * legacy session that still waits for its first answer (it would lose its pending pre-key and send what the peer cannot read).
 */
export function usableSession(stored: Uint8Array | undefined): LoadedSession | undefined {
  if (!stored || stored.length === 0) return undefined
  if (stored[0] === 0x7b) return usableLegacy(stored)
  try {
    const reader = new FieldReader(stored)
    while (reader.next()) {
      const { number, bytes } = reader
      if (!bytes || (number !== CURRENT && number !== ARCHIVED)) return undefined
      checkFields(bytes)
    }
    return stored
  } catch {
    // A RangeError is the answer: these bytes are no record. As with no record at all, a new session replaces it.
    return undefined
  }
}

function usableLegacy(stored: Uint8Array): LegacySession | undefined {
  let parsed: LegacySession
  try {
    parsed = JSON.parse(Buffer.from(stored).toString())
  } catch {
    // Not JSON either: no record.
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || typeof parsed._sessions !== 'object') return undefined
  return openEntry(parsed)?.pendingPreKey ? undefined : parsed
}

const openEntry = (session: LegacySession) => Object.values(session._sessions).find(({ indexInfo }) => indexInfo?.closed === -1)

export function isOpen(session: LoadedSession | undefined): boolean {
  if (!session) return false
  if (!(session instanceof Uint8Array)) return typeof openEntry(session)?.registrationId === 'number'
  const record = SessionRecord.deserialize(session)
  try {
    return record.haveOpenSession()
  } finally {
    record.free()
  }
}

export function sessionInfo(session: LoadedSession | undefined): { baseKey: Uint8Array; registrationId: number } | null {
  if (!session) return null
  if (!(session instanceof Uint8Array)) {
    const entry = openEntry(session)
    if (!entry?.indexInfo?.baseKey || typeof entry.registrationId !== 'number') return null
    return { baseKey: Buffer.from(entry.indexInfo.baseKey, 'base64'), registrationId: entry.registrationId }
  }
  const current = bytesOf(session, CURRENT)
  const baseKey = current && bytesOf(current, BASE_KEY)
  if (!current || !baseKey) return null
  let registrationId = 0
  const reader = new FieldReader(current)
  while (reader.next()) if (reader.number === REGISTRATION_ID) registrationId = reader.value
  return { baseKey: Uint8Array.from(baseKey), registrationId }
}

const sessionsOf = (record: Uint8Array, number: number): Uint8Array[] => {
  const found: Uint8Array[] = []
  const reader = new FieldReader(record)
  while (reader.next()) if (reader.number === number && reader.bytes) found.push(reader.bytes)
  return found
}

const baseKeyOf = (session: Uint8Array) => Buffer.from(bytesOf(session, BASE_KEY) ?? []).toString('base64')

/**
 * The record after a message was read, with every session but the one that read it as it was before. The session that reads becomes the
 * current one. The module tries the others first, and steps their ratchets before it sees that the message is not theirs
 * (whatsapp-rust-bridge 0.5.4): what the peer sends in them next could then not be read.
 */
export function withOthersUntouched(before: Uint8Array, after: Uint8Array): Uint8Array {
  const archived = sessionsOf(after, ARCHIVED)
  if (archived.length === 0) return after
  const known = new Map([...sessionsOf(before, CURRENT), ...sessionsOf(before, ARCHIVED)].map((one) => [baseKeyOf(one), one]))
  return Buffer.concat([
    ...sessionsOf(after, CURRENT).map((session) => lengthDelimited(CURRENT, session)),
    ...archived.map((session) => lengthDelimited(ARCHIVED, known.get(baseKeyOf(session)) ?? session)),
  ])
}

/**
 * Two records of one device, kept under its two names: `into` stays current, the sessions of `from` become archived ones, so that what
 * is under way in either can still be read.
 */
export function mergeSessions(into: Uint8Array, from: Uint8Array): Uint8Array {
  const archived = [...sessionsOf(from, CURRENT), ...sessionsOf(into, ARCHIVED), ...sessionsOf(from, ARCHIVED)].slice(
    0,
    MAX_ARCHIVED,
  )
  return Buffer.concat([
    ...sessionsOf(into, CURRENT).map((session) => lengthDelimited(CURRENT, session)),
    ...archived.map((session) => lengthDelimited(ARCHIVED, session)),
  ])
}
