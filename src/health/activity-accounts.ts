/** The activity of each instance in memory, added to the hours that were stored earlier. */
import { type Clock, HOUR } from '../domain/clock.ts'
import type { InstanceReading } from '../domain/readings.ts'
import {
  type ActivityHours,
  AMOUNTS,
  type Amounts,
  addAmounts,
  addHours,
  emptyHours,
  HOURS,
  type HourRow,
  rowsOf,
} from './activity-hours.ts'

export interface ActivityAccounts {
  missing(instances: readonly string[]): string[]
  /**
   * Reads the stored hours of an instance, unless they were read before. After a failure of the store, the next call
   * tries again.
   */
  load(instance: string): Promise<void>
  /**
   * Adds the growth since the last call for this instance. Returns the changed hour, as hours since the epoch.
   * Undefined if nothing has grown, or if the stored hours were not read.
   */
  count(reading: InstanceReading): number | undefined
  hoursOf(instance: string): ActivityHours | undefined
  /** Returns the sums over the instances for each hour with activity in the last seven days, the oldest first. */
  sumOf(instances: readonly string[]): HourRow[]
  /** Drops the instances whose hours were read before `readBefore`, in epoch ms. */
  dropOlder(instances: readonly string[], readBefore: number): void
  drop(instance: string): void
}

export interface ActivityAccountsDeps {
  load(instance: string): Promise<HourRow[]>
  isKnown(instance: string): boolean
  clock: Clock
}

interface Account {
  hours: ActivityHours
  /** Time at which the stored hours were read, in epoch ms. */
  readAt: number
  /** The last report that was counted; absent before the first one. */
  reported?: { since: number; totals: Amounts }
}

export function createActivityAccounts({ load, isKnown, clock }: ActivityAccountsDeps): ActivityAccounts {
  const accounts = new Map<string, Account>()
  const loading = new Map<string, Promise<void>>()
  const currentHour = () => Math.floor(clock.now() / HOUR)

  async function loadNow(instance: string) {
    const rows = await load(instance)
    const now = currentHour()
    const hours = emptyHours()
    for (const [hour, sent, received, delivered, failed] of rows)
      if (hour <= now && hour > now - HOURS) addAmounts(hours, hour, { sent, received, delivered, failed })
    if (isKnown(instance)) accounts.set(instance, { hours, readAt: clock.now() })
  }

  return {
    missing: (instances) => instances.filter((instance) => !accounts.has(instance)),
    async load(instance) {
      if (accounts.has(instance)) return
      const begun = loading.get(instance) ?? loadNow(instance).finally(() => loading.delete(instance))
      loading.set(instance, begun)
      await begun
    },
    count(reading) {
      const account = accounts.get(reading.instance)
      if (!account) return undefined
      const { since } = reading.work
      const totals = totalsOf(reading)
      const growth = grown(account, since, totals)
      account.reported = { since, totals }
      if (AMOUNTS.every((name) => growth[name] === 0)) return undefined
      const hour = currentHour()
      addAmounts(account.hours, hour, growth)
      return hour
    },
    hoursOf: (instance) => accounts.get(instance)?.hours,
    sumOf(instances) {
      const now = currentHour()
      const sum = emptyHours(now)
      for (const instance of instances) {
        const account = accounts.get(instance)
        if (account) addHours(sum, account.hours)
      }
      return rowsOf(sum, now - HOURS + 1, now)
    },
    dropOlder(instances, readBefore) {
      for (const instance of instances) if ((accounts.get(instance)?.readAt ?? readBefore) < readBefore) accounts.delete(instance)
    },
    drop: (instance) => void accounts.delete(instance),
  }
}

const totalsOf = ({ work, attempts }: InstanceReading): Amounts => ({
  sent: work.sent,
  received: work.received,
  delivered: attempts.delivered,
  failed: attempts.retry + attempts.failed,
})

function grown({ reported }: Account, since: number, totals: Amounts): Amounts {
  const growth = { ...totals }
  if (reported?.since === since) for (const name of AMOUNTS) growth[name] -= reported.totals[name]
  return growth
}
