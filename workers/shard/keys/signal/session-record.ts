/** Content of a stored session: libsignal's RecordStructure (1 = current session, 2 = archived ones). */
import { SessionRecord } from 'whatsapp-rust-bridge'
import { type OwnDevice, recordFromJson } from './session-json.ts'
import { allBytesOf, bytesOf, checkFields, FieldReader, lengthDelimited, numberIn } from './wire.ts'

const CURRENT = 1
const ARCHIVED = 2
/** Fields of SessionStructure. */
const REGISTRATION_ID = 10
const BASE_KEY = 13
/** The most libsignal keeps; more would be dropped at the next archiving anyway. */
const MAX_ARCHIVED = 40
/** First byte of JSON. No RecordStructure begins with it: field 15 does not exist. */
const OPENING_BRACE = 0x7b

/**
 * The record as the module can use it, or undefined. The module takes truncated bytes for an empty record, so they are refused here; a record
 * that the JavaScript library wrote as JSON is converted, and is stored in the new form by the next operation on it.
 */
export function usableSession(stored: Uint8Array | undefined, own: () => OwnDevice): Uint8Array | undefined {
  if (!stored || stored.length === 0) return undefined
  if (stored[0] === OPENING_BRACE) return recordFromJson(stored, own())
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

export function isOpen(session: Uint8Array | undefined): boolean {
  if (!session) return false
  const record = SessionRecord.deserialize(session)
  try {
    return record.haveOpenSession()
  } finally {
    record.free()
  }
}

export function sessionInfo(session: Uint8Array | undefined): { baseKey: Uint8Array; registrationId: number } | null {
  if (!session) return null
  const current = bytesOf(session, CURRENT)
  const baseKey = current && bytesOf(current, BASE_KEY)
  if (!current || !baseKey) return null
  return { baseKey: Uint8Array.from(baseKey), registrationId: numberIn(current, REGISTRATION_ID) }
}

const baseKeyOf = (session: Uint8Array) => Buffer.from(bytesOf(session, BASE_KEY) ?? []).toString('base64')

/**
 * The record after a message was read, with every session but the one that read it as it was before. The session that reads becomes the
 * current one. The module tries the others first, and steps their ratchets before it sees that the message is not theirs
 * (whatsapp-rust-bridge 0.5.4): what the peer sends in them next could then not be read.
 */
export function withOthersUntouched(before: Uint8Array, after: Uint8Array): Uint8Array {
  const archived = allBytesOf(after, ARCHIVED)
  if (archived.length === 0) return after
  const known = new Map([...allBytesOf(before, CURRENT), ...allBytesOf(before, ARCHIVED)].map((one) => [baseKeyOf(one), one]))
  return Buffer.concat([
    ...allBytesOf(after, CURRENT).map((session) => lengthDelimited(CURRENT, session)),
    ...archived.map((session) => lengthDelimited(ARCHIVED, known.get(baseKeyOf(session)) ?? session)),
  ])
}

/**
 * Two records of one device, kept under its two names: `into` stays current, the sessions of `from` become archived ones, so that what
 * is under way in either can still be read.
 */
export function mergeSessions(into: Uint8Array, from: Uint8Array): Uint8Array {
  const archived = [...allBytesOf(from, CURRENT), ...allBytesOf(into, ARCHIVED), ...allBytesOf(from, ARCHIVED)].slice(
    0,
    MAX_ARCHIVED,
  )
  return Buffer.concat([
    ...allBytesOf(into, CURRENT).map((session) => lengthDelimited(CURRENT, session)),
    ...archived.map((session) => lengthDelimited(ARCHIVED, session)),
  ])
}
