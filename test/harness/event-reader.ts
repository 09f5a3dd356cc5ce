/** Reads an instance's event stream as a client would do, with the parser of the package `eventsource-parser`. */
import { createParser } from 'eventsource-parser'
import { createArrivals } from './arrivals.ts'

export interface StreamedEvent {
  id: string | undefined
  /** The `event` field: `ready` or `gap`. Undefined for an event of the instance. */
  event: string | undefined
  data: Record<string, unknown>
}

export interface EventReader {
  readonly events: readonly StreamedEvent[]
  /** Resolves with the first event that fits, which may arrive before or after this call. */
  waitFor(what: string, fits: (event: StreamedEvent) => boolean, ms?: number): Promise<StreamedEvent>
  /** The id with which a browser would reconnect after a disconnect. */
  lastId(): string | undefined
  ended: Promise<void>
  cut(): Promise<void>
}

/** Opens the event stream. Rejects with the text of the answer if the answer is not a stream. */
export async function readStream(
  apiUrl: string,
  { types, after }: { types?: string; after?: string } = {},
): Promise<EventReader> {
  const leaving = new AbortController()
  const response = await fetch(`${apiUrl}/events${types === undefined ? '' : `?types=${types}`}`, {
    headers: { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) },
    signal: leaving.signal,
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const arrivals = createArrivals<StreamedEvent>()
  const parser = createParser({
    onEvent({ id, event, data }) {
      arrivals.add({ id, event, data: JSON.parse(data) as Record<string, unknown> })
    },
  })
  async function read() {
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
  }
  const ended = read().catch(() => {})
  return {
    events: arrivals.items,
    ended,
    lastId: () => arrivals.items.findLast(({ id }) => id !== undefined)?.id,
    waitFor: arrivals.waitFor,
    async cut() {
      leaving.abort()
      await ended
    },
  }
}
