/**
 * The identity key of the account's own phone. It signed the pairing, so it is known before the first message. A phone
 * gets another key only if it is set up again, and that unlinks all devices.
 */
import { type AuthenticationCreds, generateSignalPubKey } from '@whiskeysockets/baileys'
import { bare } from '../../../wire/jid.ts'
import { type Address, literalAddress } from './address-book.ts'

const PHONE = 0

/**
 * Returns the key of 33 bytes, with its type byte, that the device at this address must have. Undefined if every key is
 * accepted.
 */
export function requiredIdentity({ me, account }: AuthenticationCreds, { name, device }: Address): Uint8Array | undefined {
  const key = account?.accountSignatureKey
  if (device !== PHONE || !key?.length) return undefined
  const isOwn = [me?.id, me?.lid].some((jid) => jid !== undefined && literalAddress(bare(jid)).name === name)
  return isOwn ? generateSignalPubKey(key) : undefined
}
