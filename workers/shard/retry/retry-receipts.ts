/**
 * Retry receipts: somebody could not read a message of ours. The library answers one by relaying the bare message: without the nodes and
 * attributes it was sent with, without `mediatype`, sealed twice; to everybody when a phone asks, which for a status is nobody; for any chat
 * that names an id, and each time with a query for keys. Ours is `resend.ts`.
 */
import { type BinaryNode, isJidGroup, isJidStatusBroadcast } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { isDiskFull } from '../../../src/domain/storage-failure.ts'
import { escalateTrap } from '../baileys/thread/trap.ts'
import { idOf } from '../wire/envelope.ts'
import { retryReceiptIn } from '../wire/retry-receipt.ts'

export interface RetryRequest {
  id: string
  /** The device that could not read the message. */
  asker: string
  /** Group or status; null: a chat of two, whose other side is `asker`, unless it is a device of the account itself. */
  shared: string | null
  /** The chat, when the asker is one: not trusted from anybody else. */
  recipient: string | null
  /** Number of this request, from 1. */
  count: number
  receipt: BinaryNode
}

/** A group of a thousand whose sender key went wrong asks at once; more than this at a time is no accident. About 1 kB each. */
export const MAX_RETRY_RECEIPTS = 5_000

export interface RetryReceiptDeps {
  resend(request: RetryRequest): Promise<void>
  /** Resolves when the message is not being sent any more; undefined where it is not. */
  settled(messageId: string): Promise<void> | undefined
  log: Pick<Logger, 'warn'>
}

/**
 * Runs in its turn. The receipt is confirmed afterwards, whatever the result, or it would come again at every login; only where the disk is full
 * it rejects: nobody asks a second time for a message that waits.
 */
export const answerRetryReceipt =
  ({ resend, settled, log }: RetryReceiptDeps) =>
  async (receipt: BinaryNode): Promise<void> => {
    try {
      // Sent again while it is still being sent, the ack of the one could be taken for that of the other.
      await settled(idOf(receipt))
      const request = requestOf(receipt)
      if (request) await resend(request)
    } catch (error) {
      escalateTrap(error)
      if (isDiskFull(error)) throw error
      log.warn({ err: error, message_id: idOf(receipt) }, 'a retry receipt could not be answered')
    }
  }

/** Undefined for one that is malformed. */
export function requestOf(receipt: BinaryNode): RetryRequest | undefined {
  const { id, from, participant, recipient, count } = retryReceiptIn(receipt)
  const isShared = isJidGroup(from) || isJidStatusBroadcast(from)
  const asker = isShared ? participant : from
  if (!id || !from || !asker || count === null) return undefined
  return { id, asker, shared: isShared ? from : null, recipient, count, receipt }
}
