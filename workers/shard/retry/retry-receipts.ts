/**
 * Retry receipts: a device could not decrypt a message of ours. The library answers by relaying the bare message: without the nodes and attributes of
 * the first send, without `mediatype`, encrypted twice; to everybody when a phone asks, which for a status is nobody; for any chat that names an id,
 * and each time with a query for keys. Our answer is in `resend.ts`.
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
  /** Group or status; null for a 1:1 chat, whose other side is `asker` unless that is a device of the account itself. */
  shared: string | null
  /** The chat, if the asker is one of our own devices; not trusted from others. */
  recipient: string | null
  /** Number of this request, starting at 1. */
  count: number
  receipt: BinaryNode
}

/**
 * The most retry receipts that wait, about 1 kB each. A group of a thousand members whose sender key is broken asks at
 * once; more than this number at a time is no accident.
 */
export const MAX_RETRY_RECEIPTS = 5_000

export interface RetryReceiptDeps {
  resend(request: RetryRequest): Promise<void>
  /** Resolves when the message is no longer being sent; undefined if it is not. */
  settled(messageId: string): Promise<void> | undefined
  log: Pick<Logger, 'warn'>
}

/**
 * Answers a retry receipt, one at a time. The receipt is confirmed afterwards whatever the result, because it would
 * otherwise arrive again at every login. It rejects only if the disk is full, because nobody asks a second time for a
 * waiting message.
 */
export const answerRetryReceipt =
  ({ resend, settled, log }: RetryReceiptDeps) =>
  async (receipt: BinaryNode): Promise<void> => {
    try {
      // If the message were sent again during its first send, the ack of one could be mistaken for that of the other.
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
