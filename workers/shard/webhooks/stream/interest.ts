/**
 * Event types that streams read, and the event from which on all of a type are kept. A reader is expected to return for
 * some time after its last request, so that a disconnection or a restart of the service loses nothing for it. The types
 * are on disk, because events occur before the reader returns.
 */
import * as v from 'valibot'
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../../../../src/domain/events.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { repository } from '../../../../src/storage/repository.ts'

/** Time in ms for which events are created and kept after the last request of a reader. */
export const KEEP_FOR_READER = 10 * MINUTE
/** The disk may be behind by this much, so that it is written every five minutes and not with every page. */
const WRITE_EVERY = KEEP_FOR_READER / 2

const RowSchema = v.record(
  v.picklist(EVENT_TYPES),
  v.object({
    /** Time in epoch ms until which events of the type are created and kept. */
    until: v.pipe(v.number(), v.integer()),
    /** No event of the type after this one is missing. */
    floor: v.string(),
  }),
)
type Row = v.InferOutput<typeof RowSchema>

const records = repository<Row>({ name: 'interest in events', schema: RowSchema, version: 1 })

export interface InterestOptions {
  instanceId: string
  store: Pick<StateStore, 'get' | 'commit'>
  /** A clock that does not step. */
  clock: Clock
}

export function createInterest({ instanceId, store, clock }: InterestOptions) {
  const key = keys.eventInterest(instanceId)
  let row: Row = {}
  /** Stored value of `until`, by type. */
  let written = new Map<EventType, number>()
  let isStored = false

  const keeps = (type: EventType): boolean => (row[type]?.until ?? 0) > clock.now()

  function op(): Op {
    written = new Map(EVENT_TYPES.flatMap((type) => (row[type] ? [[type, row[type].until] as const] : [])))
    isStored = true
    return records.encode(key, row)
  }

  return {
    async load(): Promise<void> {
      row = (await records.get(store, key)) ?? {}
      // The row was written by a clock that was ahead: no reader is expected for longer than one that was here just
      // now.
      const latest = clock.now() + KEEP_FOR_READER
      for (const known of Object.values(row)) known.until = Math.min(known.until, latest)
      isStored = Object.keys(row).length > 0
      for (const type of EVENT_TYPES) if (row[type]) written.set(type, row[type].until)
    },

    keeps,
    /** Whether a record or events may remain of readers that are no longer expected. */
    isOver: (): boolean => isStored && !EVENT_TYPES.some(keeps),

    /**
     * Records that a reader reads these types now. `position`: an id after every event so far. True if events of one of
     * them were not kept before.
     */
    async read(types: readonly EventType[], position: () => string): Promise<boolean> {
      const until = clock.now() + KEEP_FOR_READER
      const fresh = types.filter((type) => !keeps(type))
      const from = fresh.length > 0 ? position() : ''
      for (const type of types) row[type] = { until, floor: fresh.includes(type) ? from : row[type]!.floor }
      if (fresh.length > 0 || types.some((type) => (written.get(type) ?? 0) < until - WRITE_EVERY))
        await store.commit({ ops: [op()] })
      return fresh.length > 0
    },

    /** Returns the id after which no event of these types is missing. Empty if none ever was. */
    floorOf: (types: readonly EventType[]): string =>
      types.map((type) => row[type]?.floor ?? '').reduce((one, other) => (one > other ? one : other), ''),

    /** Drops everything from before `position` for the types that are read. False if no type is read. */
    startOver(position: () => string): boolean {
      const types = EVENT_TYPES.filter((type) => row[type])
      for (const type of types) row[type] = { ...row[type]!, floor: position() }
      return types.length > 0
    },

    /** Records that an event is no longer kept. */
    gone(type: EventType, eventId: string): void {
      const known = row[type]
      if (known && eventId > known.floor) row[type] = { ...known, floor: eventId }
    },

    op,
    forget(): Op {
      row = {}
      written.clear()
      isStored = false
      return records.remove(key)
    },
    /** Returns the time at which the next of the types is no longer kept; null if none is kept. */
    endsAt(): number | null {
      const ends = EVENT_TYPES.filter(keeps).map((type) => row[type]!.until)
      return ends.length === 0 ? null : Math.min(...ends)
    },
  }
}

export type Interest = ReturnType<typeof createInterest>
