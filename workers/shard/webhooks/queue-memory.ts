/**
 * The events of the queue as they were written, so that one whose receiver is there is posted without reading it back. It gives the next
 * event only while it is whole: every event of the queue on disk is here, too. Otherwise the disk is read.
 */
import type { LogRow } from '../../../src/webhooks/log.ts'

export interface FreshEvent {
  readonly id: string
  readonly row: LogRow
  readonly body: Uint8Array
}

/** Of one instance: a burst that is faster than its receiver waits on disk. */
const MAX_EVENTS = 256
const MAX_BYTES = 1_024 * 1_024

export interface QueueMemory {
  /** The operations of an event were handed out. */
  appended(event: FreshEvent): void
  /** They are on disk. */
  committed(eventId: string): void
  /** The event is being handled; undefined: it is not known here. */
  take(eventId: string): FreshEvent | undefined
  /** The oldest; undefined for none, and while others may be before it. */
  first(): FreshEvent | undefined
  /** Every event of the queue is here. */
  readonly isWhole: boolean
  /** Before a read of the queue. Call the result when the queue was empty: the memory is whole if it has missed nothing since. */
  reading(): () => void
  /** The queue was changed elsewhere. */
  forget(): void
}

export function createQueueMemory(maxEvents = MAX_EVENTS, maxBytes = MAX_BYTES): QueueMemory {
  /** Handed out and not committed, in the order of their ids. */
  const coming = new Map<string, FreshEvent>()
  /** In the queue: nearly always in the order of their ids. */
  const queued = new Map<string, FreshEvent>()
  let bytes = 0
  let isWhole = false
  /** Counts what was missed, so that a reading knows whether something was. */
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
      // Events for which `committed` never comes were not committed: the oldest go.
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
      // It may be read from disk before `committed` is called: it is handled then.
      return drop(queued, eventId) ?? drop(coming, eventId)
    },
    first() {
      if (!isWhole) return undefined
      let oldest: FreshEvent | undefined
      // Two that were written at once may be committed in another order than their ids.
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
