/**
 * Reports calls: one event per call, when it ends unanswered or was rejected by us. An offer states the kind of call
 * and the end does not, so the offer is kept on disk until the end, and a restart while it rings loses nothing.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import { DAY, SECOND } from '../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Session } from '../chats/session.ts'
import type { Context } from '../context/instance-context.ts'
import { notification, type Translated } from '../translate/inbound/family.ts'
import type { ReadableMessage } from '../translate/inbound/message.ts'
import { idOrEmpty, secondsOf } from '../wire/bounds.ts'
import { type CallStanza, callIn } from '../wire/call.ts'
import { callRejection } from '../wire/call-rejection.ts'
import { identifierOf } from '../wire/jid.ts'
import { type Mark, messageMark } from './inbox/seen-marks.ts'

const Call = v.object({
  id: v.string(),
  /** Jid of the caller; `alt` is the caller's other jid (number or LID). */
  from: v.string(),
  alt: v.optional(v.string()),
  group: v.nullable(v.string()),
  isVideo: v.boolean(),
  /** Time in epoch seconds. */
  timestamp: v.number(),
  /** True while we are rejecting the call and the result is not on disk yet. */
  isRejecting: v.optional(v.literal(true)),
})
type Call = v.InferOutput<typeof Call>

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
  { id: instance, store, sealer, clock, log }: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>,
  { settings, translated, once, enqueue }: CallDeps,
): Calls {
  const records = repository({ name: 'ringing call', schema: Call, version: 1, sealed: sealer })
  const ringing = new Map<string, Call>()
  /** Calls that have ended or were rejected, newest last: a repeated offer does not ring and is not answered with a text again. */
  const over = new Set<string>()
  /** Calls whose rejection the network has accepted, until their event is on disk. */
  const rejected = new Set<string>()
  /** Blind, because the caller chooses the id, which may contain characters that no key may have. */
  const keyOf = (id: string) => keys.call(instance, sealer.blind(id))

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
    const old = [...ringing.values()].filter(isStale)
    ringing.set(call.id, call)
    await store.commit({ ops: [...old.map(({ id }) => records.remove(keyOf(id))), records.encode(keyOf(call.id), call)] })
    for (const { id } of old) ringing.delete(id)
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
    await once(mark, async () => [await eventOf(call, autoRejected)].filter((event) => event !== null), [
      records.remove(keyOf(call.id)),
    ])
    // The call is removed only now: if the commit fails, the end of the call arrives again and must find it.
    ringing.delete(call.id)
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

  function eventOf(call: Call, autoRejected: boolean): Promise<ReceivedEvent | null> {
    const { group, isVideo } = call
    const key = group
      ? { remoteJid: group, participant: call.from, participantAlt: call.alt }
      : { remoteJid: call.from, remoteJidAlt: call.alt }
    return translated(
      { key: { ...key, id: call.id, fromMe: false } as ReadableMessage['key'], messageTimestamp: call.timestamp },
      notification({
        notification: `call_missed_${group ? 'group_' : ''}${isVideo ? 'video' : 'voice'}`,
        call: {
          call_id: idOrEmpty(call.id),
          is_video: isVideo,
          is_group: group !== null,
          group_id: group === null ? null : identifierOf(group),
          auto_rejected: autoRejected,
        },
      }),
    )
  }

  /** Whether the end of a call can no longer arrive. */
  const isStale = ({ timestamp }: Call) => clock.now() - timestamp * SECOND > DAY

  async function taken(id: string) {
    isOver(id)
    if (!ringing.delete(id)) return
    await store.commit({ ops: [records.remove(keyOf(id))] })
  }

  return {
    async load() {
      const old: Op[] = []
      const onUnreadable = (error: unknown) =>
        log.error({ err: error }, 'a stored ringing call could not be decoded; it was skipped')
      for await (const { key, value } of records.list(store, keys.calls(instance), { onUnreadable })) {
        if (isStale(value)) old.push([key, null])
        else ringing.set(value.id, value)
      }
      if (old.length > 0) await store.commit({ ops: old })
    },
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
      for (const call of ringing.values()) if (call.isRejecting) rejectLater(call, session, () => ringing.has(call.id))
    },
    async forget() {
      await removeAll(store, keys.calls(instance))
      ringing.clear()
    },
  }
}

const callOf = ({ id, from, alt, group, isVideo, t }: CallStanza, now: number): Call => ({
  id,
  from,
  ...(alt ? { alt } : {}),
  group,
  isVideo,
  timestamp: secondsOf(t, now),
})
