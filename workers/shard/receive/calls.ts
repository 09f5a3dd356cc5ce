/** Reports calls: one event per call, when it ends unanswered or when this service rejected it. */
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
  /** Queues the text that follows a rejected call. A key is queued only once, and there is a limit per caller. */
  enqueue(caller: Pick<Call, 'from' | 'alt'>, text: string, key: string): Promise<void>
}

export interface Calls {
  load(): Promise<void>
  /** Handles a stanza. Returns undefined if the stanza neither begins nor ends a call. */
  take(node: BinaryNode, session: Session): Promise<void> | undefined
  /**
   * Rejects calls again after a login, if their rejection had no answer when the connection or the service ended. If the network had accepted such a
   * rejection, it sends no end of the call, so the call would never be reported.
   */
  resume(session: Session): void
  /** Called after the device was unlinked and its session has ended: the ends of its calls will not arrive. */
  forget(): Promise<void>
}

/** Reasons for the end of a call that was accepted or rejected on a device of the account. Such a call is not reported. */
const ANSWERED = new Set(['accepted_elsewhere', 'rejected_elsewhere', 'accepted', 'rejected'])
const MAX_OVER = 1_000

export function createCalls(
  context: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>,
  { settings, translated, once, enqueue }: CallDeps,
): Calls {
  const { clock, log } = context
  const ringing = createRingingCalls(context)
  /**
   * Calls that have ended or were rejected, newest last. An offer that arrives again for such a call is ignored, so that it is not answered with a
   * second text.
   */
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

  /** Rejects a call in the background. The answer to the stanza does not depend on the rejection, which can take long. */
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
    // This runs before the commit of the event, which removes the call: after a crash between the two, both are repeated, and because of its key the
    // text is queued only once.
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
      // The keys of clients come from an HTTP header, which cannot contain a line break, so no client can have the same key.
      await enqueue({ from, alt }, text, `call\n${from}\n${id}`)
    } catch (error) {
      // If the queue is full, or closed while disconnected, the handling of the call does not fail.
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
          // If the offer of an ended call is not known, the call is not reported, unless the network says that nobody answered it.
          if (!known && reason !== 'timeout') return undefined
          return ended(known ?? callOf(stanza, clock.now()))
        default:
          return undefined
      }
    },
    resume(session) {
      // Stanzas that arrived while the instance was offline may show that the call was answered on another device. It
      // is then no longer ringing.
      for (const call of ringing.all()) if (call.isRejecting) rejectLater(call, session, () => ringing.get(call.id) !== undefined)
    },
    forget: ringing.forget,
  }
}

/** Returns the arguments of `translated` for a call: the key of its event, and the content of the event. */
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
