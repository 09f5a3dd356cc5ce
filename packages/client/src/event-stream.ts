/**
 * Reads the event stream of an instance (server-sent events). If the connection is lost, the reader connects again, and
 * continues after the last event.
 */
import { SvcConnectionError, SvcError } from './errors.ts'
import type { EventOf, EventType } from './event.ts'
import type { Requests } from './request.ts'
import { after, pause } from './timers.ts'

/** A gap in the stream: the service no longer had the events between these two ids. */
export interface Gap {
  from: string
  to: string
}

export interface EventsOptions<T extends EventType> {
  /** Types of events to read. By default, all types are read. */
  types?: readonly T[] | undefined
  /**
   * Id of the last event that your program has handled; the stream begins after it. Without it, the stream begins with
   * the next new event.
   */
  after?: string | undefined
  onGap?: ((gap: Gap) => void) | undefined
  /** Called when the stream is open: the first time, and again after each disconnection. */
  onOpen?: (() => void) | undefined
  /**
   * Called when the connection was lost or could not be opened. `pauseMs` is about the time in ms until the next
   * attempt.
   */
  onCut?: ((error: Error, pauseMs: number) => void) | undefined
  /** Ends the iteration. */
  signal?: AbortSignal | undefined
}

/**
 * Time in ms after which a connection without data counts as broken. If the service has sent nothing for 15 s, it
 * sends a comment.
 */
const SILENCE_MS = 45_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/**
 * Yields events in order. An event counts as handled when the next one is requested. If the connection is lost, the
 * stream continues after the last handled event. Throws if the service refuses the stream permanently.
 */
export async function* readEvents<T extends EventType>(
  requests: Pick<Requests, 'open'>,
  prefix: string,
  { types, after: first, onGap, onOpen, onCut, signal }: EventsOptions<T>,
): AsyncGenerator<EventOf<T>, void, void> {
  const path = `${prefix}/events${types === undefined ? '' : `?types=${encodeURIComponent(types.join(','))}`}`
  let last = first
  let pauseMs = FIRST_PAUSE_MS
  while (!signal?.aborted) {
    const connection = new AbortController()
    const end = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', end, { once: true })
    let error: Error
    try {
      const headers = { Accept: 'text/event-stream', ...(last === undefined ? {} : { 'Last-Event-ID': last }) }
      const isAnswered = endOnSilence(connection)
      const response = await requests.open(path, headers, connection.signal).finally(isAnswered)
      for await (const message of messagesIn(response, connection)) {
        pauseMs = FIRST_PAUSE_MS
        if (message.event === 'ready') onOpen?.()
        else if (message.event === 'gap') onGap?.(JSON.parse(message.data) as Gap)
        else if (message.data !== '') yield JSON.parse(message.data) as EventOf<T>
        last = message.id ?? last
      }
      error = new SvcConnectionError('the service ended the event stream')
    } catch (thrown) {
      if (signal?.aborted) return
      if (!isTemporary(thrown)) throw thrown
      error = thrown
      if (thrown.retryAfter !== undefined) pauseMs = Math.max(pauseMs, thrown.retryAfter * 1_000)
    } finally {
      signal?.removeEventListener('abort', end)
      connection.abort()
    }
    onCut?.(error, pauseMs)
    // The random part spreads the reconnections, because many readers can lose their connections at the same time.
    await pause(pauseMs * (1 + Math.random() / 4), signal).catch(() => {})
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

/** Returns whether a later attempt may succeed. Returns false for a permanent error, such as a wrong credential. */
function isTemporary(error: unknown): error is SvcError | SvcConnectionError {
  if (error instanceof SvcConnectionError) return error.status === undefined || error.status === 429 || error.status >= 500
  return error instanceof SvcError && (error.status === 429 || error.status >= 500)
}

/** Aborts the connection if nothing arrives for `SILENCE_MS`. Call the returned function when something has arrived. */
const endOnSilence = (connection: AbortController) =>
  after(SILENCE_MS, () => connection.abort(new SvcConnectionError('the service sent nothing for 45 s')))

interface Message {
  event: string | undefined
  id: string | undefined
  data: string
}

async function* messagesIn(response: Response, connection: AbortController): AsyncGenerator<Message> {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  if (reader === undefined) return
  let hasArrived = () => {}
  let rest = ''
  let message: Message = { event: undefined, id: undefined, data: '' }
  try {
    for (;;) {
      hasArrived = endOnSilence(connection)
      const { done, value } = await reader.read()
      hasArrived()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line !== '') {
          message = withField(message, line)
          continue
        }
        if (message.event !== undefined || message.id !== undefined || message.data !== '') yield message
        message = { event: undefined, id: undefined, data: '' }
      }
    }
  } catch (cause) {
    if (cause instanceof SvcConnectionError) throw cause
    throw new SvcConnectionError('the event stream was cut off', { cause })
  } finally {
    hasArrived()
  }
}

function withField(message: Message, line: string): Message {
  const [, name, value] = /^(id|event|data): ?(.*?)\r?$/.exec(line) ?? []
  if (name === undefined || value === undefined) return message
  if (name === 'data') return { ...message, data: message.data === '' ? value : `${message.data}\n${value}` }
  return { ...message, [name]: value }
}
