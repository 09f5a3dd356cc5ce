/** Writes server-sent events (WHATWG HTML, 9.2). A reader that accepts nothing for half a minute is disconnected. */
import { SECOND } from '../domain/clock.ts'
import type { ServerEvent, ServerEvents, StreamReader } from '../domain/server-events.ts'
import { EVENT_STREAM } from '../features/endpoint.ts'
import type { Tally } from '../metrics/tally.ts'

const STALLED = 30 * SECOND

export interface EventStreamOptions {
  /** Closes the connection immediately. An answer cannot end properly if its reader accepts no data. */
  cut(): void
  /** Aborted when the caller has gone. After that, it is possible that no code reads or cancels the answer. */
  gone: AbortSignal
  reader: StreamReader
  tally: Pick<Tally, 'add'>
  stalledMs?: number
}

/** Returns the text of an event. Each line break in the data begins a new `data` line. */
export function eventText(event: ServerEvent): string {
  if ('comment' in event) return `: ${event.comment}\n\n`
  if ('retryMs' in event) return `retry: ${event.retryMs}\n\n`
  const { data, id, event: name } = event
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${name === undefined ? '' : `event: ${name}\n`}${id === undefined ? '' : `id: ${id}\n`}${lines.join('')}\n`
}

/**
 * Returns a response that streams events. The signal that `events` gets is aborted when the stream has ended for any
 * reason.
 */
export function eventStream(events: ServerEvents, options: EventStreamOptions): Response {
  const { cut, gone, reader, tally, stalledMs = STALLED } = options
  const ending = new AbortController()
  const source = events(ending.signal)[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let stalled: ReturnType<typeof setTimeout> | undefined

  function end() {
    clearTimeout(stalled)
    gone.removeEventListener('abort', end)
    ending.abort()
  }
  gone.addEventListener('abort', end)
  if (gone.aborted) end()

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(stalled)
      try {
        const { done, value } = await source.next()
        if (ending.signal.aborted) return
        if (done) {
          end()
          return controller.close()
        }
        controller.enqueue(encoder.encode(eventText(value)))
        if ('data' in value) tally.add('svc_event_stream_events_total', { reader })
        stalled = setTimeout(() => {
          tally.add('svc_event_stream_cuts_total', { reader })
          end()
          cut()
        }, stalledMs)
      } catch (error) {
        end()
        throw error
      }
    },
    cancel: end,
  })
  return new Response(body, {
    // The last header is for nginx, which otherwise buffers the answer.
    headers: { 'Content-Type': EVENT_STREAM, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  })
}
