import { createHmac, timingSafeEqual } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { type BinaryNode, childBytes } from '../wire/node.ts'
import type { Companion, Person } from './model.ts'
import { lidJidOf } from './people.ts'

/**
 * Handles the salt that a phone gives its linked devices, in the history or as a setting. With this salt, they make
 * tokens for people who have given them none. The library's protobuf definitions lack these two fields.
 */

const BYTES = 2

function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + BYTES), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

export const historySalt = ({ chatTokenSalt: salt }: Person): Buffer => (salt ? field(19, salt) : Buffer.alloc(0))

type Value = proto.ISyncActionValue & { nctSaltSyncAction?: { salt?: unknown } }

const saltOf = ({ nctSaltSyncAction: action }: Value): Buffer | undefined =>
  typeof action?.salt === 'string' ? Buffer.from(action.salt, 'base64') : undefined

export function valueBytes(value: Value): Buffer {
  const salt = saltOf(value)
  const known = proto.SyncActionValue.encode(proto.SyncActionValue.fromObject(value)).finish()
  return field(2, salt ? Buffer.concat([known, field(80, field(1, salt))]) : known)
}

/** Sets or removes the salt of the account if this action of the phone is about the salt. */
export function setActionSalt(person: Person, [kind]: string[], value: Value | null) {
  if (kind === 'nct_salt_sync') person.chatTokenSalt = value ? saltOf(value) : undefined
}

/** Returns the error code for a message without a valid token. Undefined if the message is accepted. */
export function tokenRefusal(from: Companion, to: Person | undefined, item: BinaryNode): number | undefined {
  if (!to?.needsToken || to === from.person) return undefined
  const given = childBytes(item, 'tctoken')
  if (given && given.toString('hex') === to.trusted?.get(from.person.number)) return undefined
  return isMade(from.person, to, childBytes(item, 'cstoken')) ? undefined : 463
}

function isMade({ chatTokenSalt: salt }: Person, to: Person, token: Buffer | undefined): boolean {
  if (!salt || !token) return false
  const wanted = createHmac('sha256', salt).update(lidJidOf(to)).digest()
  return token.length === wanted.length && timingSafeEqual(token, wanted)
}
