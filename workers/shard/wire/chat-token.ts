/**
 * Creates the token of a message to a person who gave the account no token: HMAC-SHA256 of the person's LID, with a
 * salt from the phone. The network can refuse a message without this token and without one from the person with 463.
 * (whatsmeow and whatsapp-rust use the LID of the person; zapo uses the LID of the account.)
 */
import { createHmac } from 'node:crypto'
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import type { AppStateAction } from './app-state-actions.ts'
import { bytesField } from './protobuf.ts'

export const chatToken = (salt: Uint8Array, lid: string): BinaryNode => ({
  tag: 'cstoken',
  attrs: {},
  content: createHmac('sha256', salt).update(lid).digest(),
})

/** Gives the account's token to a contact. `seconds`: time in epoch seconds. */
export const giveTokenQuery = (jid: string, seconds: number): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'privacy' },
  content: [
    {
      tag: 'tokens',
      attrs: {},
      content: [{ tag: 'token', attrs: { jid, t: String(seconds), type: 'trusted_contact' } }],
    },
  ],
})

/** Returns the person who gave a token, from `<notification type="privacy_token" from sender_lid?>`. */
export const tokenGiverIn = ({ attrs: { from = '', sender_lid: lid = '' } }: BinaryNode) => ({ from, lid })

/**
 * Numbers of fields in `SyncActionData`, `SyncActionValue` and `NctSaltSyncAction`. The library (rc14) defines only the
 * first of these fields.
 */
const [VALUE, ACTION, SALT] = [2, 80, 1]

/** Adds the salt to the decoded value, because the library's decoder skips this field. */
export function withSalt<T extends object>(value: T, action: Uint8Array): T & { nctSaltSyncAction?: { salt: Uint8Array } } {
  const inside = bytesField(action, VALUE)
  const said = inside && bytesField(inside, ACTION)
  const salt = said && bytesField(said, SALT)
  // This is a copy, because a view would keep the whole patch in memory.
  return salt?.length ? Object.assign(value, { nctSaltSyncAction: { salt: Uint8Array.from(salt) } }) : value
}

/** Null if the phone has removed the salt; undefined if the action is about something else. */
export function saltIn({ index, value }: AppStateAction): Uint8Array | null | undefined {
  if (index.length !== 1 || index[0] !== 'nct_salt_sync') return undefined
  const { nctSaltSyncAction: action } = (value ?? {}) as { nctSaltSyncAction?: { salt: Uint8Array } }
  return action?.salt ?? null
}
