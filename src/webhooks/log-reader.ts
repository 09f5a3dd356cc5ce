/**
 * Queries on the webhook log. The keys show which rows match most filters, so only the rows of one page are decrypted.
 * A search for a text must decrypt each row that it checks.
 */
import { decodeTime } from 'ulid'
import { iso } from '../domain/clock.ts'
import type { EventsOf, LogEntry, LogFilter, LogPage, LogReader } from '../domain/webhook-log.ts'
import type { StateStore } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { type LogRow, logRows, soughtTexts, toEntry } from './log.ts'
import { createLogLines, type Found, fits, inOrder, type Line } from './log-lines.ts'

type Store = Pick<StateStore, 'get' | 'range' | 'count'>

/**
 * Maximum number of rows in which one search looks for the text, the newest first. A further request can continue where
 * the search ended (`searched_to`).
 */
const MAX_SEARCHED = 5_000

export type SealerOf = (instanceId: string) => Sealer

export function logReader(store: Store, sealerOf: SealerOf): LogReader {
  const rowsOf = once((instanceId: string) => logRows(sealerOf(instanceId)))

  /**
   * Returns a row of the log. Undefined if the row is gone or cannot be read, for example because its instance is being
   * deleted.
   */
  async function rowOf(instanceId: string, eventId: string): Promise<LogRow | undefined> {
    const key = keys.logEntry(instanceId, eventId)
    const bytes = await store.get(key)
    try {
      return bytes && rowsOf(instanceId).decode(key, bytes)
    } catch {
      return undefined
    }
  }

  const { under, linesOf } = createLogLines(store, rowOf)

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

  /**
   * Searches the rows for a text. The store cannot count matches in encrypted rows, so one pass gives both the page and
   * the total.
   */
  async function search(filter: LogFilter, q: string, lines: readonly Line[]): Promise<LogPage> {
    const sought = q.toLowerCase()
    const data: LogEntry[] = []
    const first = (filter.page - 1) * filter.pageSize
    let [total, searched, oldest] = [0, 0, 0]
    for await (const { instanceId, eventId } of inOrder(lines, true)) {
      if (searched++ >= MAX_SEARCHED) return { data, total, searched_to: iso(oldest) }
      oldest = decodeTime(eventId)
      const row = await rowOf(instanceId, eventId)
      if (!fits(filter, row) || !soughtTexts(row, filter.among).some((text) => text?.toLowerCase().includes(sought))) continue
      if (total >= first && data.length < filter.pageSize) data.push(toEntry(instanceId, eventId, row))
      total++
    }
    return { data, total, searched_to: null }
  }

  return {
    async list(filter) {
      const lines = (await Promise.all(filter.instanceIds.map((id) => linesOf(id, filter, true)))).flat()
      if (filter.q !== undefined) return search(filter, filter.q, lines)
      const counts = await Promise.all(lines.map((line) => line.count()))
      return { data: await page(filter, lines), total: counts.reduce((sum, count) => sum + count, 0), searched_to: null }
    },

    async resendable(range, limit) {
      const events = new Map<string, string[]>()
      let left = limit
      // Only events whose bodies are stored are listed: the waiting and the failed ones.
      const lines = range.instanceIds.flatMap((id) =>
        [keys.outbox(id), keys.parked(id)].map((prefix) => under(id, prefix, range, false)),
      )
      for await (const { instanceId, eventId } of inOrder(lines, false)) {
        const row = await rowOf(instanceId, eventId)
        if (!fits(range, row) || row.body === 'erased') continue
        if (left-- === 0) return { events: byInstance(events), nextFrom: decodeTime(eventId) }
        put(events, { instanceId, eventId })
      }
      return { events: byInstance(events), nextFrom: null }
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
