/** Content of a stored session: libsignal's RecordStructure (1 = current session, 2 = archived ones). */
import { SessionRecord } from 'whatsapp-rust-bridge'
import { type OwnDevice, recordFromJson } from './session-json.ts'
import { allBytesOf, bytesOf, checkFields, FieldReader, lengthDelimited, numberIn } from './wire.ts'

const CURRENT = 1
const ARCHIVED = 2
/** Fields of SessionStructure. */
const REGISTRATION_ID = 10
const BASE_KEY = 13
/** Limit of libsignal; the next archiving would drop more anyway. */
const MAX_ARCHIVED = 40
/** First byte of JSON. No RecordStructure begins with it, because field 15 does not exist. */
const OPENING_BRACE = 0x7b

/**
 * Returns the record in a form that the module can use, or undefined. The module interprets truncated bytes as an empty
 * record, so they are refused here. A record that the JavaScript library wrote as JSON is converted, and the next
 * operation stores it in the new form.
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
    // A RangeError means that the bytes are not a record. A new session then replaces it, as if there were none.
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
 * Returns the record after a message was decrypted, in which all sessions except the one that decrypted it are
 * unchanged. That session becomes the current one. The module first tries the others and advances their ratchets before
 * it detects that the message belongs to another session (whatsapp-rust-bridge 0.5.4), so later messages in them could
 * not be decrypted.
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
 * Merges two records of one device, stored under its number and its LID: `into` stays current, and the sessions of
 * `from` become archived ones, so that messages in transit in either can still be decrypted.
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
