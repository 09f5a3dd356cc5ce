/**
 * Compares sent and received messages: it finds lost, repeated and reordered messages in the same way for every fault
 * test.
 */
import type { Received, Receiver } from '../harness/receiver.ts'

export interface Arrived {
  /** Number of messages that were sent. */
  sent: number
  /** Number of messages that arrived at least once. */
  unique: number
  /** Number of repeated POSTs. Each has an event id that was received before. */
  duplicates: number
  /** Ids of sent messages that have no event. */
  lost: string[]
  /** Ids of messages that have more than one event id. */
  torn: string[]
}

type Event = Received['event']

/** Compares the message ids of the events of this type with the expected message ids. */
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
 * Returns the `received` events that have a text. Notifications of groups and other changes are `received` events, too,
 * but have none.
 */
export const texts = (receiver: Receiver) => receiver.events('received').filter(({ text }) => text !== undefined)

/** Returns each event once, at the place of its first delivery. */
export function firstDeliveries(events: readonly Event[]): Event[] {
  const seen = new Set<string>()
  return events.filter(({ event_id }) => !seen.has(event_id) && seen.add(event_id))
}

/**
 * Returns a sentence for each pair of messages of one sequence that is in the wrong order. `numberOf` returns the
 * number of a message, which increases within its sequence.
 */
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

/** Formats the facts of a suite as one line for the output of the test. */
export const line = (name: string, facts: Record<string, string | number>) =>
  `${name}: ${Object.entries(facts)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ')}`
