/** Selects the events of a page from entries that were read from disk. */
import type { EventType } from '../../../../src/domain/events.ts'
import type { EventsPage } from '../../../../src/domain/server-events.ts'
import { PAGE_BYTES, PAGE_EVENTS, type StreamEntry } from './stream-entries.ts'

export interface PageLimits {
  /** Id after which the events of the page begin. */
  after: string
  types: readonly EventType[]
  /** Id before which all events are on disk. The page ends there. */
  end: string
  /** Returns the body of an entry, or undefined if it cannot be read. */
  bodyOf(entry: StreamEntry): string | undefined
}

/**
 * Returns the events of a page, and the position at which it ends. `more` is undefined if the page used every
 * entry: the caller must then look for more on the disk.
 */
export function pageOf(
  found: readonly StreamEntry[],
  { after, types, end, bodyOf }: PageLimits,
): Pick<EventsPage, 'events' | 'cursor'> & { more?: boolean } {
  const events: EventsPage['events'][number][] = []
  let cursor = after
  let size = 0
  for (const entry of found) {
    if (entry.id >= end) return { events, cursor, more: false }
    if (size >= PAGE_BYTES || events.length >= PAGE_EVENTS) return { events, cursor, more: true }
    cursor = entry.id
    if (entry.type !== undefined && !types.includes(entry.type)) continue
    const data = bodyOf(entry)
    if (data === undefined || !types.some((type) => data.startsWith(`{"type":"${type}"`))) continue
    events.push({ id: entry.id, data })
    size += data.length
  }
  return { events, cursor }
}
