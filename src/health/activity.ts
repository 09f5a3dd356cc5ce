/**
 * Messages and deliveries of every instance, for each hour of the last seven days. They are measured about every ten
 * seconds and stored about every five minutes.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, HOUR, iso, MINUTE, SECOND } from '../domain/clock.ts'
import type { ActivityHour } from '../domain/dashboard.ts'
import type { Log } from '../domain/log.ts'
import type { InstanceReading, Readings } from '../domain/readings.ts'
import { createUnderWay } from '../lib/under-way.ts'
import type { StateStore } from '../storage/contract.ts'
import { type ActivityAccounts, createActivityAccounts } from './activity-accounts.ts'
import type { HourRow } from './activity-hours.ts'
import { createActivityRecords, HOURS_OF_DAY } from './activity-records.ts'

/** Interval in ms between two measurements. If a thread crashes, its counts since the last measurement are lost. */
const LOOK_EVERY = 10 * SECOND
const WRITE_EVERY = 5 * MINUTE
const FRESH = 5 * SECOND
/** Milliseconds after which the numbers that another service has stored are read again. */
const READ_AGAIN = MINUTE
/**
 * Maximum number of records in a commit, and of instances that are read together. Sends and receipts wait while a
 * commit runs, so it must be small.
 */
const AT_ONCE = 16

export interface ActivityDeps {
  readings: Pick<Readings, 'own' | 'lookHere'>
  directory: { onDeleted(listener: (instance: string) => void): void; tokenTagOf(instance: string): string | undefined }
  store: Pick<StateStore, 'range' | 'commit'>
  keyOf(instance: string): Uint8Array
  /**
   * False if another service hosts the instance. The other service then counts the messages and stores the numbers, and
   * this service reads them from the store.
   */
  isHere(instance: string): boolean
  clock: Clock
  log: Log
}

export interface ActivityWatch {
  of(instances: readonly string[]): Promise<ActivityHour[]>
  /** Stores the numbers of an instance that this service is about to give to another service. Never rejects. */
  store(instance: string): Promise<void>
  stop(): Promise<void>
}

interface ChangedDay {
  instance: string
  day: number
}

function* slicesOf<T>(all: readonly T[]) {
  for (let at = 0; at < all.length; at += AT_ONCE) yield all.slice(at, at + AT_ONCE)
}

const hourOf = ([hour, sent, received, delivered, failed]: HourRow): ActivityHour => ({
  at: iso(hour * HOUR),
  sent,
  received,
  delivered,
  failed,
})

/**
 * Reads the stored hours of instances, in groups. If no instance of a group can be read, the store cannot be reached,
 * and the rest is read later.
 */
async function loadSeen(accounts: ActivityAccounts, instances: readonly string[], log: Log): Promise<void> {
  for (const slice of slicesOf(accounts.missing(instances))) {
    const results = await Promise.allSettled(slice.map(accounts.load))
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    if (errors.length > 0)
      log.warn({ err: errors[0] }, 'the stored activity of some instances could not be read; it will be read again')
    if (errors.length === slice.length) return
  }
}

export async function watchActivity(deps: ActivityDeps): Promise<ActivityWatch> {
  const { readings, directory, store, keyOf, isHere, clock, log } = deps
  const records = createActivityRecords({ store, keyOf, log })
  const isKnown = (instance: string) => directory.tokenTagOf(instance) !== undefined
  const accounts = createActivityAccounts({ load: records.load, isKnown, clock })
  const changed = new Map<string, ChangedDay>()
  const counted = new Set<string>()
  const running = createUnderWay()
  let writtenAt = clock.now()

  directory.onDeleted(leave)

  /**
   * Drops numbers of instances that were moved to or from another service, because they may have changed in the store.
   */
  function followHomes(seen: readonly InstanceReading[]) {
    for (const instance of counted) if (!isHere(instance)) leave(instance)
    for (const { instance } of seen) if (!counted.has(instance)) accounts.drop(instance)
    for (const { instance } of seen) counted.add(instance)
  }

  function leave(instance: string) {
    counted.delete(instance)
    accounts.drop(instance)
  }

  async function lookNow(maxAgeMs: number) {
    await readings.lookHere(maxAgeMs)
    const seen = readings.own().filter(({ instance }) => isKnown(instance) && isHere(instance))
    followHomes(seen)
    await loadSeen(
      accounts,
      seen.map(({ instance }) => instance),
      log,
    )
    for (const reading of seen) {
      const hour = accounts.count(reading)
      if (hour === undefined) continue
      const { instance } = reading
      const day = Math.floor(hour / HOURS_OF_DAY)
      changed.set(records.keyOf(instance, day), { instance, day })
    }
  }

  let looking: Promise<void> | undefined
  /**
   * Measures all instances of this service. Measurements run one at a time: if an older one were counted after a newer
   * one, the difference would look like growth.
   */
  function look(maxAgeMs: number): Promise<void> {
    looking ??= running.add(lookNow(maxAgeMs)).finally(() => {
      looking = undefined
    })
    return looking
  }

  async function commit(days: readonly (readonly [key: string, ChangedDay])[]) {
    for (const [key] of days) changed.delete(key)
    try {
      const ops = days.flatMap(([, { instance, day }]) => {
        const hours = accounts.hoursOf(instance)
        return hours && isHere(instance) ? [records.store(instance, day, hours)] : []
      })
      if (ops.length > 0) await store.commit({ ops })
    } catch (error) {
      for (const [key, day] of days) if (!changed.has(key)) changed.set(key, day)
      throw error
    }
  }

  async function write() {
    writtenAt = clock.now()
    for (const slice of slicesOf([...changed])) {
      await commit(slice)
      await nextTurn()
    }
  }

  async function storeOne(instance: string) {
    await look(FRESH)
    const days = [...changed].filter(([, day]) => day.instance === instance)
    if (days.length > 0) await commit(days)
  }

  const warn = (err: unknown) => log.warn({ err }, 'the activity of the instances could not be read or stored')
  let isWriting = false
  async function round() {
    await look(FRESH)
    // `Math.abs`, because the difference is negative if the clock was set back after the last write.
    if (isWriting || Math.abs(clock.now() - writtenAt) < WRITE_EVERY) return
    isWriting = true
    await write().finally(() => {
      isWriting = false
    })
  }
  const timer = setInterval(() => void running.add(round()).catch(warn), LOOK_EVERY)
  timer.unref()

  return {
    async of(instances) {
      await look(FRESH)
      accounts.dropOlder(
        instances.filter((instance) => !isHere(instance)),
        clock.now() - READ_AGAIN,
      )
      for (const slice of slicesOf(accounts.missing(instances))) await Promise.all(slice.map(accounts.load))
      return accounts.sumOf(instances).map(hourOf)
    },
    store: (instance) => running.add(storeOne(instance)).catch(warn),
    async stop() {
      clearInterval(timer)
      await running.ended()
      await look(0).catch(warn)
      await write().catch(warn)
    },
  }
}
