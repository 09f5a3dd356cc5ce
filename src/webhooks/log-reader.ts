/**
 * Queries on the webhook log. A page is found by keys, and only its own rows are opened: filtered rows by their index (`log-index.ts`), waiting ones
 * by the outbox. The store itself counts.
 */
import { encodeTime } from 'ulid'
import { EVENT_TYPES } from '../domain/events.ts'
import {
  type EventsOf,
  LOG_STATUSES,
  type LogEntry,
  type LogFilter,
  type LogRange,
  type LogReader,
} from '../domain/webhook-log.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { type LogRow, logRows, RETRY, toEntry } from './log.ts'

type Store = Pick<StateStore, 'get' | 'range' | 'count'>

/** Returns the sealer for the rows of an instance. */
export type SealerOf = (instanceId: string) => Sealer

/** Events of one instance in the order of their ids, and their number. */
interface Line {
  instanceId: string
  ids(): AsyncIterable<string>
  count(): Promise<number>
}

/** Latest time that a ULID can hold. */
const LAST_MOMENT = 2 ** 48 - 1
/** Common prefix of all ULIDs of this time. */
const timeKey = (at: number) => encodeTime(Math.min(Math.max(at, 0), LAST_MOMENT))

export function logReader(store: Store, sealerOf: SealerOf): LogReader {
  const rowsOf = once((instanceId: string) => logRows(sealerOf(instanceId)))

  /** Undefined for a row that is gone or cannot be read, for example because its instance is being deleted. */
  async function rowOf(instanceId: string, eventId: string): Promise<LogRow | undefined> {
    const key = keys.logEntry(instanceId, eventId)
    const bytes = await store.get(key)
    try {
      return bytes && rowsOf(instanceId).decode(key, bytes)
    } catch {
      return undefined
    }
  }

  const fits = ({ type, status }: LogRange, row: LogRow | undefined): row is LogRow =>
    row !== undefined && (type === undefined || row.type === type) && (status === undefined || row.status === status)

  /** All entries within the range whose key is a prefix followed by an event id. */
  function under(instanceId: string, prefix: string, { from = 0, to = LAST_MOMENT }: LogRange, newestFirst: boolean): Line {
    // An id sorts after the time prefix with which it begins.
    const [first, end] = [prefix + timeKey(from), to >= LAST_MOMENT ? undefined : prefix + timeKey(to + 1)]
    return {
      instanceId,
      async *ids() {
        const after = newestFirst ? (end === undefined ? {} : { after: end }) : { after: first }
        for await (const [key] of store.range(prefix, { reverse: newestFirst, ...after })) {
          if (newestFirst ? key < first : end !== undefined && key >= end) return
          yield key.slice(prefix.length)
        }
      },
      count: () => store.count(prefix, { from: first, before: end }),
    }
  }

  /** Ids that are in memory. */
  const listed = (instanceId: string, ids: string[], newestFirst: boolean): Line => ({
    instanceId,
    async *ids() {
      yield* newestFirst ? ids.toReversed() : ids
    },
    count: async () => ids.length,
  })

  /** Rows that must be opened to check whether they match. */
  const opened = (line: Line, range: LogRange): Line => {
    async function* ids() {
      for await (const eventId of line.ids()) if (fits(range, await rowOf(line.instanceId, eventId))) yield eventId
    }
    return {
      instanceId: line.instanceId,
      ids,
      async count() {
        let found = 0
        for await (const _ of ids()) found++
        return found
      },
    }
  }

  /** Parked events that will be retried. Their keys are ordered by time of retry, so they are sorted here. */
  async function parked(instanceId: string, { from = 0, to = LAST_MOMENT }: LogRange, newestFirst: boolean): Promise<Line> {
    const prefix = keys.dues(instanceId)
    const ids: string[] = []
    for await (const [key, action] of store.range(prefix)) {
      const eventId = key.slice(key.lastIndexOf(':') + 1)
      if (Buffer.compare(action, RETRY) === 0 && eventId >= timeKey(from) && (to >= LAST_MOMENT || eventId < timeKey(to + 1)))
        ids.push(eventId)
    }
    return listed(instanceId, ids.sort(), newestFirst)
  }

  async function waiting(instanceId: string, range: LogRange, newestFirst: boolean): Promise<Line[]> {
    const lines = [under(instanceId, keys.outbox(instanceId), range, newestFirst), await parked(instanceId, range, newestFirst)]
    return range.type === undefined ? lines : lines.map((line) => opened(line, { type: range.type, instanceIds: [] }))
  }

  async function linesOf(instanceId: string, filter: LogRange, newestFirst: boolean): Promise<Line[]> {
    const all = under(instanceId, keys.log(instanceId), filter, newestFirst)
    if (filter.type === undefined && filter.status === undefined) return [all]
    const statuses = filter.status === undefined ? LOG_STATUSES : [filter.status]
    const types = filter.type === undefined ? EVENT_TYPES : [filter.type]
    const lines: Line[] = []
    for (const status of statuses) {
      if (status === 'pending') lines.push(...(await waiting(instanceId, filter, newestFirst)))
      else for (const type of types) lines.push(under(instanceId, keys.logEndedBy(instanceId, status, type), filter, newestFirst))
    }
    return lines
  }

  async function page(filter: LogFilter, lines: readonly Line[]): Promise<LogEntry[]> {
    const data: LogEntry[] = []
    let toSkip = (filter.page - 1) * filter.pageSize
    for await (const { instanceId, eventId } of inOrder(lines, true)) {
      if (data.length === filter.pageSize) break
      if (toSkip-- > 0) continue
      const row = await rowOf(instanceId, eventId)
      // The event may have ended with another outcome in the meantime.
      if (fits(filter, row)) data.push(toEntry(instanceId, eventId, row))
    }
    return data
  }

  return {
    async list(filter) {
      const lines = (await Promise.all(filter.instanceIds.map((id) => linesOf(id, filter, true)))).flat()
      const counts = await Promise.all(lines.map((line) => line.count()))
      return { data: await page(filter, lines), total: counts.reduce((sum, count) => sum + count, 0) }
    },

    async resendable(range, limit) {
      const events = new Map<string, string[]>()
      let left = limit
      // Events whose bodies are stored: waiting ones and failed ones.
      const lines = range.instanceIds.flatMap((id) =>
        [keys.outbox(id), keys.parked(id)].map((prefix) => under(id, prefix, range, false)),
      )
      for await (const { instanceId, eventId } of inOrder(lines, false)) {
        if (left === 0) break
        const row = await rowOf(instanceId, eventId)
        if (!fits(range, row) || row.body === 'erased') continue
        put(events, { instanceId, eventId })
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

interface Found {
  instanceId: string
  eventId: string
}

function put(events: Map<string, string[]>, { instanceId, eventId }: Found) {
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

/**
 * Event ids begin with their time, so the smallest head of all lines is the oldest event, and the greatest is the newest. An event that moves between
 * lines in the meantime is returned once.
 */
async function* inOrder(lines: readonly Line[], newestFirst: boolean): AsyncIterable<Found> {
  const isBefore = newestFirst ? (one: string, other: string) => one > other : (one: string, other: string) => one < other
  const advance = async (instanceId: string, ids: AsyncIterator<string>) => {
    const { done, value: eventId } = await ids.next()
    return done ? undefined : { instanceId, ids, eventId }
  }
  const begun = lines.map(({ instanceId, ids }) => advance(instanceId, ids()[Symbol.asyncIterator]()))
  const heads = (await Promise.all(begun)).filter((head) => head !== undefined)
  let last: Found | undefined
  while (heads.length > 0) {
    let next = 0
    for (let i = 1; i < heads.length; i++) if (isBefore(heads[i]!.eventId, heads[next]!.eventId)) next = i
    const { instanceId, ids, eventId } = heads[next]!
    if (eventId !== last?.eventId || instanceId !== last.instanceId) yield { instanceId, eventId }
    last = { instanceId, eventId }
    const following = await advance(instanceId, ids)
    if (following === undefined) heads.splice(next, 1)
    else heads[next] = following
  }
}
