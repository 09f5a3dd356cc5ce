/**
 * Lists of events of an instance. A list is a range of keys under one prefix, which is read only as far as it is
 * needed. The list of events that wait for a retry is read as a whole. So is the queue if one type of it is counted.
 */
import { encodeTime } from 'ulid'
import { EVENT_TYPES } from '../domain/events.ts'
import { LOG_STATUSES, type LogRange } from '../domain/webhook-log.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import { type LogRow, RETRY } from './log.ts'

export interface Line {
  instanceId: string
  ids(): AsyncIterable<string>
  count(): Promise<number>
}

const LAST_MOMENT = 2 ** 48 - 1
const timeKey = (at: number) => encodeTime(Math.min(Math.max(at, 0), LAST_MOMENT))

type Store = Pick<StateStore, 'range' | 'count'>

/** Returns the row of an event. Undefined if the row is gone or cannot be read. */
export type RowOf = (instanceId: string, eventId: string) => Promise<LogRow | undefined>

export const fits = ({ type, status }: LogRange, row: LogRow | undefined): row is LogRow =>
  row !== undefined && (type === undefined || row.type === type) && (status === undefined || row.status === status)

const listed = (instanceId: string, ids: string[], newestFirst: boolean): Line => ({
  instanceId,
  async *ids() {
    yield* newestFirst ? ids.toReversed() : ids
  },
  count: async () => ids.length,
})

export function createLogLines(store: Store, rowOf: RowOf) {
  /** Lists the entries within the range whose key is a prefix followed by an event id. */
  function under(instanceId: string, prefix: string, { from = 0, to = LAST_MOMENT }: LogRange, newestFirst: boolean): Line {
    // An id begins with the prefix of its time and is longer, so it sorts after that prefix.
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

  /**
   * Lists the events that wait for another attempt outside of the queue. Their keys are ordered by the time of that
   * attempt, so the events are sorted here.
   */
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

  /** Returns lists that together contain all events of the filter. Each event is in exactly one of them. */
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

  return { under, linesOf }
}

export interface Found {
  instanceId: string
  eventId: string
}

/**
 * Merges lists by the ids of the events, which begin with the time. An event that moves between lists during the merge
 * is returned only once.
 */
export async function* inOrder(lines: readonly Line[], newestFirst: boolean): AsyncIterable<Found> {
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
