/**
 * Reads and changes a stored session: libsignal's RecordStructure, with the current session in field 1 and the archived
 * ones in field 2.
 */
import { SessionRecord } from 'whatsapp-rust-bridge'
import { type OwnDevice, recordFromJson } from './session-json.ts'
import { allBytesOf, bytesOf, checkFields, FieldReader, lengthDelimited, numberIn } from './wire.ts'

const CURRENT = 1
const ARCHIVED = 2
const REMOTE_IDENTITY = 3
const REGISTRATION_ID = 10
const BASE_KEY = 13
/**
 * Largest number of archived sessions. libsignal has the same limit, and would drop further sessions at the next
 * change.
 */
const MAX_ARCHIVED = 40
/** First byte of JSON. A RecordStructure never begins with this byte, because it has no field 15. */
const OPENING_BRACE = 0x7b

/**
 * Returns the session as a RecordStructure, converted if the JavaScript library wrote it as JSON. Undefined for absent
 * and unusable bytes. The module would interpret truncated bytes as an empty record.
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
    // Bytes that are not a record count as no session, so a new session replaces them.
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

/** Returns the identity key of the other device, 33 bytes. Undefined if there is no current session. */
export function identityIn(session: Uint8Array): Uint8Array | undefined {
  const current = bytesOf(session, CURRENT)
  return current && bytesOf(current, REMOTE_IDENTITY)
}

const baseKeyOf = (session: Uint8Array) => Buffer.from(bytesOf(session, BASE_KEY) ?? []).toString('base64')

/**
 * Returns the record after a decryption, with all other sessions as they were before it. The module
 * (whatsapp-rust-bridge 0.5.4) tries the other sessions first and changes their keys, so that their later messages
 * could not be decrypted.
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
 * Merges the records of one device under its number and its LID. The sessions of `from` are archived, so that messages
 * in transit can still be decrypted.
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
