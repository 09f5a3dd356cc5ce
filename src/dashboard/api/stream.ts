/** Reads a stream of server-sent events with fetch: an EventSource cannot send the header that every request of the page has. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { send } from './client.ts'

export interface StreamReader {
  signal: AbortSignal
  /** Of the last event that came before a cut; empty: none. */
  lastEventId: string
  onOpen(): void
  onEvent(event: EventSourceMessage): void
  /** The service says how long to wait after a cut, ms. */
  onRetry(ms: number): void
}

const isStream = ({ ok, headers }: Response) => ok && headers.get('Content-Type')?.startsWith('text/event-stream')

/** One connection, to its end. `refused`: by the service, so that asking again at once does not help. */
export async function readStream(path: string, reader: StreamReader): Promise<'cut' | 'refused'> {
  const { signal, lastEventId, onOpen, onEvent, onRetry } = reader
  const headers: HeadersInit = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }
  // Whatever breaks a connection is a cut: the reason is nothing that a page could act on.
  const response = await send(new Request(path, { headers, signal, cache: 'no-store' })).catch(() => undefined)
  if (!response) return 'cut'
  if (!isStream(response)) {
    await response.body?.cancel().catch(() => {})
    return 'refused'
  }
  onOpen()
  const parser = createParser({ onEvent, onRetry })
  const decoder = new TextDecoder()
  const body = response.body!.getReader()
  for (;;) {
    const read = await body.read().catch(() => undefined)
    if (!read || read.done) return 'cut'
    parser.feed(decoder.decode(read.value, { stream: true }))
  }
}
