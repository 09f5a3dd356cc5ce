/**
 * The delivery log: one row per event, written with the event and rewritten with every attempt. It holds no content; it is sealed
 * because the path of a webhook URL often is a credential.
 */
import { encodeTime } from 'ulid'
import * as v from 'valibot'
import { iso } from '../domain/clock.ts'
import { EVENT_TYPES } from '../domain/events.ts'
import {
  type EventsOf,
  LOG_STATUSES,
  type LogEntry,
  type LogRange,
  type LogReader,
  type WebhookAttempt,
} from '../domain/webhook-log.ts'
import { MAX_URL_LENGTH } from '../egress/targets.ts'
import type { Op, StateStore } from '../storage/contract.ts'
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

/** The URL with the values of its query masked: `?token=***`. */
export function maskUrl(text: string): string {
  const url = new URL(text)
  url.search = url.search.slice(1).replace(/(^|&)([^=&]*)=[^&]*/g, '$1$2=***')
  return url.href.slice(0, MAX_URL_LENGTH)
}

/** Everything an event leaves in storage besides its row. */
export function bodyOps(instanceId: string, eventId: string, row: LogRow): Op[] {
  if (row.body === 'line') return [[keys.outboxEvent(instanceId, eventId), null]]
  if (row.body === 'erased') return []
  const parked: Op = [keys.parkedEvent(instanceId, eventId), null]
  return row.dueAt === null ? [parked] : [parked, [keys.due(instanceId, row.dueAt, eventId), null]]
}

/** The key that seals the rows of an instance. */
export type SealerOf = (instanceId: string) => Sealer

export function logReader(store: Pick<StateStore, 'get' | 'range'>, sealerOf: SealerOf): LogReader {
  /** Undefined for a row that cannot be read: of an instance that is being deleted, say. */
  const rowsOf = once((instanceId: string) => logRows(sealerOf(instanceId)))
  function rowOf({ instanceId, key, bytes }: Found): LogRow | undefined {
    try {
      return rowsOf(instanceId).decode(key, bytes)
    } catch {
      return undefined
    }
  }
  const fits = ({ type, status }: LogRange, row: LogRow) =>
    (type === undefined || row.type === type) && (status === undefined || row.status === status)

  return {
    async list(filter) {
      const needsRow = filter.type !== undefined || filter.status !== undefined
      const first = (filter.page - 1) * filter.pageSize
      const data: LogEntry[] = []
      let total = 0
      for await (const found of inOrder(store, filter, true)) {
        const onPage = total >= first && data.length < filter.pageSize
        if (needsRow || onPage) {
          const row = rowOf(found)
          if (row === undefined || !fits(filter, row)) continue
          if (onPage) data.push(toEntry(found.instanceId, found.eventId, row))
        }
        total++
      }
      return { data, total }
    },

    async resendable(range, limit) {
      const events = new Map<string, string[]>()
      let left = limit
      for await (const found of inOrder(store, range, false)) {
        if (left === 0) break
        const row = rowOf(found)
        if (row === undefined || row.body === 'erased' || !fits(range, row)) continue
        put(events, found)
        left--
      }
      return byInstance(events)
    },

    async owners(instanceIds, eventIds) {
      const events = new Map<string, string[]>()
      for (const instanceId of instanceIds)
        for (const eventId of new Set(eventIds))
          if ((await store.get(keys.logEntry(instanceId, eventId))) !== undefined) put(events, { instanceId, eventId })
      return byInstance(events)
    },
  }
}

function put(events: Map<string, string[]>, { instanceId, eventId }: { instanceId: string; eventId: string }) {
  const known = events.get(instanceId)
  if (known === undefined) events.set(instanceId, [eventId])
  else known.push(eventId)
}

const byInstance = (events: ReadonlyMap<string, string[]>): EventsOf[] =>
  [...events].map(([instanceId, eventIds]) => ({ instanceId, eventIds }))

function once<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>()
  return (name) => {
    const known = made.get(name) ?? make(name)
    made.set(name, known)
    return known
  }
}

interface Found {
  instanceId: string
  eventId: string
  key: string
  bytes: Uint8Array
}

/** Last moment that a ULID can hold. */
const LAST_MOMENT = 2 ** 48 - 1
/** The first characters of all ULIDs of this moment. */
const timeKey = (at: number) => encodeTime(Math.min(Math.max(at, 0), LAST_MOMENT))

/** Event ids begin with their time, so of the heads of all instances the least is the oldest, and the greatest the newest. */
async function* inOrder(
  store: Pick<StateStore, 'range'>,
  { instanceIds, from = 0, to = LAST_MOMENT }: LogRange,
  newestFirst: boolean,
): AsyncIterable<Found> {
  // An id sorts behind the time alone that it begins with.
  const [begin, end] = newestFirst ? [timeKey(to + 1), timeKey(from)] : [timeKey(from), timeKey(to + 1)]
  const isBefore = newestFirst ? (one: string, other: string) => one > other : (one: string, other: string) => one < other
  const lines = instanceIds.map((instanceId) => {
    const prefix = keys.log(instanceId)
    const after = newestFirst && to >= LAST_MOMENT ? {} : { after: prefix + begin }
    return { instanceId, prefix, entries: store.range(prefix, { reverse: newestFirst, ...after })[Symbol.asyncIterator]() }
  })
  const advance = async (line: (typeof lines)[number]) => {
    const { done, value } = await line.entries.next()
    if (done) return undefined
    const eventId = value[0].slice(line.prefix.length)
    const isOutside = newestFirst ? eventId < end : to < LAST_MOMENT && eventId >= end
    return isOutside ? undefined : { line, eventId, key: value[0], bytes: value[1] }
  }
  const heads = (await Promise.all(lines.map(advance))).filter((head) => head !== undefined)
  while (heads.length > 0) {
    let next = 0
    for (let i = 1; i < heads.length; i++) if (isBefore(heads[i]!.eventId, heads[next]!.eventId)) next = i
    const { line, eventId, key, bytes } = heads[next]!
    yield { instanceId: line.instanceId, eventId, key, bytes }
    const following = await advance(line)
    if (following === undefined) heads.splice(next, 1)
    else heads[next] = following
  }
}
