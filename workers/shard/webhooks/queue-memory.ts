/**
 * Events of the queue in memory, so that one whose receiver is up is posted without reading it back. It returns the next event only while it is
 * complete, that is, while it has every event of the queue on disk. Otherwise the disk is read.
 */
import type { LogRow } from '../../../src/webhooks/log.ts'

export interface FreshEvent {
  readonly id: string
  readonly row: LogRow
  readonly body: Uint8Array
}

/** Number of events of one instance: a burst that is faster than its receiver waits on disk. */
const MAX_EVENTS = 256
const MAX_BYTES = 1_024 * 1_024

export interface QueueMemory {
  /** The operations of an event were returned to the caller. */
  appended(event: FreshEvent): void
  /** They are on disk. */
  committed(eventId: string): void
  /** The event is being handled; undefined if it is not in memory. */
  take(eventId: string): FreshEvent | undefined
  /** The oldest event; undefined if there is none, or while others may come before it. */
  first(): FreshEvent | undefined
  /** Whether every event of the queue is in memory. */
  readonly isWhole: boolean
  /** Call it before a read of the queue. Call the result if the queue was empty: the memory is then complete, unless it has missed an event since. */
  reading(): () => void
  /** The queue was changed elsewhere. */
  forget(): void
}

export function createQueueMemory(maxEvents = MAX_EVENTS, maxBytes = MAX_BYTES): QueueMemory {
  /** Events that are not committed yet, in the order of their ids. */
  const coming = new Map<string, FreshEvent>()
  /** Events in the queue, nearly always in the order of their ids. */
  const queued = new Map<string, FreshEvent>()
  let bytes = 0
  let isWhole = false
  /** Counts missed events, so that a read can detect them. */
  let missed = 0

  function drop(events: Map<string, FreshEvent>, eventId: string): FreshEvent | undefined {
    const event = events.get(eventId)
    if (event === undefined) return undefined
    events.delete(eventId)
    bytes -= event.body.byteLength
    return event
  }

  function forget() {
    missed++
    isWhole = false
    for (const eventId of [...queued.keys()]) drop(queued, eventId)
  }

  return {
    appended(event) {
      coming.set(event.id, event)
      bytes += event.body.byteLength
      if (coming.size + queued.size <= maxEvents && bytes <= maxBytes) return
      forget()
      // Events for which `committed` never comes were not committed; the oldest are evicted.
      for (const eventId of coming.keys()) {
        if (coming.size <= maxEvents && bytes <= maxBytes) break
        drop(coming, eventId)
      }
    },
    committed(eventId) {
      const event = drop(coming, eventId)
      if (event === undefined) return forget()
      queued.set(eventId, event)
      bytes += event.body.byteLength
    },
    take(eventId) {
      // It may be read from disk before `committed` is called, and is then handled.
      return drop(queued, eventId) ?? drop(coming, eventId)
    },
    first() {
      if (!isWhole) return undefined
      let oldest: FreshEvent | undefined
      // Two events that were stored at the same time may be committed in another order than their ids.
      for (const event of queued.values()) if (oldest === undefined || event.id < oldest.id) oldest = event
      return oldest
    },
    get isWhole() {
      return isWhole
    },
    reading() {
      const before = missed
      return () => {
        isWhole = missed === before
      }
    },
    forget,
  }
}
