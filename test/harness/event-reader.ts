/** Reads an instance's event stream as a client would do, with the parser of the package `eventsource-parser`. */
import { createParser } from 'eventsource-parser'

export interface StreamedEvent {
  id: string | undefined
  /** The `event` field: `ready` or `gap`. Undefined for an event of the instance. */
  event: string | undefined
  data: Record<string, unknown>
}

export interface EventReader {
  readonly events: readonly StreamedEvent[]
  /** The event may arrive before or after this call. */
  waitFor(what: string, fits: (event: StreamedEvent) => boolean, ms?: number): Promise<StreamedEvent>
  /** The id with which a browser would reconnect after a disconnect. */
  lastId(): string | undefined
  ended: Promise<void>
  cut(): Promise<void>
}

/** Rejects with the text of the answer if the answer is not a stream. */
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
  const events: StreamedEvent[] = []
  const waiting = new Set<() => void>()
  const parser = createParser({
    onEvent({ id, event, data }) {
      events.push({ id, event, data: JSON.parse(data) as Record<string, unknown> })
      for (const look of [...waiting]) look()
    },
  })
  async function read() {
    const decoder = new TextDecoder()
    for await (const chunk of response.body!) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
  }
  const ended = read().catch(() => {})
  return {
    events,
    ended,
    lastId: () => events.findLast(({ id }) => id !== undefined)?.id,
    waitFor(what, fits, ms = 20_000) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`no event within ${ms} ms: ${what}; seen: ${JSON.stringify(events).slice(0, 2_000)}`))
        }, ms)
        function look() {
          const found = events.find(fits)
          if (!found) return
          clearTimeout(timer)
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
    async cut() {
      leaving.abort()
      await ended
    },
  }
}
