/**
 * Handles retry receipts: a device sends one if it could not decrypt a message of the account. The library's own handler is not used, because it has
 * several faults. It omits the nodes, the attributes and the `mediatype` of the first send. It encrypts the message twice, and queries keys each
 * time. If a phone asks, it sends the message to everybody in the chat; for a status it sends it to nobody. It does not check that the message id
 * belongs to the chat. `resend.ts` sends the message again.
 */
import { type BinaryNode, isJidGroup, isJidStatusBroadcast } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { isDiskFull } from '../../../src/domain/storage-failure.ts'
import { escalateTrap } from '../baileys/thread/trap.ts'
import { idOf } from '../wire/envelope.ts'
import { retryReceiptIn } from '../wire/retry-receipt.ts'

export interface RetryRequest {
  id: string
  /** Device that could not decrypt the message. */
  asker: string
  /** The group, or the status jid. Null for a 1:1 chat: the chat is then the person `asker`, or `recipient` if `asker` is a device of the account. */
  shared: string | null
  /** Chat of the message, if `asker` is another device of the account. From other devices the value is ignored. */
  recipient: string | null
  /** Number of this request, starting at 1. */
  count: number
  receipt: BinaryNode
}

/**
 * The most retry receipts that wait, about 1 kB each. If the sender key of a group of a thousand members is broken, all members ask at the same time.
 * More receipts than this are only possible in an attack.
 */
export const MAX_RETRY_RECEIPTS = 5_000

export interface RetryReceiptDeps {
  resend(request: RetryRequest): Promise<void>
  /** Returns a promise that resolves when the sending of this message has ended; undefined if it is not being sent. */
  settled(messageId: string): Promise<void> | undefined
  log: Pick<Logger, 'warn'>
}

/**
 * Returns a function that answers retry receipts, one at a time. It resolves even if the answer fails, so that the receipt is confirmed and does not
 * arrive again at every login. It rejects only if the disk is full: then the receipt must arrive again, because the device does not ask a second
 * time.
 */
export const answerRetryReceipt =
  ({ resend, settled, log }: RetryReceiptDeps) =>
  async (receipt: BinaryNode): Promise<void> => {
    try {
      // The first send must have ended, because the acks of the two sends have the same id.
      await settled(idOf(receipt))
      const request = requestOf(receipt)
      if (request) await resend(request)
    } catch (error) {
      escalateTrap(error)
      if (isDiskFull(error)) throw error
      log.warn(
        { err: error, message_id: idOf(receipt) },
        'a request to send a message again (retry receipt) could not be answered',
      )
    }
  }

/** Reads the request; undefined if the receipt is malformed. */
export function requestOf(receipt: BinaryNode): RetryRequest | undefined {
  const { id, from, participant, recipient, count } = retryReceiptIn(receipt)
  const isShared = isJidGroup(from) || isJidStatusBroadcast(from)
  const asker = isShared ? participant : from
  if (!id || !from || !asker || count === null) return undefined
  return { id, asker, shared: isShared ? from : null, recipient, count, receipt }
}
