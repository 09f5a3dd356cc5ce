/**
 * Creates the token of a message to a person who gave the account no trusted-contact token: HMAC-SHA256 of the person's LID, without a device part,
 * with a salt that the account has from its phone. It proves to the network that a client of the account opens the chat. A message without one of the
 * two tokens can be refused with 463. (The libraries whatsmeow and whatsapp-rust, and pull request 2438 of Baileys, use the LID of the person; zapo
 * uses the LID of the account.)
 */
import { createHmac } from 'node:crypto'
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import type { AppStateAction } from './app-state-actions.ts'
import { bytesField } from './protobuf.ts'

/** `<cstoken>bytes</cstoken>`, a child of the message. */
export const chatToken = (salt: Uint8Array, lid: string): BinaryNode => ({
  tag: 'cstoken',
  attrs: {},
  content: createHmac('sha256', salt).update(lid).digest(),
})

/**
 * `<iq xmlns="privacy" type="set"><tokens><token jid t type="trusted_contact"/></tokens></iq>` gives the account's token to a contact. `seconds`:
 * time in epoch seconds.
 */
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

/** Numbers of fields in `SyncActionData`, `SyncActionValue` and `NctSaltSyncAction`. The library (rc14) has definitions of only the first. */
const [VALUE, ACTION, SALT] = [2, 80, 1]

/** Reads the salt from the bytes of an action, and adds it to the decoded value, because the library's decoder skips it. */
export function withSalt<T extends object>(value: T, action: Uint8Array): T & { nctSaltSyncAction?: { salt: Uint8Array } } {
  const inside = bytesField(action, VALUE)
  const said = inside && bytesField(inside, ACTION)
  const salt = said && bytesField(said, SALT)
  // This is a copy, because a view would keep the whole patch in memory.
  return salt?.length ? Object.assign(value, { nctSaltSyncAction: { salt: Uint8Array.from(salt) } }) : value
}

/**
 * Returns the salt in an app state action `["nct_salt_sync"]` with `nctSaltSyncAction { salt }`. Null if the phone has removed the salt; undefined if
 * the action is about something else.
 */
export function saltIn({ index, value }: AppStateAction): Uint8Array | null | undefined {
  if (index.length !== 1 || index[0] !== 'nct_salt_sync') return undefined
  const { nctSaltSyncAction: action } = (value ?? {}) as { nctSaltSyncAction?: { salt: Uint8Array } }
  return action?.salt ?? null
}
