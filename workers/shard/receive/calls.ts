/** Reports calls: one event per call, when it ends unanswered or was rejected by us. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op } from '../../../src/storage/contract.ts'
import type { Session } from '../chats/session.ts'
import type { Context } from '../context/instance-context.ts'
import { type Mark, messageMark } from '../messages/seen-marks.ts'
import { notification, type Translated } from '../translate/inbound/family.ts'
import type { ReadableMessage } from '../translate/inbound/message.ts'
import { idOrEmpty } from '../wire/bounds.ts'
import { callIn } from '../wire/call.ts'
import { callRejection } from '../wire/call-rejection.ts'
import { identifierOf } from '../wire/jid.ts'
import { type Call, callOf, createRingingCalls } from './ringing-calls.ts'

export interface CallDeps {
  settings(): InstanceSettings
  translated(readable: ReadableMessage, translated: Translated): Promise<ReceivedEvent | null>
  once(mark: Mark, make: () => Promise<readonly ReceivedEvent[]>, ops?: Op[]): Promise<void>
  /** Queues the text that follows a rejected call, once per key, and limited per caller. */
  enqueue(caller: Pick<Call, 'from' | 'alt'>, text: string, key: string): Promise<void>
}

export interface Calls {
  load(): Promise<void>
  /** Handles a stanza. Undefined for one that neither begins nor ends a call. */
  take(node: BinaryNode, session: Session): Promise<void> | undefined
  /**
   * Rejects calls again after a login, if their rejection had no answer when the connection or the service ended. The
   * network sends no end of a call whose rejection it has accepted, so nothing else would report them.
   */
  resume(session: Session): void
  /** Called after the device was unlinked and its session has ended: the ends of its calls will not arrive. */
  forget(): Promise<void>
}

/** Reasons for the end of a call that somebody answered, here or on another device. */
const ANSWERED = new Set(['accepted_elsewhere', 'rejected_elsewhere', 'accepted', 'rejected'])
const MAX_OVER = 1_000

export function createCalls(
  context: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>,
  { settings, translated, once, enqueue }: CallDeps,
): Calls {
  const { clock, log } = context
  const ringing = createRingingCalls(context)
  /** Calls that have ended or were rejected, newest last: a repeated offer does not ring and is not answered with a text again. */
  const over = new Set<string>()
  /** Calls whose rejection the network has accepted, until their event is on disk. */
  const rejected = new Set<string>()

  function isOver(id: string) {
    over.add(id)
    for (const oldest of over) {
      if (over.size <= MAX_OVER) break
      over.delete(oldest)
    }
  }

  async function offered(offer: Call, isOld: boolean, session: Session) {
    const isRejecting = ringing.get(offer.id)?.isRejecting ?? (settings().call_reject_auto && !isOld)
    const call: Call = isRejecting ? { ...offer, isRejecting: true } : offer
    await ringing.put(call)
    if (!isRejecting) return
    isOver(call.id)
    rejectLater(call, session, () => true)
  }

  /**
   * Rejects a call without a caller that waits: the network's answer does not depend on this stanza, but a rejection
   * can take long.
   */
  function rejectLater(call: Call, session: Session, isOurs: () => boolean) {
    void reject(call, session, isOurs).catch((error: unknown) => log.warn({ err: error }, 'a call could not be rejected'))
  }

  /** Rejects a call. `isOurs` is called after the network has answered. */
  async function reject(call: Call, session: Session, isOurs: () => boolean) {
    await session.ask(callRejection(session.me?.id ?? '', call.from, call.id))
    if (!isOurs()) return
    rejected.add(call.id)
    await ended(call)
  }

  async function ended(call: Call) {
    const autoRejected = rejected.has(call.id)
    // This runs before the commit of the event, which removes the call: a crash in between loses neither, and the key
    // makes the text be queued once.
    if (autoRejected) await answer(call)
    const mark = messageMark({ id: call.id, chat: call.from, author: 'call' })
    const make = async () => [await translated(...missedCall(call, autoRejected))].filter((event) => event !== null)
    await once(mark, make, [ringing.removal(call.id)])
    // The call is removed only now: if the commit fails, the end of the call arrives again and must find it.
    ringing.gone(call.id)
    rejected.delete(call.id)
    isOver(call.id)
  }

  async function answer({ id, from, alt }: Call) {
    const { call_reject_message: text } = settings()
    if (text === null) return
    try {
      // Keys of clients come in a header, which cannot have a line break, so this key is never one of them.
      await enqueue({ from, alt }, text, `call\n${from}\n${id}`)
    } catch (error) {
      // A queue that is full, or closed while disconnected, is not a failure of the call.
      log.warn({ err: error }, 'the reply to a rejected call could not be queued')
    }
  }

  function taken(id: string) {
    isOver(id)
    return ringing.remove(id)
  }

  return {
    load: ringing.load,
    take(node, session) {
      const stanza = callIn(node)
      if (!stanza) return undefined
      const { kind, id, reason, isOffline } = stanza
      const known = ringing.get(id)
      switch (kind) {
        case 'offer':
        case 'offer_notice':
          return over.has(id) ? undefined : offered(callOf(stanza, clock.now()), isOffline, session)
        case 'accept':
        case 'reject':
          return taken(id)
        case 'terminate':
          if (ANSWERED.has(reason ?? '')) return taken(id)
          // An end without its offer is an unknown call, unless the network reports that nobody answered.
          if (!known && reason !== 'timeout') return undefined
          return ended(known ?? callOf(stanza, clock.now()))
        default:
          return undefined
      }
    },
    resume(session) {
      // Messages that arrived while the instance was offline may show that somebody answered it on another device.
      for (const call of ringing.all()) if (call.isRejecting) rejectLater(call, session, () => ringing.get(call.id) !== undefined)
    },
    forget: ringing.forget,
  }
}

/** Arguments of `translated`: the key of the event, and its content. */
const missedCall = ({ id, from, alt, group, isVideo, timestamp }: Call, autoRejected: boolean) =>
  [
    {
      key: {
        ...(group ? { remoteJid: group, participant: from, participantAlt: alt } : { remoteJid: from, remoteJidAlt: alt }),
        id,
        fromMe: false,
      } as ReadableMessage['key'],
      messageTimestamp: timestamp,
    },
    notification({
      notification: `call_missed_${group ? 'group_' : ''}${isVideo ? 'video' : 'voice'}`,
      call: {
        call_id: idOrEmpty(id),
        is_video: isVideo,
        is_group: group !== null,
        group_id: group === null ? null : identifierOf(group),
        auto_rejected: autoRejected,
      },
    }),
  ] as const
