/**
 * Reads the events of an instance from a running service. After a disconnection, it continues after the last handled
 * event.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Agent, request } from 'undici'
import { SECOND } from '../domain/clock.ts'

const FIRST_WAIT = SECOND
const LONGEST_WAIT = 30 * SECOND
/**
 * Milliseconds without a byte after which the connection counts as broken. If the service has sent nothing for
 * 15 s, it sends a comment.
 */
const SILENCE = 45 * SECOND
/** Statuses that a retry cannot change: the request or its credential is wrong. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 404])

export interface EventClientOptions {
  apiUrl: string
  headers: Readonly<Record<string, string>>
  /** Event types to read, as the value of the query parameter; undefined for all types. */
  types: string | undefined
  signal: AbortSignal
  onOpen(): void
  /**
   * Handles an event. The next event waits until the promise resolves. If it rejects, the client connects again, and
   * the service sends this event again.
   */
  onEvent(event: { id: string; data: string }): Promise<void>
  onGap(gap: { from: string; to: string }): void
  onCut(why: string, waitMs: number): void
}

/** Reads events until the signal is aborted, and then resolves. Rejects for an answer that a retry cannot change. */
export async function readEvents(options: EventClientOptions): Promise<void> {
  const { apiUrl, types, signal } = options
  const url = `${apiUrl}/events${types === undefined ? '' : `?types=${encodeURIComponent(types)}`}`
  const dispatcher = new Agent({ headersTimeout: SILENCE, bodyTimeout: SILENCE })
  let last: string | undefined
  let waitMs = FIRST_WAIT

  async function take(message: EventSourceMessage) {
    if (message.event === 'gap') return options.onGap(JSON.parse(message.data))
    if (message.event === undefined && message.id !== undefined) await options.onEvent({ id: message.id, data: message.data })
    last = message.id ?? last
  }

  async function read(): Promise<string> {
    const resumed = last === undefined ? {} : { 'last-event-id': last }
    const { statusCode, body } = await request(url, {
      dispatcher,
      signal,
      headers: { accept: 'text/event-stream', ...options.headers, ...resumed },
    })
    if (statusCode !== 200) {
      const why = sentenceOf(statusCode, await body.text())
      if (FINAL.has(statusCode)) throw new Final(why)
      return why
    }
    options.onOpen()
    const messages: EventSourceMessage[] = []
    const parser = createParser({ onEvent: (message) => messages.push(message) })
    const decoder = new TextDecoder()
    for await (const chunk of body) {
      parser.feed(decoder.decode(chunk as Buffer, { stream: true }))
      for (const message of messages.splice(0)) {
        if (signal.aborted) return ''
        await take(message)
        waitMs = FIRST_WAIT
      }
    }
    return 'the service ended the stream'
  }

  try {
    while (!signal.aborted) {
      const why = await read().catch((error: unknown) => {
        if (error instanceof Final) throw error
        return signal.aborted ? '' : reasonOf(error)
      })
      if (signal.aborted) return
      options.onCut(why, waitMs)
      await pause(waitMs, signal)
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT)
    }
  } finally {
    await dispatcher.destroy()
  }
}

class Final extends Error {}

function sentenceOf(status: number, text: string): string {
  try {
    const { code, message, details } = (JSON.parse(text) as { error: Record<string, unknown> }).error
    const issues = (details as { issues?: { path: string; message: string }[] } | undefined)?.issues ?? []
    return `the service answered ${status} ${code}: ${message}${issues.map(({ path, message }) => ` ${path} ${message}.`).join('')}`
  } catch {
    return `the service answered ${status}`
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'nothing listens on that address'
  if (code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT') return 'the service stopped responding'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'the connection was cut'
  return message || String(code)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
