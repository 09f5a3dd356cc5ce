/**
 * Events for stream readers (`src/webhooks/event-streams.ts`). While somebody reads a type, each of its finished events is also kept here, sealed, in
 * the commit of its cause, whether or not a webhook needs it: the newest ones, limited by number and bytes. Readers request the events after their
 * last one, a page at a time; nothing waits for them.
 *
 *   kept:<event>:<type>   body of an event
 *   event-interest        which types are read, and from which event on all of them are kept
 */
import type { Logger } from 'pino'
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../../../../src/domain/events.ts'
import { MB } from '../../../../src/domain/media.ts'
import type { EventsPage, EventsQuery } from '../../../../src/domain/server-events.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import type { Sealer } from '../../../../src/storage/sealer.ts'
import { systemTimer, type Timer } from '../../../../src/storage/timer.ts'
import { createInterest } from './interest.ts'

/** Limits of the events that are kept for one instance. */
export const MAX_KEPT_EVENTS = 5_000
export const MAX_KEPT_BYTES = 8 * MB
/** Number of events that are removed at a time, so that not each event removes one. */
const SLICE = 200
/** Number of events per page. A single event may be larger than the byte limit. */
const PAGE_EVENTS = 100
const PAGE_BYTES = MB / 4
/** An event that is created but not on disk delays later ones for at most this long, because its commit may have failed. */
const HOLDS_BACK = MINUTE
/** Number of events that are not on disk: more of them have finally failed, and the oldest are evicted. */
const MAX_UNDER_WAY = 1_000

export interface StreamOptions {
  instanceId: string
  store: Pick<StateStore, 'get' | 'range' | 'commit'>
  sealer: Sealer
  /** A clock that does not step. */
  clock: Clock
  timer?: Timer | undefined
  /** An id after every event so far. */
  position(): string
  log: Pick<Logger, 'error'>
  /** There is an event since the last page request. */
  onEvents: () => void
  /** The types that are read have changed. */
  onInterest: () => void
  maxEvents?: number | undefined
}

interface Made {
  type: EventType
  bytes: number
  /** Time of its creation. */
  at: number
  isForWebhook: boolean
  /** Readers may already have later events. */
  isPassed: boolean
}

interface Found {
  id: string
  type: EventType
  key: string
  bytes: Uint8Array
}

const isType = (text: string | undefined): text is EventType => (EVENT_TYPES as readonly (string | undefined)[]).includes(text)

