import { BufferJSON, Curve, proto } from '@whiskeysockets/baileys'
import { NotImportable } from '../../../src/domain/not-importable.ts'
import type { LibraryKey } from '../library-state.ts'
import type { Row } from '../rows/json-lines.ts'

const HEX = /^\\x((?:[0-9a-f]{2})*)$/i

export function bytesIn(value: unknown): Buffer | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value)
  const digits = typeof value === 'string' ? HEX.exec(value)?.[1] : undefined
  return digits === undefined ? undefined : Buffer.from(digits, 'hex')
}

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

export const isTrue = (value: unknown): boolean => value === true || Number(value) === 1

const BASE_POINT = Buffer.alloc(32).fill(9, 0, 1)

export interface KeyPair {
  public: Buffer
  private: Buffer
}

/** Returns the key pair of a private key; undefined if the key does not have 32 bytes. */
export const keyPairOf = (privateKey: Buffer | undefined): KeyPair | undefined =>
  privateKey?.length === 32 ? { private: privateKey, public: Curve.sharedKey(privateKey, BASE_POINT) } : undefined

export const libraryJson = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer)

export const libraryKey = (type: string, id: string, value: unknown): LibraryKey => ({ type, id, text: libraryJson(value) })

const KEY_TYPE = Buffer.of(5)

export const withKeyType = (key: Buffer | undefined) => (key?.length === 32 ? Buffer.concat([KEY_TYPE, key]) : key)

/** Converts a key of app state. `timestamp` is in epoch seconds. */
export function stateKeyOf({ key_id: id, key_data: keyData, fingerprint }: Row, timestamp: number): LibraryKey {
  const encoded = bytesIn(fingerprint)
  return libraryKey('app-state-sync-key', bytesIn(id)?.toString('base64') ?? '', {
    keyData: bytesIn(keyData),
    fingerprint: encoded && proto.Message.AppStateSyncKeyFingerprint.decode(encoded).toJSON(),
    timestamp,
  })
}

export const userOf = (jid: string): string => jid.split('@')[0]!.split(/[:.]/)[0]!

export const mappingOf = (phone: string, hiddenId: string): LibraryKey[] => [
  libraryKey('lid-mapping', phone, hiddenId),
  libraryKey('lid-mapping', `${hiddenId}_reverse`, phone),
]

const TOKEN_INDEX = '__index'

export interface ContactToken {
  jid: string
  token: Buffer
  /** Epoch seconds. Null, undefined and 0 mean that the time is unknown. */
  timestamp: unknown
  senderTimestamp: unknown
}

export function tokenKeys(tokens: readonly ContactToken[]): LibraryKey[] {
  if (tokens.length === 0) return []
  const seconds = (value: unknown) => (Number(value) > 0 ? { of: String(value) } : undefined)
  const rows = tokens.map(({ jid, token, timestamp, senderTimestamp }) =>
    libraryKey('tctoken', jid, { token, timestamp: seconds(timestamp)?.of, senderTimestamp: seconds(senderTimestamp)?.of }),
  )
  const jids = Buffer.from(JSON.stringify(tokens.map(({ jid }) => jid)))
  return [...rows, libraryKey('tctoken', TOKEN_INDEX, { token: jids })]
}

/**
 * Returns the row with the name `wanted`. If no name is wanted, returns the only row, or undefined if there are no rows.
 * Throws `NotImportable` if the choice is not possible.
 */
export function chosenRow(rows: readonly Row[], column: string, wanted: string | undefined): Row | undefined {
  const names = rows.map((row) => String(row[column]))
  if (wanted === undefined) {
    if (rows.length <= 1) return rows[0]
    throw new NotImportable([`There are ${rows.length} devices: ${names.join(', ')}. Name one of them in the option device.`])
  }
  const found = rows[names.indexOf(wanted)]
  if (found) return found
  throw new NotImportable([
    `There is no device ${wanted}; there ${names.length === 1 ? 'is' : 'are'}: ${names.join(', ') || 'none'}.`,
  ])
}
