/**
 * Messages and deliveries of every instance, for each hour of the last seven days. The numbers are taken from the readings every ten seconds, and stored every
 * five minutes: a record for a day of an instance that did something. An hour without activity takes no memory.
 */
import * as v from 'valibot'
import { type Clock, DAY, HOUR, iso, MINUTE, SECOND } from '../domain/clock.ts'
import type { ActivityHour } from '../domain/dashboard.ts'
import type { Log } from '../domain/log.ts'
import type { InstanceReading, Readings } from '../domain/readings.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { repository } from '../storage/repository.ts'

/** Interval in ms at which the usage is read in any case. When a thread crashes, its counts since the last reading are lost. */
const LOOK_EVERY = 10 * SECOND
const WRITE_EVERY = 5 * MINUTE
/** Largest age in ms of a reading that is used without requesting a new one. */
const FRESH = 5 * SECOND
const KEPT = 7 * DAY
/** Number of records of an instance: the days that seven times 24 hours can touch. */
const DAYS = 8

export const AMOUNTS = ['sent', 'received', 'delivered', 'failed'] as const
type Amounts = Record<(typeof AMOUNTS)[number], number>
interface Hour extends Amounts {
  /** Start of the hour in epoch ms. */
  at: number
}

const Count = v.number()
const records = repository<{ hours: Hour[] }>({
  name: 'activity of an instance',
  schema: v.object({
    hours: v.array(v.object({ at: Count, sent: Count, received: Count, delivered: Count, failed: Count })),
  }),
  version: 1,
})

export interface ActivityDeps {
  readings: Pick<Readings, 'all' | 'look'>
  directory: { onDeleted(listener: (instance: string) => void): void; tokenTagOf(instance: string): string | undefined }
  store: Pick<StateStore, 'range' | 'commit'>
  clock: Clock
  log: Log
}

export interface ActivityWatch {
  /** Resolves with the sums of the instances for each hour with activity, oldest first. */
  of(instances: readonly string[]): Promise<ActivityHour[]>
  stop(): Promise<void>
}

const dayOf = (at: number) => Math.floor(at / DAY)

function add(to: Amounts, amounts: Amounts) {
  for (const name of AMOUNTS) to[name] += amounts[name]
}

const totalsOf = ({ work, attempts }: InstanceReading): Amounts => ({
  sent: work.sent,
  received: work.received,
  delivered: attempts.delivered,
  failed: attempts.retry + attempts.failed,
})

/** Returns by how much the totals have grown. If they are smaller than before, a new thread reported them, which counts from zero. */
function grown(before: Amounts | undefined, now: Amounts): Amounts {
  const growth = { ...now }
  for (const name of AMOUNTS) if (before && before[name] <= now[name]) growth[name] -= before[name]
  return growth
}

export async function watchActivity({ readings, directory, store, clock, log }: ActivityDeps): Promise<ActivityWatch> {
  /** Hours with activity of each instance, oldest first. */
  const hours = new Map<string, Hour[]>()
  const totals = new Map<string, Amounts>()
  /** Instances with hours that are not stored yet. */
  const changed = new Set<string>()
  const loads = new Map<string, Promise<void>>()
  let writtenAt = clock.now()

  directory.onDeleted((instance) => {
    for (const each of [hours, totals, changed, loads]) each.delete(instance)
  })

  async function load(instance: string) {
    const found: Hour[] = []
    const onUnreadable = (err: unknown) =>
      log.warn({ err, instance_id: instance }, 'a part of the activity of an instance cannot be read; it is left out')
    for await (const { value } of records.list(store, keys.activity(instance), { onUnreadable })) found.push(...value.hours)
    const now = clock.now()
    const kept = found.filter(({ at }) => at <= now && at > now - KEPT)
    hours.set(
      instance,
      kept.sort((a, b) => a.at - b.at),
    )
  }

  /** Reads the stored hours of an instance when it is seen first. */
  function loaded(instance: string): Promise<void> {
    const begun = loads.get(instance) ?? load(instance)
    loads.set(instance, begun)
    return begun
  }

  function count(reading: InstanceReading) {
    const { instance } = reading
    const now = totalsOf(reading)
    const growth = grown(totals.get(instance), now)
    totals.set(instance, now)
    const of = hours.get(instance) ?? []
    while (of[0] && of[0].at <= clock.now() - KEPT) of.shift()
    if (AMOUNTS.every((name) => growth[name] === 0)) return
    const at = Math.floor(clock.now() / HOUR) * HOUR
    const newest = of.at(-1)
    // An hour that seems to be in the past is that of a clock that was set back.
    if (newest && newest.at >= at) add(newest, growth)
    else of.push({ at, ...growth })
    changed.add(instance)
  }

  async function look() {
    await readings.look(FRESH)
    for (const reading of readings.all()) {
      await loaded(reading.instance)
      if (directory.tokenTagOf(reading.instance) !== undefined) count(reading)
    }
    if (clock.now() - writtenAt >= WRITE_EVERY) await write()
  }

  /** Returns the operations that store the day of the newest hour, and the day before it, which may have ended since the last write. */
  function daysOf(instance: string) {
    const of = hours.get(instance) ?? []
    const last = dayOf(of.at(-1)?.at ?? 0)
    return [last - 1, last].flatMap((day) => {
      const ofDay = of.filter(({ at }) => dayOf(at) === day)
      return ofDay.length > 0 ? [records.encode(keys.activityDay(instance, day % DAYS), { hours: ofDay })] : []
    })
  }

  /** Writes the changed days. A write that fails is repeated with the next one. */
  async function write() {
    const written = [...changed]
    changed.clear()
    writtenAt = clock.now()
    const ops = written.flatMap(daysOf)
    if (ops.length === 0) return
    await store.commit({ ops }).catch((error: unknown) => {
      for (const instance of written) if (hours.has(instance)) changed.add(instance)
      throw error
    })
  }

  const warn = (err: unknown) => log.warn({ err }, 'the activity of the instances could not be read or stored')
  const timer = setInterval(() => void look().catch(warn), LOOK_EVERY)
  timer.unref()

  return {
    async of(instances) {
      await look()
      await Promise.all(instances.map(loaded))
      const sums = new Map<number, Hour>()
      for (const { at, ...amounts } of instances.flatMap((instance) => hours.get(instance) ?? [])) {
        const sum = sums.get(at)
        if (sum) add(sum, amounts)
        else sums.set(at, { at, ...amounts })
      }
      return [...sums.values()].sort((a, b) => a.at - b.at).map((hour) => ({ ...hour, at: iso(hour.at) }))
    },
    async stop() {
      clearInterval(timer)
      await write().catch(warn)
    },
  }
}
