/**
 * Retry receipts: somebody could not read a message of ours. The library answers one by relaying the bare message: without the nodes and
 * attributes it was sent with, without `mediatype`, sealed twice; to everybody when a phone asks, which for a status is nobody; for any chat
 * that names an id, and each time with a query for keys. Ours is `resend.ts`.
 */
import { type BinaryNode, getBinaryNodeChild, isJidGroup, isJidStatusBroadcast } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { escalateTrap } from '../baileys/thread/trap.ts'

export interface RetryRequest {
  id: string
  /** The device that could not read the message. */
  asker: string
  /** Group or status; null: a chat of two, with whom `asker` says, unless it is a device of the account itself. */
  shared: string | null
  /** The chat, when it is one: believed of nobody else. */
  recipient: string | null
  /** Which time it asks, from 1. */
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

/** In its turn. Whatever comes of it: it is confirmed then, or it would come again at every login. */
export const answerRetryReceipt =
  ({ resend, settled, log }: RetryReceiptDeps) =>
  async (receipt: BinaryNode): Promise<void> => {
    try {
      // Sent again while it is still being sent, the ack of the one could be taken for that of the other.
      await settled(receipt.attrs.id ?? '')
      const request = requestOf(receipt)
      if (request) await resend(request)
    } catch (error) {
      escalateTrap(error)
      log.warn({ err: error, message_id: receipt.attrs.id }, 'a retry receipt could not be answered')
    }
  }

/** Undefined for one that is malformed. */
export function requestOf(receipt: BinaryNode): RetryRequest | undefined {
  const { id, from, participant, recipient = null } = receipt.attrs
  const retry = getBinaryNodeChild(receipt, 'retry')
  const isShared = isJidGroup(from) || isJidStatusBroadcast(from ?? '')
  const asker = isShared ? participant : from
  if (!id || !from || !asker || !retry) return undefined
  const count = Number(retry.attrs.count)
  return {
    id,
    asker,
    shared: isShared ? from : null,
    recipient,
    count: Number.isSafeInteger(count) && count > 0 ? count : 1,
    receipt,
  }
}
