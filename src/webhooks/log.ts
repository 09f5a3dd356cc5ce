/**
 * The webhook log: one row per event, written with the event and updated with every attempt. A row contains nothing of
 * the event's content; it is encrypted because the path of a webhook URL often is a credential.
 */
import * as v from 'valibot'
import { iso } from '../domain/clock.ts'
import { EVENT_TYPES } from '../domain/events.ts'
import { MASKED } from '../domain/url-text.ts'
import { LOG_STATUSES, type LogEntry, type WebhookAttempt } from '../domain/webhook-log.ts'
import { MAX_URL_LENGTH } from '../egress/targets.ts'
import { boundedCache } from '../lib/bounded-cache.ts'
import type { Op } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { type Repository, repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'

const time = v.pipe(v.number(), v.integer())

const RowSchema = v.object({
  type: v.picklist(EVENT_TYPES),
  /** URL of the last attempt, or the URL configured when the event was written; query values are masked. */
  url: v.string(),
  status: v.picklist(LOG_STATUSES),
  /** Number of all attempts, including manual ones. */
  attempts: time,
  /**
   * Failed attempts of the current schedule; a manual resend of many events begins a new schedule. Attempts that only test whether a receiver works
   * again do not count.
   */
  tries: time,
  /**
   * Place of the body. `line` is the delivery queue, in which the body waits for its first attempt or for a receiver
   * that is down.
   */
  body: v.picklist(['line', 'parked', 'erased']),
  /**
   * For a parked body, the time at which it is retried (if pending) or erased (if failed); this time is part of a key (`keys.due`). For an event in
   * the queue that waits because its receiver is down: time of its next scheduled attempt.
   */
  dueAt: v.nullable(time),
  code: v.nullable(time),
  error: v.nullable(v.string()),
  durationMs: v.nullable(time),
  createdAt: time,
  finishedAt: v.nullable(time),
  /** `X-Request-Id` of the request whose outcome the event reports. */
  requestId: v.optional(v.string()),
  /** The last attempts that failed: the time at which each attempt began, and its result. Absent in older rows. */
  failures: v.optional(
    v.array(v.object({ at: time, code: v.nullable(time), error: v.nullable(v.string()), durationMs: v.nullable(time) })),
    [],
  ),
})
export type LogRow = v.InferOutput<typeof RowSchema>

export const logRows = (sealed: Sealer): Repository<LogRow> =>
  repository({ name: 'webhook log row', schema: RowSchema, version: 1, sealed })

export const toEntry = (instanceId: string, eventId: string, row: LogRow): LogEntry => ({
  id: eventId,
  instance_id: instanceId,
  type: row.type,
  url: row.url,
  status: row.status,
  attempts: row.attempts,
  last_response_code: row.code,
  last_error: row.error,
  last_duration_ms: row.durationMs,
  created_at: iso(row.createdAt),
  next_attempt_at: row.status === 'pending' && row.dueAt !== null ? iso(row.dueAt) : null,
  finished_at: row.finishedAt === null ? null : iso(row.finishedAt),
  resendable: row.body !== 'erased',
})

/** Number of attempts that a row keeps. */
const MAX_FAILURES = 20

/**
 * Adds the failed attempt that the row shows as its last to the earlier attempts. `at` is the time when the failed
 * attempt ended.
 */
export const withFailure = (row: LogRow, at: number): LogRow => {
  const { code, error, durationMs } = row
  const failure = { at: at - (durationMs ?? 0), code, error, durationMs }
  return { ...row, failures: [...row.failures, failure].slice(-MAX_FAILURES) }
}

/** Returns the attempts, oldest first. */
export function attemptsOf({ failures, status, code, error, durationMs, finishedAt }: LogRow): WebhookAttempt[] {
  const shown = failures.map(({ durationMs: duration_ms, at, ...rest }) => ({ at: iso(at), ...rest, duration_ms }))
  if (status !== 'delivered' || finishedAt === null) return shown
  return [...shown, { at: iso(finishedAt - (durationMs ?? 0)), code, error, duration_ms: durationMs }]
}

/** Size of the cache of masked URLs. A cache helps because every event contains its webhook URL, and there are few different URLs. */
const KNOWN_URLS = 256
const masked = boundedCache<string, string>(KNOWN_URLS)

/** Returns the URL with masked query values: `?token=***`. */
export function maskUrl(text: string): string {
  const known = masked.get(text)
  if (known !== undefined) return known
  const url = new URL(text)
  url.search = url.search.slice(1).replace(/(^|&)([^=&]*)=[^&]*/g, `$1$2=${MASKED}`)
  const made = url.href.slice(0, MAX_URL_LENGTH)
  masked.set(text, made)
  return made
}

/** Values of a `due` entry. The value states what happens to the parked event at that time. */
export const RETRY = Buffer.from('retry')
export const ERASE = Buffer.from('erase')

/** Returns the operations that remove everything that an event has in storage besides its row. */
export function bodyOps(instanceId: string, eventId: string, row: LogRow): Op[] {
  if (row.body === 'line') return [[keys.outboxEvent(instanceId, eventId), null]]
  if (row.body === 'erased') return []
  const parked: Op = [keys.parkedEvent(instanceId, eventId), null]
  return row.dueAt === null ? [parked] : [parked, [keys.due(instanceId, row.dueAt, eventId), null]]
}
