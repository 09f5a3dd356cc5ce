/**
 * Keeps events for stream readers. While a reader requests a type, each event of this type is also stored for streams,
 * in the commit of its cause. Only the newest events are kept, because the service does not wait for a reader.
 * - `kept:<event>:<type>`: the body of an event
 * - `event-interest`: the types that are read, and for each the event after which all events are kept
 */
import type { Logger } from 'pino'
import type { Clock } from '../../../../src/domain/clock.ts'
import type { EventType } from '../../../../src/domain/events.ts'
import type { EventsPage, EventsQuery } from '../../../../src/domain/server-events.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import type { Sealer } from '../../../../src/storage/sealer.ts'
import { systemTimer, type Timer } from '../../../../src/storage/timer.ts'
import { pageOf } from './events-page.ts'
import { createEventsUnderWay } from './events-under-way.ts'
import { createInterest } from './interest.ts'
import { createKeptEvents, MAX_KEPT_EVENTS } from './kept-events.ts'
import { type StreamEntry, streamEntries } from './stream-entries.ts'

export interface StreamOptions {
  instanceId: string
  store: Pick<StateStore, 'get' | 'range' | 'commit'>
  sealer: Sealer
  clock: Clock
  timer?: Timer | undefined
  position(): string
  log: Pick<Logger, 'error'>
  onEvents: () => void
  onInterest: () => void
  maxEvents?: number | undefined
}

export function createStream(options: StreamOptions) {
  const { instanceId, store, sealer, clock, position, log, onEvents, onInterest } = options
  const { timer = systemTimer, maxEvents = MAX_KEPT_EVENTS } = options
  const interest = createInterest({ instanceId, store, clock })
  const kept = createKeptEvents({ instanceId, store, interest, log, maxEvents })
  const underWay = createEventsUnderWay(clock)
  /** Whether a reader has requested the next events, and `onEvents` was not called since. */
  let isAwaited = false
  let noting: Promise<void> = Promise.resolve()
  let isStopped = false
  let alarm: { cancel(): void } | undefined

  function watch() {
    alarm?.cancel()
    alarm = undefined
    const endsAt = interest.endsAt()
    if (endsAt === null || isStopped) return
    alarm = timer(endsAt - clock.now() + 1, () => {
      onInterest()
      kept.tidy()
      watch()
    })
  }

  /**
   * Records that readers miss an event. The event was written so late that readers have already got later ones, for
   * example after the disk was full.
   */
  function cameLate(type: EventType) {
    interest.gone(type, position())
    noting = noting
      .then(async () => void (await store.commit({ ops: [interest.op()] })))
      .catch((err) => log.error({ instance_id: instanceId, err }, 'a gap in the stream events could not be recorded'))
  }

  function bodyOf({ key, bytes }: Pick<StreamEntry, 'key' | 'bytes'>): string | undefined {
    try {
      return sealer.open(key, bytes).toString('utf8')
    } catch (err) {
      log.error({ instance_id: instanceId, err }, 'a stored stream event could not be read')
      return undefined
    }
  }

  return {
    async load(): Promise<void> {
      await interest.load()
      if (!interest.isOver()) await kept.load()
      kept.tidy()
      watch()
    },

    keeps: interest.keeps,
    newest: kept.newest,

    /**
     * Returns the operations that store an event for streams. `isForWebhook` says that the event is in the outbox too.
     */
    append(eventId: string, type: EventType, body: Uint8Array, isForWebhook: boolean): Op[] {
      const key = keys.keptEvent(instanceId, eventId, type)
      underWay.add(eventId, { type, bytes: body.byteLength, isForWebhook })
      return [[key, sealer.seal(key, body)]]
    },

    /** Must be called after the commit of an event. Returns false if no webhook needs the event. */
    committed(eventId: string): boolean {
      const made = underWay.take(eventId)
      if (made === undefined) return true
      kept.add(eventId, { type: made.type, bytes: made.bytes })
      if (made.isPassed) cameLate(made.type)
      kept.tidy()
      if (isAwaited) {
        isAwaited = false
        onEvents()
      }
      return made.isForWebhook
    },

    async page({ after, types, reportedGap }: EventsQuery): Promise<EventsPage> {
      if (await interest.read(types, position)) {
        onInterest()
        watch()
      }
      isAwaited = true
      const now = position()
      if (after === null) return { events: [], cursor: now, gap: null, more: false }
      // The reader's id is greater than all ids here, so the data folder was replaced by a backup, or the ids were
      // started over.
      if (after > now) return { events: [], cursor: now, gap: { from: after, to: now }, more: false }
      const floor = interest.floorOf(types)
      const gap = after < floor && (reportedGap === null || reportedGap < floor) ? { from: after, to: floor } : null
      const end = underWay.complete(now)
      const { found, isAll } = await streamEntries(store, instanceId, { after, floor })
      const page = pageOf(found, { after, types, end, bodyOf })
      return { ...page, gap, more: page.more ?? !isAll }
    },

    /**
     * Makes new ids lower than the current ones, and removes all kept events. Resolves with false if an event is being
     * written; the caller must then try again later.
     */
    async startOver(startOver: () => void): Promise<boolean> {
      if (!(await kept.removeAll(underWay.isEmpty))) return false
      startOver()
      if (interest.startOver(position)) await store.commit({ ops: [interest.op()] })
      onEvents()
      return true
    },

    async stop(): Promise<void> {
      isStopped = true
      alarm?.cancel()
      await Promise.all([kept.idle(), noting])
    },
  }
}
export type Stream = ReturnType<typeof createStream>
