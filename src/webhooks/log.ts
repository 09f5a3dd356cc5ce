/**
 * The delivery log: one row per event, written with the event and rewritten with every attempt. It holds no content; it is sealed all the
 * same, because the path of a webhook URL often is a credential.
 */
import { decodeTime } from 'ulid'
import * as v from 'valibot'
import { iso } from '../domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../domain/events.ts'
import { MAX_URL_LENGTH } from '../egress/targets.ts'
import type { Op, StateStore } from '../storage/contract.ts'
import { keys } from '../storage/keys.ts'
import { type Repository, repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/seal.ts'

export const LOG_STATUSES = ['pending', 'delivered', 'failed', 'discarded'] as const
export type LogStatus = (typeof LOG_STATUSES)[number]

const time = v.pipe(v.number(), v.integer())

const RowSchema = v.object({
  type: v.picklist(EVENT_TYPES),
  /** Of the last attempt, or configured when the event was written; query values masked. */
  url: v.string(),
  status: v.picklist(LOG_STATUSES),
  /** All attempts ever made, manual ones included. */
  attempts: time,
  /** Failed tries of the running schedule; a manual resend of many begins a new one. */
  tries: time,
  /** Where the body is: in the line, parked, or erased. */
  body: v.picklist(['line', 'parked', 'erased']),
  /** Of a parked body: when it is tried again (pending) or erased (failed). Part of a key, see keys.due. */
  dueAt: v.nullable(time),
  code: v.nullable(time),
  error: v.nullable(v.string()),
  durationMs: v.nullable(time),
  createdAt: time,
  finishedAt: v.nullable(time),
})
export type LogRow = v.InferOutput<typeof RowSchema>

/** As the admin API shows it. */
export interface LogEntry {
  id: string
  instance_id: string
  type: EventType
  url: string
  status: LogStatus
  attempts: number
  last_response_code: number | null
  last_error: string | null
  last_duration_ms: number | null
  created_at: string
  next_attempt_at: string | null
  finished_at: string | null
  resendable: boolean
}

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

export interface LogFilter {
  instanceIds: readonly string[]
  type?: EventType | undefined
  status?: LogStatus | undefined
  /** Bounds of the creation, epoch ms, both inclusive. */
  from?: number | undefined
  to?: number | undefined
  page: number
  pageSize: number
}

/** Newest first, over any number of instances. Reads only: their shards are the writers. */
export async function listLog(
  store: StateStore,
  sealer: Sealer,
  filter: LogFilter,
): Promise<{ data: LogEntry[]; total: number }> {
  const rows = logRows(sealer)
  const needsRow = filter.type !== undefined || filter.status !== undefined
  const first = (filter.page - 1) * filter.pageSize
  const data: LogEntry[] = []
  let total = 0
  for await (const { instanceId, eventId, key, bytes } of newestFirst(store, filter.instanceIds)) {
    const createdAt = decodeTime(eventId)
    if (filter.to !== undefined && createdAt > filter.to) continue
    if (filter.from !== undefined && createdAt < filter.from) break
    const onPage = total >= first && data.length < filter.pageSize
    if (needsRow || onPage) {
      const row = rows.decode(key, bytes)
      if (filter.type !== undefined && row.type !== filter.type) continue
      if (filter.status !== undefined && row.status !== filter.status) continue
      if (onPage) data.push(toEntry(instanceId, eventId, row))
    }
    total++
  }
  return { data, total }
}

/** Event ids begin with their time, so the newest of all instances is the greatest of their newest. */
async function* newestFirst(store: StateStore, instanceIds: readonly string[]) {
  const lines = instanceIds.map((instanceId) => {
    const prefix = keys.log(instanceId)
    return { instanceId, prefix, entries: store.range(prefix, { reverse: true })[Symbol.asyncIterator]() }
  })
  const advance = async (line: (typeof lines)[number]) => {
    const { done, value } = await line.entries.next()
    return done ? undefined : { line, eventId: value[0].slice(line.prefix.length), key: value[0], bytes: value[1] }
  }
  const heads = (await Promise.all(lines.map(advance))).filter((head) => head !== undefined)
  while (heads.length > 0) {
    let newest = 0
    for (let i = 1; i < heads.length; i++) if (heads[i]!.eventId > heads[newest]!.eventId) newest = i
    const { line, eventId, key, bytes } = heads[newest]!
    yield { instanceId: line.instanceId, eventId, key, bytes }
    const next = await advance(line)
    if (next === undefined) heads.splice(newest, 1)
    else heads[newest] = next
  }
}
