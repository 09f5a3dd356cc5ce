/**
 * Parses `<receipt type="retry" id from participant? recipient?><retry count id t?
 * error?/><registration/><keys/>?</receipt>`: a device could not decrypt a message of this account.
 */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { getBinaryNodeChildUInt } from '@whiskeysockets/baileys/lib/WABinary/index.js'

export interface RetryReceipt {
  /** Id of the message. This field and the next two are empty if the attribute is absent. */
  id: string
  from: string
  participant: string
  recipient: string | null
  /** Number of this request, starting at 1; null if the receipt requests nothing. */
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

export const registrationIn = (receipt: BinaryNode): number | undefined =>
  getBinaryNodeChildUInt(receipt, 'registration', REGISTRATION_BYTES)
