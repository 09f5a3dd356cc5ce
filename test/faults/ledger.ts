/**
 * Compares the messages that were sent with those that arrived, for the fault tests. Finds lost, repeated and reordered
 * messages.
 */
import type { Received, Receiver } from '../harness/receiver.ts'

export interface Arrived {
  sent: number
  unique: number
  /** Number of repeated POSTs. Each has an event id that was received before. */
  duplicates: number
  lost: string[]
  /** Ids of messages that have more than one event id, so they were reported as two events. */
  torn: string[]
}

type Event = Received['event']

export function compare(
  receiver: Pick<Receiver, 'events'>,
  type: string,
  wanted: readonly string[],
  idOf = ({ message_id }: Event) => String(message_id),
): Arrived {
  const events = receiver.events(type)
  const byMessage = new Map<string, Set<string>>()
  let duplicates = 0
  for (const event of events) {
    const id = idOf(event)
    const seen = byMessage.get(id) ?? new Set()
    if (seen.has(event.event_id)) duplicates++
    seen.add(event.event_id)
    byMessage.set(id, seen)
  }
  return {
    sent: wanted.length,
    unique: wanted.filter((id) => byMessage.has(id)).length,
    duplicates,
    lost: wanted.filter((id) => !byMessage.has(id)),
    torn: [...byMessage].filter(([, ids]) => ids.size > 1).map(([id]) => id),
  }
}

export const textOf = (event: Event) => String((event.text as { message: string }).message)

/**
 * Returns the `received` events that have a text. Notifications, for example of groups, are `received` events without a
 * text.
 */
export const texts = (receiver: Receiver) => receiver.events('received').filter(({ text }) => text !== undefined)

export function firstDeliveries(events: readonly Event[]): Event[] {
  const seen = new Set<string>()
  return events.filter(({ event_id }) => !seen.has(event_id) && seen.add(event_id))
}

/** Returns a sentence for each item with a lower number than an earlier item of the same sequence (`lineOf`). */
export function outOfOrder<T>(items: readonly T[], lineOf: (item: T) => string, numberOf: (item: T) => number): string[] {
  const last = new Map<string, number>()
  const wrong: string[] = []
  for (const item of items) {
    const line = lineOf(item)
    const number = numberOf(item)
    const before = last.get(line) ?? -1
    if (number < before) wrong.push(`${line}: ${number} after ${before}`)
    last.set(line, Math.max(before, number))
  }
  return wrong
}

export const line = (name: string, facts: Record<string, string | number>) =>
  `${name}: ${Object.entries(facts)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ')}`
