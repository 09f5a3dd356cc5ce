/**
 * Stores the activity of the instances. A record has the hours of one day, and is encrypted with the instance's key,
 * because it shows when an account is used.
 */
import * as v from 'valibot'
import type { Log } from '../domain/log.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { repository } from '../storage/repository.ts'
import { createBlindCaches, createSealer } from '../storage/sealer.ts'
import { type ActivityHours, type HourRow, rowsOf } from './activity-hours.ts'

/** Number of calendar days that seven times 24 hours can touch. */
const DAYS = 8
export const HOURS_OF_DAY = 24

const Count = v.number()
const schema = v.object({ hours: v.array(v.tuple([Count, Count, Count, Count, Count])) })

export interface ActivityRecords {
  keyOf(instance: string, day: number): string
  store(instance: string, day: number, hours: ActivityHours): Op
  load(instance: string): Promise<HourRow[]>
}

interface RecordDeps {
  store: Pick<StateStore, 'range'>
  keyOf(instance: string): Uint8Array
  log: Log
}

export function createActivityRecords({ store, keyOf, log }: RecordDeps): ActivityRecords {
  const caches = createBlindCaches()
  const recordsOf = (instance: string) =>
    repository({ name: 'activity of an instance', schema, version: 1, sealed: createSealer(keyOf(instance), caches) })
  const recordKeyOf = (instance: string, day: number) => keys.activityDay(instance, day % DAYS)

  return {
    keyOf: recordKeyOf,
    store(instance, day, hours) {
      const first = day * HOURS_OF_DAY
      const rows = rowsOf(hours, first, first + HOURS_OF_DAY - 1)
      return recordsOf(instance).encode(recordKeyOf(instance, day), { hours: rows })
    },
    async load(instance) {
      const found: HourRow[] = []
      const onUnreadable = (err: unknown) =>
        log.warn({ err, instance_id: instance }, 'a part of the activity of an instance cannot be read; it is left out')
      for await (const { value } of recordsOf(instance).list(store, keys.activity(instance), { onUnreadable }))
        found.push(...value.hours)
      return found
    },
  }
}
