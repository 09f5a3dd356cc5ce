/**
 * Counts and peaks of a span of time. Samples of adjacent spans can be merged without a loss, so a sample of an hour is
 * as exact as one of ten seconds.
 */
import { iso, SECOND } from '../domain/clock.ts'
import type { HealthPoint } from '../domain/dashboard.ts'
import { BUCKETS } from '../metrics/table.ts'
import { type Numbers, partsOf } from '../metrics/tally.ts'

export interface Standing {
  rssMb: number
  queue: number
  backlog: number
}

export const COUNTS = ['delivered', 'failed', 'sent', 'received', 'requests'] as const
export const TIMES = ['webhookTimes', 'httpTimes'] as const

export interface Sample extends Standing, Record<(typeof COUNTS)[number], number>, Record<(typeof TIMES)[number], number[]> {
  /** End of the span in epoch ms. */
  at: number
  ms: number
}

/** True if a series with these labels is counted. Labels have the order of the table of metrics. */
type Chosen = (labels: readonly string[]) => boolean

/**
 * True for requests of API callers. The dashboard, probes and scrapes send requests all the time, so their requests are
 * not counted.
 */
const ofApi: Chosen = ([, route = '']) => !route.startsWith('/dashboard') && !route.startsWith('/health') && route !== '/metrics'

function growth(name: string, before: Numbers, now: Numbers, chosen: Chosen = () => true): number {
  let total = 0
  for (const [key, value] of now) {
    const [of, ...labels] = partsOf(key)
    if (of === name && chosen(labels)) total += value - (before.get(key) ?? 0)
  }
  return total
}

export function newTimes(name: string, before: Numbers, now: Numbers, chosen: Chosen = () => true): number[] {
  const counts = Array.from({ length: BUCKETS.length + 1 }, () => 0)
  for (const [key, value] of now) {
    const [of, ...labels] = partsOf(key)
    const bucket = Number(labels.at(-1))
    if (of === name && Number.isInteger(bucket) && chosen(labels)) counts[bucket]! += value - (before.get(key) ?? 0)
  }
  return counts
}

/** Estimates the duration in ms below which the fraction `q` of the observations lies; null if there are none. */
export function quantile(counts: readonly number[], q: number): number | null {
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

export function sampleOf(span: { at: number; ms: number }, before: Numbers, now: Numbers, standing: Standing): Sample {
  const grown = (name: string, chosen?: Chosen) => growth(name, before, now, chosen)
  return {
    ...span,
    ...standing,
    delivered: grown('svc_webhook_deliveries_total', ([, result]) => result === 'delivered'),
    failed: grown('svc_webhook_deliveries_total', ([, result]) => result !== 'delivered'),
    sent: grown('svc_queue_sent_total'),
    received: grown('svc_messages_received_total'),
    requests: grown('svc_http_requests_total', ofApi),
    webhookTimes: newTimes('svc_webhook_duration_seconds', before, now),
    httpTimes: newTimes('svc_http_request_duration_seconds', before, now, ofApi),
  }
}

export function merged(earlier: Sample, later: Sample): Sample {
  const sum = { ...later, ms: earlier.ms + later.ms }
  for (const name of ['rssMb', 'queue', 'backlog'] as const) sum[name] = Math.max(earlier[name], later[name])
  for (const name of COUNTS) sum[name] = earlier[name] + later[name]
  for (const name of TIMES) sum[name] = later[name].map((count, bucket) => count + (earlier[name][bucket] ?? 0))
  return sum
}

export function pointOf(sample: Sample): HealthPoint {
  const rate = (count: number) => Math.round((count / (sample.ms / SECOND)) * 100) / 100
  return {
    at: iso(sample.at),
    rss_mb: sample.rssMb,
    queue: sample.queue,
    backlog: sample.backlog,
    deliveries_per_second: rate(sample.delivered),
    failures_per_second: rate(sample.failed),
    sent_per_second: rate(sample.sent),
    received_per_second: rate(sample.received),
    requests_per_second: rate(sample.requests),
    webhook_p50_ms: quantile(sample.webhookTimes, 0.5),
    webhook_p99_ms: quantile(sample.webhookTimes, 0.99),
    http_p50_ms: quantile(sample.httpTimes, 0.5),
    http_p99_ms: quantile(sample.httpTimes, 0.99),
  }
}
