/**
 * The webhook log: one row per event, updated with every attempt. A row has the chat, the message id and the answers of
 * the receiver, but not the body of the event. It is encrypted, also because a webhook URL often contains a credential.
 */
import * as v from 'valibot'
import { iso } from '../domain/clock.ts'
import { EVENT_TYPES } from '../domain/events.ts'
import { MASKED } from '../domain/url-text.ts'
import { LOG_STATUSES, type LogEntry, type Sought, type WebhookAttempt } from '../domain/webhook-log.ts'
import { MAX_URL_LENGTH } from '../egress/targets.ts'
import { boundedCache } from '../lib/bounded-cache.ts'
import type { Op } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { type Repository, repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'

const time = v.pipe(v.number(), v.integer())

const RowSchema = v.object({
  type: v.picklist(EVENT_TYPES),
  /** URL of the last attempt, or the one configured when the event was written; query values are masked. */
  url: v.string(),
  status: v.picklist(LOG_STATUSES),
  attempts: time,
  /**
   * Number of failed attempts of the current schedule, without attempts before their time. A manual resend of many
   * events begins a new schedule.
   */
  tries: time,
  /**
   * Place of the body. `line`: in the delivery queue. `parked`: outside of the queue, after a failed attempt or because
   * no URL is configured now. `erased`: no longer stored.
   */
  body: v.picklist(['line', 'parked', 'erased']),
  /** Time of the next attempt. For a failed event, the time at which its body is removed. */
  dueAt: v.nullable(time),
  code: v.nullable(time),
  error: v.nullable(v.string()),
  durationMs: v.nullable(time),
  createdAt: time,
  finishedAt: v.nullable(time),
  /** `X-Request-Id` of the request whose outcome the event reports. */
  requestId: v.optional(v.string()),
  /** Beginning of the answer with which the receiver took the event; absent if it was empty. */
  answer: v.optional(v.string()),
  /** Chat, message and state of the event. A tuple saves space, because a row is written for each event. */
  about: v.optional(v.tuple([v.nullable(v.string()), v.nullable(v.string()), v.string()])),
  /**
   * The last failed attempts: start time, result, and the beginning of the answer if there was one. Absent in older
   * rows.
   */
  failures: v.optional(
    v.array(
      v.object({
        at: time,
        code: v.nullable(time),
        error: v.nullable(v.string()),
        durationMs: v.nullable(time),
        answer: v.optional(v.string()),
      }),
    ),
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
  phone: row.about?.[0] ?? null,
  message_id: row.about?.[1] ?? null,
  state: row.about?.[2] ?? null,
  url: row.url,
  status: row.status,
  attempts: row.attempts,
  last_response_code: row.code,
  last_error: row.error,
  last_duration_ms: row.durationMs,
  last_response_body: lastAnswerOf(row),
  created_at: iso(row.createdAt),
  next_attempt_at: row.status === 'pending' && row.dueAt !== null ? iso(row.dueAt) : null,
  finished_at: row.finishedAt === null ? null : iso(row.finishedAt),
  resendable: row.body !== 'erased',
})

const MAX_FAILURES = 20
/**
 * Largest number of bytes of the answers to failed attempts in a row, as JSON. Six answers in ASCII fit; the oldest are
 * dropped.
 */
const MAX_ANSWERS = 13 * 1_024

/** Adds the attempt that the row shows as its last to the list of failures. `at` is the time when the attempt ended. */
export const withFailure = (row: LogRow, at: number, answer?: string): LogRow => {
  const { code, error, durationMs } = row
  const failure = { at: at - (durationMs ?? 0), code, error, durationMs, ...(answer ? { answer } : {}) }
  return { ...row, failures: withinBudget([...row.failures, failure].slice(-MAX_FAILURES)) }
}

function withinBudget(failures: LogRow['failures']): LogRow['failures'] {
  let left = MAX_ANSWERS
  const kept = failures.toReversed().map(({ answer = '', ...rest }) => {
    left -= Buffer.byteLength(JSON.stringify(answer))
    return answer === '' || left < 0 ? rest : { ...rest, answer }
  })
  return kept.reverse()
}

/**
 * Returns the row without its body. The answers to failed attempts are dropped too, because they may repeat the body.
 */
export const withoutBody = (row: LogRow): LogRow => ({
  ...row,
  body: 'erased',
  dueAt: null,
  failures: row.failures.length === 0 ? row.failures : row.failures.map(({ answer: _, ...rest }) => rest),
})

const lastAnswerOf = ({ status, answer, failures }: LogRow): string | null =>
  (status === 'delivered' ? answer : failures.at(-1)?.answer) ?? null

export function soughtTexts(
  { code, error, answer, about: [phone, messageId, state] = [null, null, ''], failures }: LogRow,
  { answers, people }: Sought = { answers: true, people: true },
): (string | null | undefined)[] {
  return [
    error,
    state,
    ...failures.map((failure) => failure.error),
    ...[code, ...failures.map((failure) => failure.code)].map((status) => (status === null ? null : `HTTP ${status}`)),
    ...(people ? [phone, messageId] : []),
    ...(answers ? [answer, ...failures.map((failure) => failure.answer)] : []),
  ]
}

/** Returns the attempts, the oldest first. */
export function attemptsOf({ failures, status, code, error, durationMs, finishedAt, answer }: LogRow): WebhookAttempt[] {
  const shown = failures.map(({ at, code, error, durationMs, answer }) => ({
    at: iso(at),
    code,
    error,
    duration_ms: durationMs,
    receiver_answer: answer ?? null,
  }))
  if (status !== 'delivered' || finishedAt === null) return shown
  const last = { code, error, duration_ms: durationMs, receiver_answer: answer ?? null }
  return [...shown, { at: iso(finishedAt - (durationMs ?? 0)), ...last }]
}

/** Limit of cached URLs. Each row contains a webhook URL, and there are few different ones. */
const KNOWN_URLS = 256
const masked = boundedCache<string, string>(KNOWN_URLS)

export function maskUrl(text: string): string {
  const known = masked.get(text)
  if (known !== undefined) return known
  const url = new URL(text)
  url.search = url.search.slice(1).replace(/(^|&)([^=&]*)=[^&]*/g, `$1$2=${MASKED}`)
  const made = url.href.slice(0, MAX_URL_LENGTH)
  masked.set(text, made)
  return made
}

/** Values of the records with the times at which something is due: the event is retried, or its body is removed. */
export const RETRY = Buffer.from('retry')
export const ERASE = Buffer.from('erase')

export function bodyOps(instanceId: string, eventId: string, row: LogRow): Op[] {
  if (row.body === 'line') return [[keys.outboxEvent(instanceId, eventId), null]]
  if (row.body === 'erased') return []
  const parked: Op = [keys.parkedEvent(instanceId, eventId), null]
  return row.dueAt === null ? [parked] : [parked, [keys.due(instanceId, row.dueAt, eventId), null]]
}
