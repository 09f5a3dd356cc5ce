import { type BinaryNode, proto, type WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import type { AskPhone } from '../connection/relay/ask-phone.ts'
import { pause } from '../connection/within.ts'
import { nextOneTimeKeys } from '../keys/next-one-time-keys.ts'
import type { SignalProblem } from '../keys/signal/errors.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { envelopeOf } from '../wire/envelope.ts'
import { bare } from '../wire/jid.ts'
import { retryRequest } from '../wire/retry-request.ts'
import { bounded } from './bounded.ts'

/**
 * Maximum number of requests to the sender of one message on one connection, as in the library. The count begins again
 * 15 minutes after the last request.
 */
const MAX_REQUESTS = 5
const MAX_COUNTED = 10_000
const COUNTED_FOR = 15 * MINUTE
/** Number of the first request that contains keys for a new session. An intact session does not need them. */
const KEYS_FROM = 2
/** Number of requests that can be sent to one sender immediately. Later requests are sent at the interval `PAUSE`. */
const BURST = 20
const PAUSE = SECOND / 10
const LONGEST_WAIT = MINUTE
const MAX_SENDERS = 5_000
/** Time in ms that a sender has to send the message again, before the phone is asked. */
const SENDER_TIME = 3 * SECOND
const PHONE_REQUESTS = 2
const PHONE_BATCH = 20
const PHONE_PAUSE = SECOND
/** Time in ms after which the phone is asked for a message that arrived without content. Only the phone can send it. */
const ABSENT_TIME = 2 * SECOND
const MAX_FOR_PHONE = 1_000

/** The codes by which a retry request tells the sender why the message could not be decrypted. */
const ERRORS: Readonly<Record<SignalProblem, number>> = {
  no_session: 1,
  no_sender_key: 1,
  no_pre_key: 3,
  not_the_phone: 4,
  unreadable: 4,
  duplicate: 0,
}

export interface AskAgainDeps {
  sock: Pick<NetworkSocket, 'authState' | 'ev' | 'sendNode'>
  askPhone: AskPhone
  saved(): Promise<void>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
  isMissing(key: WAMessageKey): boolean
  ended: AbortSignal
}

export interface AskAgain {
  /**
   * Requests a message again from its sender. Resolves when the retry request is sent, or when it is decided that it is
   * not sent.
   */
  sender(node: BinaryNode, key: WAMessageKey | null, problem: SignalProblem | undefined): Promise<void>
  phone(key: WAMessageKey): void
}

export function createAskAgain({ sock, askPhone: ask, saved, clock, log, isMissing, ended }: AskAgainDeps): AskAgain {
  const { authState } = sock
  const counts = bounded<number>(MAX_COUNTED, COUNTED_FOR, clock.now)
  /**
   * Time for which the newest request to each sender is scheduled, with one request per `PAUSE`. The schedule begins in
   * the past, so that the first requests (`BURST`) are sent immediately.
   */
  const nextAt = bounded<number>(MAX_SENDERS, 2 * LONGEST_WAIT, clock.now)
  const forPhone: { key: WAMessageKey; at: number }[] = []
  let isAsking = false

  /** Returns the wait of a request in ms; null if too many requests are waiting. */
  function place(sender: string): number | null {
    const now = clock.now()
    const before = nextAt.get(sender) ?? 0
    const at = Math.max(before, now - BURST * PAUSE) + PAUSE
    if (at - now > LONGEST_WAIT) return null
    nextAt.set(sender, at)
    return Math.max(0, at - now)
  }

  async function nextPreKey() {
    const key = await authState.keys.transaction(async () => {
      const { keys, update } = await nextOneTimeKeys(authState, 1)
      sock.ev.emit('creds.update', update)
      return keys[0]!
    }, authState.creds.me!.id)
    await saved()
    return key
  }

  async function askSender(node: BinaryNode, problem: SignalProblem | undefined): Promise<number | undefined> {
    const { id, from, participant } = envelopeOf(node)
    const message = `${from} ${participant} ${id}`
    const count = (counts.get(message) ?? 0) + 1
    if (count > MAX_REQUESTS) return undefined
    const wait = place(bare(participant || from))
    if (wait === null) {
      log.info({ message_id: id }, 'a message is not requested again, because too many requests to its sender are waiting')
      return undefined
    }
    counts.set(message, count)
    if (wait > 0) await pause({ ended }, wait)
    const error = problem === undefined ? 0 : ERRORS[problem]
    const preKey = count >= KEYS_FROM ? { preKey: await nextPreKey() } : {}
    await sock.sendNode(retryRequest(node, authState.creds, { count, error, ...preKey }))
    log.info({ message_id: id, count }, 'a message was requested again from its sender')
    return count
  }

  function askPhone(key: WAMessageKey, afterMs: number) {
    if (forPhone.length >= MAX_FOR_PHONE) return
    forPhone.push({ key, at: clock.now() + afterMs })
    if (isAsking) return
    isAsking = true
    workOff()
      .catch((error) => {
        if (!ended.aborted) log.warn({ err: error }, 'messages that could not be decrypted could not be requested from the phone')
      })
      .finally(() => {
        isAsking = false
      })
  }

  async function workOff() {
    while (forPhone.length > 0) {
      forPhone.sort((a, b) => a.at - b.at)
      const wait = forPhone[0]!.at - clock.now()
      if (wait > 0) await pause({ ended }, wait)
      const later = forPhone.findIndex(({ at }, index) => index > 0 && at > clock.now())
      const count = Math.min(PHONE_BATCH, later === -1 ? forPhone.length : later)
      const due = forPhone.splice(0, count).filter(({ key }) => isMissing(key))
      if (due.length === 0) continue
      await ask({
        placeholderMessageResendRequest: due.map(({ key: { remoteJid, fromMe, id, participant } }) => ({
          messageKey: { remoteJid: remoteJid!, fromMe: fromMe === true, id: id!, ...(participant ? { participant } : {}) },
        })),
        peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
      })
      await pause({ ended }, PHONE_PAUSE)
    }
  }

  return {
    async sender(node, key, problem) {
      const count = await askSender(node, problem)
      if (key && count !== undefined && count <= PHONE_REQUESTS) askPhone(key, SENDER_TIME)
    },
    phone: (key) => askPhone(key, ABSENT_TIME),
  }
}
