/**
 * Usage of every instance over the last day, in memory: 1.7 kB per instance. The usage of a window is the difference
 * between the present totals and the oldest totals in the window.
 */
import { HOUR, MINUTE, SECOND } from '../domain/clock.ts'
import type { InstanceWork } from '../domain/readings.ts'
import { USAGE_AMOUNTS, USAGE_WINDOWS, type UsageAmounts, type UsageWindow, type WindowUsage } from '../domain/usage.ts'

const STEPS: Record<UsageWindow, number> = { minute: 10 * SECOND, hour: 5 * MINUTE, day: HOUR }
const WINDOWS = Object.keys(USAGE_WINDOWS) as UsageWindow[]

interface Row {
  /** Time of the totals in epoch ms, by the steady clock. */
  at: number
  totals: UsageAmounts
}

interface Account {
  newest: Row
  reported: InstanceWork
  rows: Record<UsageWindow, Row[]>
}

export interface UsageHistory {
  add(instance: string, report: InstanceWork, now: number): void
  within(instance: string, window: UsageWindow): WindowUsage | undefined
  last(instance: string): InstanceWork | undefined
  keep(isKnown: (instance: string) => boolean): void
}

const each = (amount: (name: keyof UsageAmounts) => number) =>
  Object.fromEntries(USAGE_AMOUNTS.map((name) => [name, amount(name)])) as UsageAmounts

export function createUsageHistory(): UsageHistory {
  const accounts = new Map<string, Account>()

  function open(report: InstanceWork, now: number): Account {
    // The first report has all work since the thread began to host the instance, so its row begins at that time.
    const first: Row = { at: Math.min(report.since, now), totals: each(() => 0) }
    return { newest: first, reported: report, rows: { minute: [first], hour: [first], day: [first] } }
  }

  /** Returns the new totals. The counts of a new thread have begun at zero again. */
  function grown({ newest, reported }: Account, report: InstanceWork, isFirst: boolean): UsageAmounts {
    const isContinued = !isFirst && report.since === reported.since
    return each((name) => newest.totals[name] + report[name] - (isContinued ? reported[name] : 0))
  }

  return {
    add(instance, report, now) {
      const known = accounts.get(instance)
      const account = known ?? open(report, now)
      account.newest = { at: now, totals: grown(account, report, known === undefined) }
      account.reported = report
      for (const window of WINDOWS) {
        const rows = account.rows[window]
        if (now - rows.at(-1)!.at >= STEPS[window]) rows.push(account.newest)
        while (rows.length > 1 && rows[0]!.at < now - USAGE_WINDOWS[window]) rows.shift()
      }
      accounts.set(instance, account)
    },
    within(instance, window) {
      const account = accounts.get(instance)
      if (account === undefined) return undefined
      const { at, totals } = account.rows[window][0]!
      const { newest } = account
      return { ...each((name) => newest.totals[name] - totals[name]), since: at, spanMs: newest.at - at }
    },
    last: (instance) => accounts.get(instance)?.reported,
    keep(isKnown) {
      for (const instance of accounts.keys()) if (!isKnown(instance)) accounts.delete(instance)
    },
  }
}
