/** Carries out one operation: builds the request from the input, repeats it where that is safe, and reads the answer. */
import { type ErrorBody, SvcConnectionError, SvcError } from './errors.ts'
import { DEFAULT_ATTEMPTS, pauseBefore } from './repeats.ts'
import type { Route } from './route.ts'
import { pause } from './timers.ts'

export interface ConnectionOptions {
  /** Address of the service, for example `https://gw.example.com`. */
  baseUrl: string
  /** API key of the workspace, or the admin key for administrative operations. */
  apiKey?: string | undefined
  /** Additional secret of the workspace, if it demands one. */
  clientToken?: string | undefined
  /** Time for one attempt in ms; 60 seconds by default. A send that waits for its outcome has the time of the wait in addition. */
  timeoutMs?: number | undefined
  /** Number of attempts, including the first; 5 by default. */
  attempts?: number | undefined
  /** A replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  attempts?: number | undefined
}

export interface SendOptions extends CallOptions {
  /**
   * The service queues one message per key within 24 hours. By default each call has a random key; give one of your own
   * (for example the id of your order) if your program may make the same call again after a crash.
   */
  idempotencyKey?: string | undefined
  /**
   * Waits at most this many ms for the outcome. The answer then has the status `sent`, `failed` or `removed`; it has
   * `queued` if the time was over or the connection was lost first, and the message is still sent.
   */
  waitMs?: number | undefined
}

export type Input = Readonly<Record<string, unknown>>

const DEFAULT_TIMEOUT_MS = 60_000
/** Longest time in ms that the service waits for an outcome within one request. */
const LONGEST_WAIT_MS = 30_000

export interface Requests {
  /** `prefix`: path before that of the route, for operations of an instance. */
  call(route: Route, prefix: string, input: Input, options: SendOptions): Promise<unknown>
  /** Opens a response that is read as it arrives. Throws for an answer that is not a success. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<Response>
}

export function createRequests(connection: ConnectionOptions): Requests {
  const base = connection.baseUrl.replace(/\/+$/, '')
  const send = connection.fetch ?? fetch
  const credentials = {
    ...(connection.apiKey === undefined ? {} : { Authorization: `Bearer ${connection.apiKey}` }),
    ...(connection.clientToken === undefined ? {} : { 'Client-Token': connection.clientToken }),
  }

  async function fetched(url: string, init: RequestInit): Promise<Response> {
    try {
      return await send(url, init)
    } catch (cause) {
      if (init.signal?.aborted && init.signal.reason?.name !== 'TimeoutError') throw init.signal.reason
      const why = init.signal?.aborted ? 'the service did not answer in time' : 'the service could not be reached'
      throw new SvcConnectionError(`${why}: ${new URL(url).host}`, { cause })
    }
  }

  async function attempt(route: Route, url: string, init: RequestInit, timeoutMs: number, signal: AbortSignal | undefined) {
    const timeout = AbortSignal.timeout(timeoutMs)
    const response = await fetched(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
    if (!response.ok) throw await errorIn(response)
    return read(route, response).catch((cause: unknown) => {
      if (signal?.aborted) throw signal.reason
      throw new SvcConnectionError('the answer of the service was cut off', { cause })
    })
  }

  async function call(route: Route, prefix: string, input: Input, options: SendOptions): Promise<unknown> {
    const { path, query, headers, body } = split(route, input)
    const attempts = options.attempts ?? connection.attempts ?? DEFAULT_ATTEMPTS
    const timeoutMs = options.timeoutMs ?? connection.timeoutMs ?? DEFAULT_TIMEOUT_MS
    const { isSend } = route
    // An instance can be set to the words of another gateway; this client speaks those of svc.
    const dialect = prefix === '' ? {} : { 'X-Dialect': 'svc' }
    const key = isSend ? { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() } : {}
    const until = Date.now() + (isSend ? (options.waitMs ?? 0) : 0)
    /** The acknowledgement of a send that still waits for its outcome. */
    let queued: unknown
    for (let failures = 0; ; ) {
      const wait = Math.ceil(Math.min(until - Date.now(), LONGEST_WAIT_MS) / 1_000)
      const prefer = wait > 0 ? { Prefer: `wait=${wait}` } : {}
      const init = { method: route.method, headers: { ...credentials, ...dialect, ...headers, ...key, ...prefer }, ...body }
      const began = Date.now()
      try {
        const answer = await attempt(
          route,
          `${base}${prefix}${path}${query}`,
          init,
          timeoutMs + Math.max(0, wait) * 1_000,
          options.signal,
        )
        // The service queues one message per key, so a repeated request only waits for the outcome of that message.
        if (wait <= 0 || (answer as { status?: string }).status !== 'queued' || Date.now() >= until) return answer
        queued = answer
        // A service that is stopping, or a proxy without this header, answers at once.
        if (Date.now() - began < 1_000) await pause(1_000, options.signal)
      } catch (error) {
        // The message is in the queue, so its acknowledgement is worth more to the caller than the failure of a later question.
        if (queued !== undefined) return queued
        failures += 1
        const pauseMs = failures < attempts ? pauseBefore(route, error, failures, Math.random()) : undefined
        if (pauseMs === undefined) throw error
        await pause(pauseMs, options.signal)
      }
    }
  }

  return {
    call,
    async open(path, headers, signal) {
      const response = await fetched(`${base}${path}`, { headers: { ...credentials, ...headers }, ...(signal ? { signal } : {}) })
      if (!response.ok) throw await errorIn(response)
      return response
    },
  }
}

/** Distributes the fields of the input over path, query, headers and body. Throws if one has no place, so that nothing is dropped. */
function split(route: Route, input: Input) {
  const rest = { ...input }
  const take = (name: string) => {
    const value = rest[name]
    delete rest[name]
    return value
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(name)
    if (value === undefined || value === '') throw new TypeError(`${name} is missing`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const name of route.query ?? [])
    for (const value of [take(name)].flat()) if (value !== undefined) search.append(name, String(value))
  const headers: Record<string, string> = {}
  for (const name of route.headers ?? []) {
    const value = take(name)
    if (value !== undefined) headers[name] = String(value)
  }
  const query = search.size > 0 ? `?${search}` : ''
  if (route.body === 'json') {
    headers['Content-Type'] = 'application/json'
    return { path, query, headers, body: { body: JSON.stringify(rest) } }
  }
  const body = route.body === 'bytes' ? { body: take('body') as BodyInit } : {}
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new TypeError(`${unknown} is not an input of ${route.method} ${route.path}`)
  return { path, query, headers, body }
}

function read({ answer }: Route, response: Response): Promise<unknown> {
  if (answer === 'text') return response.text()
  if (answer === 'bytes') return response.arrayBuffer().then((bytes) => new Uint8Array(bytes))
  return response.json()
}

async function errorIn(response: Response): Promise<SvcError | SvcConnectionError> {
  const text = await response.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as { error: ErrorBody }
    if (typeof error.code === 'string' && typeof error.message === 'string') return new SvcError(error, response)
  } catch {
    // A body that is not JSON, for example the page of a proxy, gets the error below.
  }
  return new SvcConnectionError(`the answer with HTTP ${response.status} is not one of the service`, { response })
}
