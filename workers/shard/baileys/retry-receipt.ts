/**
 * Who hears of a retry receipt. The library answers one by relaying the bare message (Socket/messages-recv.js, sendMessagesAgain): without
 * the nodes and attributes it was sent with, without `mediatype`, sealed twice; to everybody when a phone asks, which for a status is
 * nobody; for any chat that names an id, and each time with a query for keys. So these receipts are taken away from it: `resend.ts` answers
 * them, one after the other.
 */
import { type BinaryNode, isJidGroup, isJidStatusBroadcast, type WASocket } from '@whiskeysockets/baileys'
import { buildAckStanza } from '@whiskeysockets/baileys/lib/Utils/stanza-ack.js'
import { getBinaryNodeChild } from '@whiskeysockets/baileys/lib/WABinary/index.js'
import { asError } from './rejections.ts'
import { escalateTrap } from './trap.ts'

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

/** A group of a thousand whose sender key went wrong asks at once; more than this in line is no accident. About 1 kB each. */
const MAX_IN_LINE = 5_000

export interface RetryAnswers {
  answer(request: RetryRequest): Promise<void>
  onError(error: Error, receipt: BinaryNode): void
}

type RetrySocket = Pick<WASocket, 'ws' | 'sendNode'>

/** At once after the socket was made, before `watchLiveness`, which counts what is sent on behalf of a stanza. */
export function takeRetryReceipts({ ws, sendNode }: RetrySocket, { answer, onError }: RetryAnswers): void {
  const listeners = ws.listeners('CB:receipt')
  ws.removeAllListeners('CB:receipt')
  let line: Promise<void> = Promise.resolve()
  let inLine = 0

  /** Confirmed when it is answered, whatever came of it: until then the network keeps it. */
  async function take(receipt: BinaryNode) {
    // What an ended connection left in line comes again on the next.
    if (!ws.isOpen) return
    try {
      const request = requestOf(receipt)
      if (request) await answer(request)
    } catch (thrown) {
      escalateTrap(thrown)
      onError(asError(thrown), receipt)
    }
    if (ws.isOpen) await sendNode(buildAckStanza(receipt))
  }

  ws.on('CB:receipt', (node: BinaryNode) => {
    if (node.attrs.type !== 'retry') {
      for (const listener of listeners) Reflect.apply(listener, ws, [node])
      return
    }
    if (inLine >= MAX_IN_LINE) {
      onError(new Error('too many retry receipts at a time'), node)
      sendNode(buildAckStanza(node)).catch((error) => onError(asError(error), node))
      return
    }
    inLine++
    line = line
      .then(() => take(node))
      .catch((error) => onError(asError(error), node))
      .finally(() => inLine--)
  })
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
