/**
 * Handles retry receipts, which a device sends if it could not decrypt a message of ours. The library's own handler is not used, because of several
 * faults. It sends the message without the nodes, the attributes and the `mediatype` of the first send. It encrypts the message twice, and queries
 * keys each time. If a phone asks, it sends to everybody in the chat, and for a status to nobody. It does not check the chat of the id. `resend.ts`
 * sends our answer.
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
  /** Group or status; null for a 1:1 chat, where the other person is `asker`, unless `asker` is a device of the account itself. */
  shared: string | null
  /** Chat of the message, if the asker is one of our own devices. The value is ignored from other devices. */
  recipient: string | null
  /** Number of this request, starting at 1. */
  count: number
  receipt: BinaryNode
}

/**
 * The most retry receipts that wait, about 1 kB each. If the sender key of a group of a thousand members is broken, all of them ask at once. More
 * receipts than this limit do not occur by accident.
 */
export const MAX_RETRY_RECEIPTS = 5_000

export interface RetryReceiptDeps {
  resend(request: RetryRequest): Promise<void>
  /** Resolves when the message is no longer being sent; undefined if it is not being sent. */
  settled(messageId: string): Promise<void> | undefined
  log: Pick<Logger, 'warn'>
}

/**
 * Answers a retry receipt, one at a time. The receipt is confirmed after any result, because otherwise it would arrive again at every login. It
 * rejects only if the disk is full: then the receipt must arrive again, because the device does not ask a second time.
 */
export const answerRetryReceipt =
  ({ resend, settled, log }: RetryReceiptDeps) =>
  async (receipt: BinaryNode): Promise<void> => {
    try {
      // If the message were sent again during its first send, the acks of the two sends could be confused.
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
