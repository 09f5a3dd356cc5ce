/**
 * `<receipt type="retry" id from participant? recipient?><retry count id t? error?/><registration/><keys/>?</receipt>`: somebody could not read a
 * message of ours. Pure; what we ask for in this way is `retry-request.ts`.
 */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { getBinaryNodeChildUInt } from '@whiskeysockets/baileys/lib/WABinary/index.js'

export interface RetryReceipt {
  /** Empty: absent, as the two below. */
  id: string
  from: string
  participant: string
  recipient: string | null
  /** Number of this request, from 1; null: it asks for nothing. */
  count: number | null
}

export function retryReceiptIn(receipt: BinaryNode): RetryReceipt {
  const { id = '', from = '', participant = '', recipient = null } = receipt.attrs
  const retry = getBinaryNodeChild(receipt, 'retry')
  const count = Number(retry?.attrs.count)
  const isNumber = Number.isSafeInteger(count) && count > 0
  return { id, from, participant, recipient, count: retry ? (isNumber ? count : 1) : null }
}

const REGISTRATION_BYTES = 4

/** Of the device that asks; undefined: absent. */
export const registrationIn = (receipt: BinaryNode): number | undefined =>
  getBinaryNodeChildUInt(receipt, 'registration', REGISTRATION_BYTES)
