/**
 * The event types that streams read, and from which event on all of a type are kept. A reader is expected back for a while after it was
 * last there, so that a cut or a restart of the service loses it nothing; this is on disk, because events come before the reader does.
 */
import * as v from 'valibot'
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../../../../src/domain/events.ts'
import type { Op, StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { repository } from '../../../../src/storage/repository.ts'

/** Events are made and kept for so long after a reader was last there, ms. */
export const KEEP_FOR_READER = 10 * MINUTE
/** The disk may be behind by this much: a write every five minutes, not with every page. */
const WRITE_EVERY = KEEP_FOR_READER / 2

const RowSchema = v.record(
  v.picklist(EVENT_TYPES),
  v.object({
    /** Until when events of the type are made and kept, epoch ms. */
    until: v.pipe(v.number(), v.integer()),
    /** Of the events of the type behind this one, none is missing. */
    floor: v.string(),
  }),
)
type Row = v.InferOutput<typeof RowSchema>

const records = repository<Row>({ name: 'interest in events', schema: RowSchema, version: 1 })

export interface InterestOptions {
  instanceId: string
  store: Pick<StateStore, 'get' | 'commit'>
  /** Does not step. */
  clock: Clock
}

export function createInterest({ instanceId, store, clock }: InterestOptions) {
  const key = keys.eventInterest(instanceId)
  let row: Row = {}
  /** Per type, what is on disk of `until`. */
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
      // Written by a clock that was ahead: no reader is waited for longer than one who was there just now.
      const latest = clock.now() + KEEP_FOR_READER
      for (const known of Object.values(row)) known.until = Math.min(known.until, latest)
      isStored = Object.keys(row).length > 0
      for (const type of EVENT_TYPES) if (row[type]) written.set(type, row[type].until)
    },

    keeps,
    /** A record or events may be left of readers who are not expected any more. */
    isOver: (): boolean => isStored && !EVENT_TYPES.some(keeps),

    /** Somebody reads these types now. `position`: an id behind every event so far. True: of one of them, events were not kept before. */
    async read(types: readonly EventType[], position: () => string): Promise<boolean> {
      const until = clock.now() + KEEP_FOR_READER
      const fresh = types.filter((type) => !keeps(type))
      const from = fresh.length > 0 ? position() : ''
      for (const type of types) row[type] = { until, floor: fresh.includes(type) ? from : row[type]!.floor }
      if (fresh.length > 0 || types.some((type) => (written.get(type) ?? 0) < until - WRITE_EVERY))
        await store.commit({ ops: [op()] })
      return fresh.length > 0
    },

    /** Of the events of these types behind this one, none is missing. Empty: none ever was. */
    floorOf: (types: readonly EventType[]): string =>
      types.map((type) => row[type]?.floor ?? '').reduce((one, other) => (one > other ? one : other), ''),

    /** Of the types that are read, nothing is kept from before `position`. False: no type is. */
    startOver(position: () => string): boolean {
      const types = EVENT_TYPES.filter((type) => row[type])
      for (const type of types) row[type] = { ...row[type]!, floor: position() }
      return types.length > 0
    },

    /** An event is not kept any more. */
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
    /** When the next of the types is not kept any more; null: none is kept. */
    endsAt(): number | null {
      const ends = EVENT_TYPES.filter(keeps).map((type) => row[type]!.until)
      return ends.length === 0 ? null : Math.min(...ends)
    },
  }
}
