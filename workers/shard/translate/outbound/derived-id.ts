/**
 * Derives further ids from the message id. An item that is sent again must have the same ids, because its first attempt
 * may have arrived.
 */
import { createHash } from 'node:crypto'

const DIGITS = '0123456789'
const DIGITS_AND_CAPITALS = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`

function derived(messageId: string, purpose: string, alphabet: string, length: number): string {
  const bytes = createHash('sha512').update(`${purpose} of ${messageId}`).digest().subarray(0, length)
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('')
}

/** Returns 11 characters of `[0-9A-Z]`, the format of reference ids. */
export const derivedReference = (messageId: string, purpose: string) => derived(messageId, purpose, DIGITS_AND_CAPITALS, 11)

/** Returns 15 digits, the format of order ids. */
export const derivedOrderId = (messageId: string) => derived(messageId, 'order', DIGITS, 15)
