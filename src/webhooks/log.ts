/**
 * The delivery log: one row per event, written with the event and rewritten with every attempt. It holds no content; it is sealed
 * because the path of a webhook URL often is a credential.
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
import type { Sealer } from '../storage/seal.ts'

const time = v.pipe(v.number(), v.integer())

const RowSchema = v.object({
  type: v.picklist(EVENT_TYPES),
  /** Of the last attempt, or configured when the event was written; query values masked. */
  url: v.string(),
  status: v.picklist(LOG_STATUSES),
  /** All attempts ever made, manual ones included. */
  attempts: time,
  /** Failed tries of the running schedule; a manual resend of many begins a new one. Tries in between, while a receiver is away, are none. */
  tries: time,
  /** Where the body is: `line` is the delivery queue, in which it waits for its first attempt or for a receiver that is away. */
  body: v.picklist(['line', 'parked', 'erased']),
  /**
   * Of a parked body: when it is tried again (pending) or erased (failed); part of a key, see keys.due. Of one in the queue that was tried
   * and waits there because its receiver is away: when its schedule tries it next.
   */
  dueAt: v.nullable(time),
  code: v.nullable(time),
  error: v.nullable(v.string()),
  durationMs: v.nullable(time),
  createdAt: time,
  finishedAt: v.nullable(time),
  /** `X-Request-Id` of the request whose outcome the event tells, for the log. */
  requestId: v.optional(v.string()),
  /** The last attempts but for one that delivered it: when each began, and how it ended. Absent in rows of before. */
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

/** Attempts that a row keeps. */
const MAX_FAILURES = 20

/** The failed attempt that the row shows as its last, kept with the ones before. `at`: when it ended. */
export const withFailure = (row: LogRow, at: number): LogRow => {
  const { code, error, durationMs } = row
  const failure = { at: at - (durationMs ?? 0), code, error, durationMs }
  return { ...row, failures: [...row.failures, failure].slice(-MAX_FAILURES) }
}

/** The oldest first. */
export function attemptsOf({ failures, status, code, error, durationMs, finishedAt }: LogRow): WebhookAttempt[] {
  const shown = failures.map(({ durationMs: duration_ms, at, ...rest }) => ({ at: iso(at), ...rest, duration_ms }))
  if (status !== 'delivered' || finishedAt === null) return shown
  return [...shown, { at: iso(finishedAt - (durationMs ?? 0)), code, error, duration_ms: durationMs }]
}

/** Every event names the URL of its webhook, and there are few. */
const KNOWN_URLS = 256
const masked = boundedCache<string, string>(KNOWN_URLS)

/** The URL with the values of its query masked: `?token=***`. */
export function maskUrl(text: string): string {
  const known = masked.get(text)
  if (known !== undefined) return known
  const url = new URL(text)
  url.search = url.search.slice(1).replace(/(^|&)([^=&]*)=[^&]*/g, `$1$2=${MASKED}`)
  const made = url.href.slice(0, MAX_URL_LENGTH)
  masked.set(text, made)
  return made
}

/** Values of a due entry: what is done with a parked event at that time. */
export const RETRY = Buffer.from('retry')
export const ERASE = Buffer.from('erase')

/** Everything an event leaves in storage besides its row. */
export function bodyOps(instanceId: string, eventId: string, row: LogRow): Op[] {
  if (row.body === 'line') return [[keys.outboxEvent(instanceId, eventId), null]]
  if (row.body === 'erased') return []
  const parked: Op = [keys.parkedEvent(instanceId, eventId), null]
  return row.dueAt === null ? [parked] : [parked, [keys.due(instanceId, row.dueAt, eventId), null]]
}
