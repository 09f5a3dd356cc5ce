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
  /**
   * Queues the text after a rejected call. A text with the same key is queued only once, and there is a limit per
   * caller.
   */
  enqueue(caller: Pick<Call, 'from' | 'alt'>, text: string, key: string): Promise<void>
}

export interface Calls {
  load(): Promise<void>
  take(node: BinaryNode, session: Session): Promise<void> | undefined
  /**
   * Rejects again the calls whose rejection the network did not confirm. Must be called after each login, because the
   * network does not send the end of a rejected call.
   */
  resume(session: Session): void
  /** Drops all calls. Called after the device was unlinked, because the stanzas that end its calls will not arrive. */
  forget(): Promise<void>
}

const ANSWERED = new Set(['accepted_elsewhere', 'rejected_elsewhere', 'accepted', 'rejected'])
const MAX_OVER = 1_000

export function createCalls(
  context: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>,
  { settings, translated, once, enqueue }: CallDeps,
): Calls {
  const { clock, log } = context
  const ringing = createRingingCalls(context)
  /**
   * Ids of calls that have ended or were rejected, newest last. An offer of one of these calls is ignored, so that the
   * caller gets no second text.
   */
  const over = new Set<string>()
  /** Ids of calls whose rejection the network has accepted and whose event is not on disk yet. */
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

  function rejectLater(call: Call, session: Session, isOurs: () => boolean) {
    void reject(call, session, isOurs).catch((error: unknown) => log.warn({ err: error }, 'a call could not be rejected'))
  }

  async function reject(call: Call, session: Session, isOurs: () => boolean) {
    await session.ask(callRejection(session.me?.id ?? '', call.from, call.id))
    if (!isOurs()) return
    rejected.add(call.id)
    await ended(call)
  }

  async function ended(call: Call) {
    const autoRejected = rejected.has(call.id)
    // The text is queued before the commit that removes the call. A crash between the two repeats both, and the
    // idempotency key of the text prevents a second text.
    if (autoRejected) await answer(call)
    const mark = messageMark({ id: call.id, chat: call.from, author: 'call' })
    const make = async () => [await translated(...missedCall(call, autoRejected))].filter((event) => event !== null)
    await once(mark, make, [ringing.removal(call.id)])
    // The call is dropped only after the commit. If the commit fails, the call stays stored, so that `ended` can run
    // again.
    ringing.gone(call.id)
    rejected.delete(call.id)
    isOver(call.id)
  }

  async function answer({ id, from, alt }: Call) {
    const { call_reject_message: text } = settings()
    if (text === null) return
    try {
      // The line breaks make this idempotency key unique to the service: API callers send theirs in an HTTP header,
      // which cannot contain a line break.
      await enqueue({ from, alt }, text, `call\n${from}\n${id}`)
    } catch (error) {
      // The call is handled even if the text cannot be queued: the queue may be full, or closed while the instance is
      // disconnected.
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
          // The offer of this call did not arrive, so the call is only reported if the network says that nobody
          // answered it.
          if (!known && reason !== 'timeout') return undefined
          return ended(known ?? callOf(stanza, clock.now()))
        default:
          return undefined
      }
    },
    resume(session) {
      // Before the network answers the rejection, the backlog may show that the call was answered on another device.
      // Such a call is not reported as rejected.
      for (const call of ringing.all()) if (call.isRejecting) rejectLater(call, session, () => ringing.get(call.id) !== undefined)
    },
    forget: ringing.forget,
  }
}

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
