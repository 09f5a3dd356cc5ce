/**
 * The library answers a retry receipt by relaying the bare message (Socket/messages-recv.js, sendMessagesAgain): without the nodes and
 * attributes it was sent with, without `mediatype`, sealed twice; to everybody when a phone asks, which for a status is nobody; for any
 * chat that names an id, and each time with a query for keys. So these receipts are taken away from it: `resend.ts` answers them, one
 * after the other. What the library does to the session before it answers is done here, as it does it.
 */
import {
  type BinaryNode,
  extractE2ESessionFromRetryReceipt,
  isJidGroup,
  isJidStatusBroadcast,
  type WASocket,
} from '@whiskeysockets/baileys'
import { buildAckStanza } from '@whiskeysockets/baileys/lib/Utils/stanza-ack.js'
import { getBinaryNodeChild, getBinaryNodeChildUInt } from '@whiskeysockets/baileys/lib/WABinary/index.js'
import type { Logger } from 'pino'
import { SECOND } from '../../../src/domain/clock.ts'
import { withDeadline } from './query.ts'
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

/** At this retry the session is remembered, at later ones it must be another. As the library. */
const BASE_KEY_CHECK_RETRY = 2
const KEYS_DEADLINE = 20 * SECOND
/** Bytes of a registration id. */
const REGISTRATION_BYTES = 4

type SessionSocket = Pick<WASocket, 'signalRepository' | 'messageRetryManager' | 'assertSessions'>

/** A session the asking device can read: from the keys in the receipt, else from the network, unless `mayFetch` then says no. */
export async function renewSession(
  { signalRepository: repository, messageRetryManager: manager, assertSessions }: SessionSocket,
  { id, asker, count, receipt }: RetryRequest,
  { mayFetch, log }: { mayFetch(): boolean; log: Pick<Logger, 'warn'> },
): Promise<void> {
  const remove = () => repository.deleteSession([asker])

  async function inject(): Promise<boolean> {
    const session = extractE2ESessionFromRetryReceipt(receipt)
    if (!session) return false
    try {
      await repository.injectE2ESession({ jid: asker, session })
      return true
    } catch (error) {
      escalateTrap(error)
      log.warn({ err: error, message_id: id }, 'the keys in a retry receipt are of no use')
      return false
    }
  }

  const isFresh = await inject()
  const before = await repository.getSessionInfo(asker)
  const registration = getBinaryNodeChildUInt(receipt, 'registration', REGISTRATION_BYTES)
  const isOther = registration !== undefined && before && before.registrationId !== 0 && before.registrationId !== registration
  if (!isFresh && isOther) await remove()
  if (manager && before) {
    const address = repository.jidToSignalProtocolAddress(asker)
    if (count === BASE_KEY_CHECK_RETRY) manager.saveBaseKey(address, id, before.baseKey)
    if (count > BASE_KEY_CHECK_RETRY) {
      if (manager.hasSameBaseKey(address, id, before.baseKey)) await remove()
      manager.deleteBaseKey(address, id)
    }
  }
  if (isFresh || !mayFetch()) return
  const { exists } = await repository.validateSession(asker)
  if (count > 1 && manager?.shouldRecreateSession(asker, exists).recreate) await remove()
  await withDeadline(KEYS_DEADLINE, () => assertSessions([asker], true))
}
