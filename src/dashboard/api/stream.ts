/**
 * Reads server-sent events with fetch, because an EventSource cannot send the header that every request of the page
 * needs.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { send } from './client.ts'

export interface StreamReader {
  signal: AbortSignal
  lastEventId: string
  onOpen(): void
  onEvent(event: EventSourceMessage): void
  /** Called with the delay in ms that the service sets for reconnections. */
  onRetry(ms: number): void
}

const isStream = ({ ok, headers }: Response) => ok && headers.get('Content-Type')?.startsWith('text/event-stream')

/** Reads events until the connection ends. Resolves with `refused` if an immediate retry does not help. */
export async function readStream(path: string, reader: StreamReader): Promise<'cut' | 'refused'> {
  const { signal, lastEventId, onOpen, onEvent, onRetry } = reader
  const headers: HeadersInit = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }
  // Every network error counts as a disconnection, because the page cannot react to the reason.
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
