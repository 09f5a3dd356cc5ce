/**
 * Stores for how long each waiting item did not age. The record is written when an item is held for the first time, and
 * at a stop. While items are held, it is written again every ten minutes.
 */
import * as v from 'valibot'
import { MINUTE } from '../../../src/domain/clock.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { RecordError, repository } from '../../../src/storage/repository.ts'
import type { QueueOptions } from './contract.ts'
import type { Waiting } from './item.ts'

const SAVE_EVERY = 10 * MINUTE

const HeldTimesSchema = v.object({
  ms: v.record(v.string(), v.number()),
  /**
   * Time of the write in epoch ms; null if the record was written at a stop. Earlier builds did not store this field.
   */
  savedAt: v.optional(v.nullable(v.number()), 0),
})

export interface HeldTimes {
  load(): Promise<void>
  of(svcId: string): number
  add(held: readonly Waiting[], ms: number): void
  save(waiting: readonly Waiting[], isLast?: boolean): Promise<void>
}

export type HeldTimesDeps = Pick<QueueOptions, 'instanceId' | 'store' | 'sealer' | 'clock' | 'steady' | 'log'>

export function createHeldTimes({ instanceId, store, sealer, clock, steady, log }: HeldTimesDeps): HeldTimes {
  const records = repository({ name: 'held times', schema: HeldTimesSchema, version: 1, sealed: sealer })
  const key = keys.queueHeldTimes(instanceId)
  let atStart: Readonly<Record<string, number>> = {}
  /** Maximum time in ms by which the stored times are too short, if a kill ended the previous run. */
  let lost = 0
  let isStored = false
  /** Whether the stored record was written at a stop, and is complete. */
  let isStopMarked = false
  let savedAt = steady.now()
  let change: 'none' | 'some' | 'urgent' = 'none'

  return {
    async load() {
      try {
        const stored = await records.get(store, key)
        isStored = stored !== undefined
        atStart = stored?.ms ?? {}
        if (stored === undefined) return
        isStopMarked = stored.savedAt === null
        lost = stored.savedAt === null ? 0 : Math.min(SAVE_EVERY, Math.max(0, clock.now() - stored.savedAt))
      } catch (error) {
        if (!(error instanceof RecordError)) throw error
        log.error(
          { instance_id: instanceId, err: error },
          'queue: the record of held times could not be decoded; the messages may become too old earlier than they should',
        )
      }
    },
    of(svcId) {
      const ms = Object.hasOwn(atStart, svcId) ? atStart[svcId]! : 0
      // The time that a kill may have lost is added, so that no message counts as older than it is.
      return ms > 0 ? ms + lost : 0
    },
    add(held, ms) {
      for (const item of held) {
        if (item.heldMs === 0 || isStopMarked) change = 'urgent'
        else if (change === 'none') change = 'some'
        item.heldMs += Math.min(ms, Math.max(0, steady.now() - item.arrivedAt))
      }
    },
    async save(waiting, isLast = false) {
      const sums = waiting.filter(({ heldMs }) => heldMs > 0).map(({ svcId, heldMs }) => [svcId, heldMs] as const)
      const isOver = isStored && sums.length === 0
      const isPeriodOver = change === 'some' && steady.now() - savedAt >= SAVE_EVERY
      const isDue = change === 'urgent' || isPeriodOver || (isLast && sums.length > 0)
      if (!isDue && !isOver) return
      const record = { ms: Object.fromEntries(sums), savedAt: isLast ? null : clock.now() }
      await store.commit({ ops: [isOver ? [key, null] : records.encode(key, record)] })
      isStored = !isOver
      isStopMarked = isLast
      savedAt = steady.now()
      change = 'none'
    },
  }
}
