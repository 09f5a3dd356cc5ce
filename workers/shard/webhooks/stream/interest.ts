/**
 * The event types that streams read and, for each type, the event after which all events are kept. For some time after its last request, a reader is
 * expected to return, and events are kept for it, so that it misses nothing after a disconnection or a restart of the service. The types are stored
 * on disk, because after a restart events can occur before the reader returns.
 */
import * as v from 'valibot'
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../../../../src/domain/events.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { repository } from '../../../../src/storage/repository.ts'

/** Time in ms for which events are created and kept after the last request of a reader. */
export const KEEP_FOR_READER = 10 * MINUTE
/** The stored time may be older than the time in memory by this much, so that it is written every five minutes and not with every page. */
const WRITE_EVERY = KEEP_FOR_READER / 2

const RowSchema = v.record(
  v.picklist(EVENT_TYPES),
  v.object({
    /** Time in epoch ms until which events of the type are created and kept. */
    until: v.pipe(v.number(), v.integer()),
    /** Id after which no event of the type is missing. */
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
      // If the row was written while the clock was ahead, its time is too late. A reader is expected no longer than if it had made a request just
      // now.
      const latest = clock.now() + KEEP_FOR_READER
      for (const known of Object.values(row)) known.until = Math.min(known.until, latest)
      isStored = Object.keys(row).length > 0
      for (const type of EVENT_TYPES) if (row[type]) written.set(type, row[type].until)
    },

    keeps,
    /** Whether a stored record or kept events may be left although no reader is expected any longer. */
    isOver: (): boolean => isStored && !EVENT_TYPES.some(keeps),

    /**
     * Records that a reader reads these types now. `position`: an id after every event so far. Resolves with true if events of one of the types were
     * not kept before.
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

    /** Returns the id after which no event of these types is missing. Empty if no event was ever missing. */
    floorOf: (types: readonly EventType[]): string =>
      types.map((type) => row[type]?.floor ?? '').reduce((one, other) => (one > other ? one : other), ''),

    /** Marks everything before `position` as no longer kept, for the types that are read. Returns false if no type is read. */
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
    /** Returns the earliest time at which a type will no longer be kept; null if no type is kept. */
    endsAt(): number | null {
      const ends = EVENT_TYPES.filter(keeps).map((type) => row[type]!.until)
      return ends.length === 0 ? null : Math.min(...ends)
    },
  }
}

export type Interest = ReturnType<typeof createInterest>
