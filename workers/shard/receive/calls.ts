/**
 * Calls: one event per call, when it ends unanswered or was rejected by us. An offer names the kind of call, and the end of the call does
 * not, so the offer is kept on disk until the end: a restart while it rings loses nothing.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import * as v from 'valibot'
import { type Clock, DAY, SECOND } from '../../../src/domain/clock.ts'
import type { InstanceSettings } from '../../../src/domain/instance.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { removeAll } from '../../../src/storage/remove-all.ts'
import { repository } from '../../../src/storage/repository.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { Session } from '../chats/session.ts'
import { notification, type Translated } from '../translate/inbound/family.ts'
import type { ReadableMessage } from '../translate/inbound/message.ts'
import { idOrEmpty, secondsOf } from '../wire/bounds.ts'
import { type CallStanza, callIn } from '../wire/call.ts'
import { callRejection } from '../wire/call-rejection.ts'
import { identifierOf } from '../wire/jid.ts'
import { type Mark, messageMark } from './inbox/seen-marks.ts'

const Call = v.object({
  id: v.string(),
  /** The caller, and its other name. */
  from: v.string(),
  alt: v.optional(v.string()),
  group: v.nullable(v.string()),
  isVideo: v.boolean(),
  /** Epoch seconds. */
  timestamp: v.number(),
  /** We reject it; what came of that is not on disk. */
  isRejecting: v.optional(v.literal(true)),
})
type Call = v.InferOutput<typeof Call>

export interface CallDeps {
  instance: string
  store: StateStore
  sealer: Sealer
  clock: Clock
  log: Logger
  settings(): InstanceSettings
  translated(readable: ReadableMessage, translated: Translated): Promise<ReceivedEvent | null>
  once(mark: Mark, make: () => Promise<readonly ReceivedEvent[]>, ops?: Op[]): Promise<void>
  /** Queues the text that follows a rejected call, once per key, and not more often to one caller than is bearable. */
  enqueue(caller: Pick<Call, 'from' | 'alt'>, text: string, key: string): Promise<void>
}

export interface Calls {
  load(): Promise<void>
  /** Undefined for a stanza that neither begins nor ends a call. */
  take(node: BinaryNode, session: Session): Promise<void> | undefined
  /**
   * Of a session that has just logged in: calls whose rejection had no answer when the connection or the service ended are rejected again. The network
   * says no end of a call that it took our rejection of, so that nothing else would tell of them.
   */
  resume(session: Session): void
  /** The device is gone: the ends of its calls do not arrive any more. Call it after its session has ended. */
  forget(): Promise<void>
}

/** Reasons of an end that somebody answered, here or on another device. */
const ANSWERED = new Set(['accepted_elsewhere', 'rejected_elsewhere', 'accepted', 'rejected'])
const MAX_OVER = 1_000

export function createCalls({ instance, store, sealer, clock, log, settings, translated, once, enqueue }: CallDeps): Calls {
  const records = repository({ name: 'ringing call', schema: Call, version: 1, sealed: sealer })
  const ringing = new Map<string, Call>()
  /** Calls that are over or rejected, the newest last: an offer that comes again does not ring, nor is it answered with a text again. */
  const over = new Set<string>()
  /** Calls of which the network has taken our rejection, until their event is on disk. */
  const rejected = new Set<string>()
  /** Blind: the caller chooses the id, and it can contain what no key may hold. */
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

  /** Not awaited: the network's answer does not depend on this stanza, but a rejection can take long. */
  function rejectLater(call: Call, session: Session, isOurs: () => boolean) {
    void reject(call, session, isOurs).catch((error: unknown) => log.warn({ err: error }, 'a call could not be rejected'))
  }

  /** `isOurs`: asked once the network has answered. */
  async function reject(call: Call, session: Session, isOurs: () => boolean) {
    await session.ask(callRejection(session.me?.id ?? '', call.from, call.id))
    if (!isOurs()) return
    rejected.add(call.id)
    await ended(call)
  }

  async function ended(call: Call) {
    const autoRejected = rejected.has(call.id)
    // Before the commit of the event, which removes the call: a crash in between loses neither, and the key queues the text once.
    if (autoRejected) await answer(call)
    const mark = messageMark({ id: call.id, chat: call.from, author: 'call' })
    await once(mark, async () => [await eventOf(call, autoRejected)].filter((event) => event !== null), [
      records.remove(keyOf(call.id)),
    ])
    // Only now: when the commit fails, the end of the call comes again and has to find it.
    ringing.delete(call.id)
    rejected.delete(call.id)
    isOver(call.id)
  }

  async function answer({ id, from, alt }: Call) {
    const { call_reject_message: text } = settings()
    if (text === null) return
    try {
      // Keys of clients come in a header, which holds no line break: this key is never one of them.
      await enqueue({ from, alt }, text, `call\n${from}\n${id}`)
    } catch (error) {
      // A full queue, or one that is closed while disconnected, is no failure of the call.
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

  /** Its end will not arrive any more. */
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
      // What came while we were away may say that somebody took it on another device.
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
