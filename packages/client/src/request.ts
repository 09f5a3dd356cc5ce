/** Sends the request of one operation: builds it from the input, repeats it if that is safe, and reads the answer. */
import { type ErrorBody, SvcConnectionError, SvcError } from './errors.ts'
import { DEFAULT_ATTEMPTS, pauseBefore } from './repeats.ts'
import type { Route } from './route.ts'
import { pause } from './timers.ts'

export interface ConnectionOptions {
  /** Address of the service, for example `https://gw.example.com`. */
  baseUrl: string
  /** API key of the workspace, or the admin key for administrative operations. */
  apiKey?: string | undefined
  /** Additional secret of the workspace, if the workspace requires one. */
  clientToken?: string | undefined
  /**
   * Time limit of one attempt in ms; 60 seconds by default. If a send waits for its outcome, the time of that wait is
   * added to the limit.
   */
  timeoutMs?: number | undefined
  /** Maximum number of attempts, including the first; 5 by default. */
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
   * Key of the message: the service queues only one message per key within 24 hours. By default each call has a random
   * key. Give a key of your own (for example the id of your order) if your program may make the same call again after a
   * crash.
   */
  idempotencyKey?: string | undefined
  /**
   * Longest time in ms to wait for the outcome of the send. The answer then has the status `sent`, `failed` or
   * `removed`. It has the status `queued` if the time ran out or the connection was lost; the message is still sent.
   */
  waitMs?: number | undefined
}

export type Input = Readonly<Record<string, unknown>>

const DEFAULT_TIMEOUT_MS = 60_000
/** Longest time in ms that the service waits for an outcome within one request. */
const LONGEST_WAIT_MS = 30_000

export interface Requests {
  /**
   * Calls an operation, and resolves with its answer. `prefix` is the path of the instance, which precedes the path of
   * the route. It is empty for operations that belong to no instance.
   */
  call(route: Route, prefix: string, input: Input, options: SendOptions): Promise<unknown>
  /**
   * Sends a GET request, and resolves with the response when its headers arrive. Rejects for an answer that is not a
   * success.
   */
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
    // An instance may be set to the field names of another gateway. This client always uses those of svc.
    const dialect = prefix === '' ? {} : { 'X-Dialect': 'svc' }
    const key = isSend ? { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() } : {}
    const until = Date.now() + (isSend ? (options.waitMs ?? 0) : 0)
    /** The acknowledgement of a send whose outcome the client is waiting for. */
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
        // The service queues only one message per key. So a repeated request does not send another message; it only
        // waits for the outcome.
        if (wait <= 0 || (answer as { status?: string }).status !== 'queued' || Date.now() >= until) return answer
        queued = answer
        // A service that is stopping, or a proxy that drops the header `Prefer`, answers immediately. The pause
        // prevents a fast loop.
        if (Date.now() - began < 1_000) await pause(1_000, options.signal)
      } catch (error) {
        // The message is already in the queue. So the caller gets its acknowledgement, and not the error of a later
        // request for the outcome.
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

/**
 * Puts each field of the input into the path, the query, the headers or the body. Throws if a field belongs nowhere, so
 * that no field is lost silently.
 */
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
    // A body that is not JSON, for example the page of a proxy, leads to the error below.
  }
  return new SvcConnectionError(`the answer with HTTP ${response.status} is not one of the service`, { response })
}
