/**
 * Handles retry receipts: a device sends one if it could not decrypt a message of the account. The library's own
 * handler is not used. It omits some parts of the original message, may resend it to everybody in the chat, and does
 * not check that the id belongs to the chat.
 */
import { type BinaryNode, isJidGroup, isJidStatusBroadcast } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { isDiskFull } from '../../../src/domain/storage-failure.ts'
import { escalateTrap } from '../baileys/thread/trap.ts'
import { idOf } from '../wire/envelope.ts'
import { retryReceiptIn } from '../wire/retry-receipt.ts'

export interface RetryRequest {
  id: string
  asker: string
  /** The group, or the status jid; null for a 1:1 chat. */
  shared: string | null
  /** Chat of the message, if `asker` is another device of the account. Otherwise this value is ignored. */
  recipient: string | null
  count: number
  receipt: BinaryNode
}

/**
 * Maximum number of retry receipts of a connection that wait, about 1 kB each. If the sender key of a group is broken,
 * its thousand members ask at the same time.
 */
export const MAX_RETRY_RECEIPTS = 5_000

export interface RetryReceiptDeps {
  resend(request: RetryRequest): Promise<void>
  settled(messageId: string): Promise<void> | undefined
  log: Pick<Logger, 'warn'>
}

/**
 * Answers a retry receipt. Resolves even if the answer fails, so that the receipt does not arrive again at every login.
 * Rejects only if the disk is full, because the device may not ask a second time.
 */
export const answerRetryReceipt =
  ({ resend, settled, log }: RetryReceiptDeps) =>
  async (receipt: BinaryNode): Promise<void> => {
    try {
      // The ack of a resend has the same id as the ack of the first send, so the first send must have ended.
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

export function requestOf(receipt: BinaryNode): RetryRequest | undefined {
  const { id, from, participant, recipient, count } = retryReceiptIn(receipt)
  const isShared = isJidGroup(from) || isJidStatusBroadcast(from)
  const asker = isShared ? participant : from
  if (!id || !from || !asker || count === null) return undefined
  return { id, asker, shared: isShared ? from : null, recipient, count, receipt }
}
