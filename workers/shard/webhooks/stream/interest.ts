/**
 * The event types that stream readers request. A reader counts as present for some time after its last request, so that
 * it misses nothing after a short disconnection.
 */
import * as v from 'valibot'
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../../../../src/domain/events.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { repository } from '../../../../src/storage/repository.ts'

/** Time in ms for which events are kept after the last request of a reader. */
export const KEEP_FOR_READER = 10 * MINUTE
/**
 * Maximum time in ms by which `until` on disk may be behind the value in memory. So the row is not written with every
 * page.
 */
const WRITE_EVERY = KEEP_FOR_READER / 2

const RowSchema = v.record(
  v.picklist(EVENT_TYPES),
  v.object({
    /** Epoch ms until which events of the type are kept. */
    until: v.pipe(v.number(), v.integer()),
    /** Id after which all events of the type are kept. */
    floor: v.string(),
  }),
)
type Row = v.InferOutput<typeof RowSchema>

const records = repository<Row>({ name: 'interest in events', schema: RowSchema, version: 1 })

export interface InterestOptions {
  instanceId: string
  store: Pick<StateStore, 'get' | 'commit'>
  clock: Clock
}

export function createInterest({ instanceId, store, clock }: InterestOptions) {
  const key = keys.eventInterest(instanceId)
  let row: Row = {}
  /** Values of `until` as they are on disk, by type. They show whether a page must write the row again. */
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
      // The row may have been written while the clock was ahead, so the time is limited.
      const latest = clock.now() + KEEP_FOR_READER
      for (const known of Object.values(row)) known.until = Math.min(known.until, latest)
      isStored = Object.keys(row).length > 0
      for (const type of EVENT_TYPES) if (row[type]) written.set(type, row[type].until)
    },

    keeps,
    /** Whether no reader is present now, and the stored record or kept events must be removed. */
    isOver: (): boolean => isStored && !EVENT_TYPES.some(keeps),

    /** `position` returns an id after all events so far. Resolves with true if one of the types was not kept before. */
    async read(types: readonly EventType[], position: () => string): Promise<boolean> {
      const until = clock.now() + KEEP_FOR_READER
      const fresh = types.filter((type) => !keeps(type))
      const from = fresh.length > 0 ? position() : ''
      for (const type of types) row[type] = { until, floor: fresh.includes(type) ? from : row[type]!.floor }
      if (fresh.length > 0 || types.some((type) => (written.get(type) ?? 0) < until - WRITE_EVERY))
        await store.commit({ ops: [op()] })
      return fresh.length > 0
    },

    /** Returns the id after which all events of these types are kept. Empty if none of these types was requested. */
    floorOf: (types: readonly EventType[]): string =>
      types.map((type) => row[type]?.floor ?? '').reduce((one, other) => (one > other ? one : other), ''),

    /** Records that only events after `position` are kept. Returns false if no type is requested. */
    startOver(position: () => string): boolean {
      const types = EVENT_TYPES.filter((type) => row[type])
      for (const type of types) row[type] = { ...row[type]!, floor: position() }
      return types.length > 0
    },

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
    /** Returns the time at which the first of the types is no longer kept. Null if no type is kept. */
    endsAt(): number | null {
      const ends = EVENT_TYPES.filter(keeps).map((type) => row[type]!.until)
      return ends.length === 0 ? null : Math.min(...ends)
    },
  }
}

export type Interest = ReturnType<typeof createInterest>