export function createStream(options: StreamOptions) {
  const { instanceId, store, sealer, clock, position, log, onEvents, onInterest } = options
  const { timer = systemTimer, maxEvents = MAX_KEPT_EVENTS } = options
  const interest = createInterest({ instanceId, store, clock })
  const prefix = keys.keptEvents(instanceId)
  /** Created and not known to be on disk, in the order of their ids. */
  const underWay = new Map<string, Made>()
  /** Kept events, oldest first. */
  const kept = new Map<string, { type: EventType; bytes: number }>()
  let keptBytes = 0
  /** The newest event that was kept before the start. */
  let newest = ''
  /** A reader has requested the next events, and `onEvents` was not called since. */
  let isAwaited = false
  let tidying: Promise<void> | undefined
  let noting: Promise<void> = Promise.resolve()
  let isStopped = false
  let alarm: { cancel(): void } | undefined

  function keep(eventId: string, type: EventType, bytes: number) {
    kept.set(eventId, { type, bytes })
    keptBytes += bytes
  }

  const isTooMuch = () => kept.size > maxEvents || keptBytes > MAX_KEPT_BYTES

  /** Removes the oldest events above the limit and records the gap, in one commit. */
  async function drop(): Promise<void> {
    const ops: Op[] = []
    const gone: [id: string, event: { type: EventType; bytes: number }][] = []
    for (const [id, event] of kept) {
      const { type, bytes } = event
      // Removes slightly more than needed, so that not each event removes one.
      const isEnough = kept.size <= maxEvents - Math.floor(maxEvents / 50) && keptBytes <= MAX_KEPT_BYTES
      if (isEnough || ops.length === SLICE) break
      kept.delete(id)
      keptBytes -= bytes
      interest.gone(type, id)
      gone.push([id, event])
      ops.push([keys.keptEvent(instanceId, id, type), null])
    }
    try {
      await store.commit({ ops: [...ops, interest.op()] })
    } catch (error) {
      // They are still on disk and are the oldest, so they are removed with the next ones.
      const newer = [...kept]
      kept.clear()
      for (const [id, event] of [...gone, ...newer]) kept.set(id, event)
      for (const [, { bytes }] of gone) keptBytes += bytes
      throw error
    }
  }

  async function removeKept(isWanted: () => boolean): Promise<void> {
    while (isWanted()) {
      const ops: Op[] = []
      for await (const [key] of store.range(prefix, { limit: SLICE })) ops.push([key, null])
      if (ops.length === 0) break
      await store.commit({ ops })
    }
  }

  /** No reader is expected any longer, so the kept events are removed. */
  async function dropAll(): Promise<void> {
    await removeKept(interest.isOver)
    if (!interest.isOver()) return
    kept.clear()
    keptBytes = 0
    await store.commit({ ops: [interest.forget()] })
  }

  /** Runs one at a time. A failure is retried with the next event, or by the next start. */
  function tidy(): void {
    if (tidying || !(isTooMuch() || interest.isOver())) return
    tidying = (interest.isOver() ? dropAll() : drop())
      .catch((err) => log.error({ instance_id: instanceId, err }, 'stored stream events could not be removed'))
      .finally(() => {
        tidying = undefined
      })
  }

  /** Sets an alarm for the time at which a type is no longer read. */
  function watch() {
    alarm?.cancel()
    alarm = undefined
    const endsAt = interest.endsAt()
    if (endsAt === null || isStopped) return
    alarm = timer(endsAt - clock.now() + 1, () => {
      onInterest()
      tidy()
      watch()
    })
  }

  /** Entries of one key range after an id, up to the size of a page. */
  async function entries(range: string, after: string, idOf: (rest: string) => [id: string, type: EventType | undefined]) {
    const found: (Omit<Found, 'type'> & { type: EventType | undefined })[] = []
    let size = 0
    // Starts after every key that begins with the id.
    for await (const [key, bytes] of store.range(range, { limit: PAGE_EVENTS, after: `${range}${after}~` })) {
      const [id, type] = idOf(key.slice(range.length))
      found.push({ id, type, key, bytes })
      size += bytes.byteLength
      if (size >= PAGE_BYTES) break
    }
    return { found, isAll: found.length < PAGE_EVENTS && size < PAGE_BYTES }
  }

  const keptBehind = (after: string) =>
    entries(prefix, after, (rest) => {
      const [id = '', type] = rest.split(':')
      return [id, isType(type) ? type : undefined]
    })

  /** Merges several key ranges in the order of the ids, up to the id at which the first range ended. */
  async function merged(after: string, floor: string) {
    const ranges = [keptBehind(after)]
    // Events that are older than the kept ones, if a webhook still needs them or they failed.
    if (after < floor)
      for (const range of [keys.outbox(instanceId), keys.parked(instanceId)])
        ranges.push(entries(range, after, (id) => [id, undefined]))
    const parts = await Promise.all(ranges)
    const known = parts.flatMap(({ found, isAll }) => (isAll ? [] : found.at(-1)!.id)).sort()[0]
    const byId = new Map(parts.toReversed().flatMap(({ found }) => found.map((entry) => [entry.id, entry] as const)))
    const found = [...byId.values()].filter(({ id }) => known === undefined || id <= known).sort((a, b) => (a.id < b.id ? -1 : 1))
    return { found, isAll: known === undefined }
  }

  /** The disk is complete before this id: no earlier event is still on its way there. `newest`: after every event so far. */
  function complete(newest: string): string {
    const now = clock.now()
    for (const [id, made] of underWay) {
      if (now - made.at < HOLDS_BACK) return id
      made.isPassed = true
    }
    return newest
  }

  /** An event was written after readers had passed its position (a disk that was full for minutes): it is a gap for all current readers. */
  function cameLate(type: EventType) {
    interest.gone(type, position())
    noting = noting
      .then(async () => void (await store.commit({ ops: [interest.op()] })))
      .catch((err) => log.error({ instance_id: instanceId, err }, 'a gap in the stream events could not be recorded'))
  }

  function bodyOf({ key, bytes }: Pick<Found, 'key' | 'bytes'>): string | undefined {
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
      if (!interest.isOver()) {
        for await (const [key, bytes] of store.range(prefix)) {
          const [id = '', type] = key.slice(prefix.length).split(':')
          if (isType(type)) keep(id, type, bytes.byteLength)
          newest = id
        }
      }
      tidy()
      watch()
    },

    keeps: interest.keeps,
    /** The newest kept event, for ids to continue after; empty if there is none. */
    newest: () => newest,

    /** Operations that keep an event of a type that is read. `isForWebhook`: it is in the outbox as well. */
    append(eventId: string, type: EventType, body: Uint8Array, isForWebhook: boolean): Op[] {
      const key = keys.keptEvent(instanceId, eventId, type)
      underWay.set(eventId, { type, bytes: body.byteLength, at: clock.now(), isForWebhook, isPassed: false })
      if (underWay.size > MAX_UNDER_WAY) underWay.delete(underWay.keys().next().value!)
      return [[key, sealer.seal(key, body)]]
    },

    /** False if it is only for streams. */
    committed(eventId: string): boolean {
      const made = underWay.get(eventId)
      if (made === undefined) return true
      underWay.delete(eventId)
      keep(eventId, made.type, made.bytes)
      if (made.isPassed) cameLate(made.type)
      tidy()
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
      // The id is from a data folder that a backup has replaced.
      if (after > now) return { events: [], cursor: now, gap: { from: after, to: now }, more: false }
      const floor = interest.floorOf(types)
      const gap = after < floor && (reportedGap === null || reportedGap < floor) ? { from: after, to: floor } : null
      const end = complete(now)
      const { found, isAll } = await merged(after, floor)
      const page: EventsPage = { events: [], cursor: after, gap, more: !isAll }
      let size = 0
      for (const entry of found) {
        if (entry.id >= end) return { ...page, more: false }
        if (size >= PAGE_BYTES || page.events.length >= PAGE_EVENTS) return { ...page, more: true }
        page.cursor = entry.id
        if (entry.type !== undefined && !types.includes(entry.type)) continue
        const data = bodyOf(entry)
        if (data === undefined || !types.some((type) => data.startsWith(`{"type":"${type}"`))) continue
        page.events.push({ id: entry.id, data })
        size += data.length
      }
      return page
    },

    /**
     * New ids begin before those of now: `startOver` is called when no kept event is left. A reader with a later id is told about a gap (`page`).
     * False if an event is on its way to the disk; then try again later.
     */
    async startOver(startOver: () => void): Promise<boolean> {
      if (underWay.size > 0) return false
      await removeKept(() => underWay.size === 0)
      if (underWay.size > 0) return false
      kept.clear()
      keptBytes = 0
      newest = ''
      startOver()
      if (interest.startOver(position)) await store.commit({ ops: [interest.op()] })
      onEvents()
      return true
    },

    async stop(): Promise<void> {
      isStopped = true
      alarm?.cancel()
      await Promise.all([tidying, noting])
    },
  }
}
export type Stream = ReturnType<typeof createStream>
