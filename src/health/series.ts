/**
 * The last hour of the service in points of ten seconds, kept in memory. A point has the growth of the counters and
 * current values.
 */
import { type Clock, iso, SECOND } from '../domain/clock.ts'
import type { HealthPoint } from '../domain/dashboard.ts'
import { BUCKETS } from '../metrics/table.ts'
import { type Numbers, partsOf } from '../metrics/tally.ts'

export const EVERY = 10 * SECOND
/** Number of points, for one hour. */
const KEPT = 360

/** Current values that a point records. */
export interface Standing {
  rssMb: number
  queue: number
  backlog: number
}

export interface Series {
  /** Adds a point. `numbers` are all counters of the service, which never decrease. */
  add(numbers: Numbers, standing: Standing): void
  points(): readonly HealthPoint[]
}

/** Selects series of one metric by their labels, in the order of the table. */
type Chosen = (labels: readonly string[]) => boolean

/** Returns by how much the series of a metric have grown. */
export function growth(name: string, before: Numbers, now: Numbers, chosen: Chosen = () => true): number {
  let total = 0
  for (const [key, value] of now) {
    const [of, ...labels] = partsOf(key)
    if (of === name && chosen(labels)) total += value - (before.get(key) ?? 0)
  }
  return total
}

/**
 * Returns the value in ms below which the fraction `q` of a histogram's new observations lies; the observations are
 * assumed to be evenly spread within a bucket. Null if there are no new observations. Values above the last bound count
 * as the last bound.
 */
export function quantile(name: string, q: number, before: Numbers, now: Numbers, chosen: Chosen = () => true): number | null {
  const counts = Array.from({ length: BUCKETS.length + 1 }, () => 0)
  for (const [key, value] of now) {
    const [of, ...labels] = partsOf(key)
    const bucket = Number(labels.at(-1))
    if (of === name && Number.isInteger(bucket) && chosen(labels)) counts[bucket]! += value - (before.get(key) ?? 0)
  }
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let below = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= q * total) {
      const from = bucket === 0 ? 0 : BUCKETS[bucket - 1]!
      const to = BUCKETS[bucket] ?? from
      return Math.round((from + (to - from) * ((q * total - below) / count)) * SECOND)
    }
    below += count
  }
  return Math.round(BUCKETS.at(-1)! * SECOND)
}

/** Selects the requests of API callers. The dashboard, probes and scrapes poll all the time, so they are not counted. */
const ofApi: Chosen = ([, route = '']) => !route.startsWith('/dashboard') && !route.startsWith('/health') && route !== '/metrics'

export function createSeries(clock: Clock, steady: Clock): Series {
  const points: HealthPoint[] = []
  let before: { numbers: Numbers; at: number } | undefined

  return {
    add(numbers, { rssMb, queue, backlog }) {
      const last = before
      before = { numbers, at: steady.now() }
      // The first sample has no previous one to compare with, and its counts are from a longer time than one interval.
      if (!last) return
      const seconds = Math.max(1, (before.at - last.at) / SECOND)
      const rate = (name: string, chosen?: Chosen) =>
        Math.round((growth(name, last.numbers, numbers, chosen) / seconds) * 100) / 100
      const part = (name: string, q: number, chosen?: Chosen) => quantile(name, q, last.numbers, numbers, chosen)
      points.push({
        at: iso(clock.now()),
        rss_mb: rssMb,
        queue,
        backlog,
        deliveries_per_second: rate('svc_webhook_deliveries_total', ([, result]) => result === 'delivered'),
        failures_per_second: rate('svc_webhook_deliveries_total', ([, result]) => result !== 'delivered'),
        sent_per_second: rate('svc_queue_sent_total'),
        received_per_second: rate('svc_inbound_stanzas_total', ([kind]) => kind === 'message'),
        requests_per_second: rate('svc_http_requests_total', ofApi),
        webhook_p50_ms: part('svc_webhook_duration_seconds', 0.5),
        webhook_p99_ms: part('svc_webhook_duration_seconds', 0.99),
        http_p50_ms: part('svc_http_request_duration_seconds', 0.5, ofApi),
        http_p99_ms: part('svc_http_request_duration_seconds', 0.99, ofApi),
      })
      if (points.length > KEPT) points.shift()
    },
    points: () => points,
  }
}
