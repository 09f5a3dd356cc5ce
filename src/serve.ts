import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { bodyReader } from './body-reader.ts'
import { MINUTE, SECOND } from './domain/clock.ts'
import { Failure } from './domain/failures.ts'
import { addressText } from './domain/standby-address.ts'
import { type BodySource, LARGE_BODY, LONGEST_BODY } from './http/body.ts'
import { failureResponse } from './http/errors.ts'
import { requestIdOf } from './http/request-id.ts'
import type { BodyReader } from './http/steady-reader.ts'
import { orLate } from './lib/deadline.ts'
import { newUlid } from './lib/ulid.ts'
import { createLingering, type Lingering } from './lingering.ts'
import { answerUnreadable, HEAD_LIMITS, HEADERS_KEPT, headProblem } from './request-head.ts'

interface Handler {
  fetch(request: Request): Response | Promise<Response>
}

interface Peers {
  peer(request: Request): string | undefined
  hasLeft(request: Request): boolean
  cut(request: Request): void
  source: BodySource
}

interface Caller {
  incoming: IncomingMessage
  socket: Socket
  address: string | undefined
  /** True if the body was already returned as a whole. */
  isTaken: boolean
}

/** Answer to requests while the service does not serve yet. */
export interface Waiting {
  sentence: string
  /**
   * Why the service does not serve. `standby`: another service is active. `database`: a standby cannot reach the
   * database. `stopping`: a standby stops.
   */
  reason?: 'standby' | 'database' | 'stopping' | undefined
  /** Identifies the active service. This service is its standby. */
  active?: string | undefined
  /** The last known readiness of the active service, if this standby passes requests on to it. */
  throughActive?: { isReady: boolean; checks: Record<string, string> } | undefined
}

/** Functions to carry out a request in this process. The request has not been read yet. */
export interface Local {
  isServing(): boolean
  serve(): void
}

type Forward = (incoming: IncomingMessage, outgoing: ServerResponse, local: Local) => void

export interface Listening {
  /** The URL `http://host:port`, with the actual port. */
  url: string
  port: number
  explain(waiting: () => Waiting): void
  /**
   * Sets the function that gets all requests before `serve` is called, except those for the health and metrics of this
   * process. If it is undefined, these requests are refused.
   */
  forwardWith(forward: Forward | undefined): void
  /**
   * Carries out a request that another service has passed on. `address` is the address of the caller. Returns false,
   * and does not touch the request, if this process does not serve yet or is stopping.
   */
  takePassedOn(incoming: IncomingMessage, outgoing: ServerResponse, address: string | undefined): boolean
  /** True as soon as `stop` was called. This process then takes no further requests. */
  isStopping(): boolean
  /** Sets the function that answers `GET /metrics` until `serve` is called; `peer` is the address of the socket. */
  metricsWith(answer: (request: Request, peer: string | undefined) => Promise<Response>): void
  /**
   * Begins to serve. Before this call, requests are answered 503, except those for `/health/live` and those for which a
   * function above is set.
   */
  serve(makeApp: (peers: Peers) => Handler): void
  stop(deadlineMs: number): Promise<void>
  /** Closes the socket immediately, for a start that fails before `serve` was called. */
  close(): Promise<void>
}

/**
 * Milliseconds for which an idle connection is kept. Proxies and clients close idle connections earlier (60 s in nginx
 * and AWS). If this side closed first, a request on its way would be lost.
 */
const KEPT_OPEN = 75 * SECOND

const HEALTH = /^\/health\//
const OF_PROCESS = /^\/(health\/|metrics$)/
const LIVE = '/health/live'
const READY = '/health/ready'
const METRICS = '/metrics'
const NO_HOST = 'localhost'

function notStarted(request: Request, pathname: string, { sentence, reason, active, throughActive }: Waiting): Response {
  if (pathname !== READY) return refusal(request, sentence)
  const named = { ...(reason && { reason }), ...(active && { active }) }
  const checks = throughActive?.checks ?? { engine: 'failed' }
  // A standby is ready only if it also reaches the database. Otherwise it could pass requests on, but not take over.
  if (throughActive?.isReady && reason === 'standby') return answered(request, { status: 'ok', checks, ...named })
  return refusal(request, sentence, { checks, ...named })
}

export async function listen({ host, port }: { host: string; port: number }): Promise<Listening> {
  const callers = new WeakMap<Request, Caller>()
  const passedOn = new WeakMap<IncomingMessage, { address: string | undefined }>()
  let forward: Forward | undefined
  let metricsBefore: ((request: Request, peer: string | undefined) => Promise<Response>) | undefined
  let app: Handler | undefined
  let waiting = (): Waiting => ({ sentence: 'The service is starting.' })
  let isStopping = false
  let inFlight = 0
  let drained: (() => void) | undefined

  async function answer(request: Request, { incoming }: HttpBindings): Promise<Response> {
    // The head of a request that was passed on is not checked: the other service has checked it before it added
    // headers.
    const problem = passedOn.has(incoming) ? undefined : headProblem(incoming)
    if (problem) return closing(problem, newUlid())
    const { pathname } = new URL(request.url)
    // `/health/live` is always answered, because a supervisor must not end a process whose start takes long.
    if (app === undefined) {
      if (pathname === LIVE) return answered(request, { status: 'ok' })
      if (pathname !== METRICS || request.method !== 'GET' || metricsBefore === undefined)
        return notStarted(request, pathname, waiting())
      const response = await metricsBefore(request, incoming.socket.remoteAddress)
      response.headers.set('X-Request-Id', requestIdOf(request.headers.get('X-Request-Id'), newUlid))
      return response
    }
    if (isStopping && !HEALTH.test(pathname)) return refusal(request, 'The service is stopping.')
    const { socket } = incoming
    // The address is stored now, because a closed socket no longer has one.
    const { address } = passedOn.get(incoming) ?? { address: socket.remoteAddress }
    callers.set(request, { incoming, socket, address, isTaken: false })
    inFlight++
    try {
      return await app.fetch(request)
    } finally {
      inFlight--
      if (inFlight === 0) drained?.()
    }
  }

  const listener = getRequestListener((request, env) => answer(request, env as HttpBindings), {
    // Used for a request without `Host`, which HTTP/1.0 allows.
    hostname: NO_HOST,
    // Otherwise, if an answer is sent before the body has arrived, the library would close the connection half a second
    // later, and the answer would be lost.
    autoCleanupIncoming: false,
    errorHandler: unreadable,
  })
  const lingering = createLingering((incoming, outgoing) => {
    const serve = () => listener(incoming, outgoing)
    if (app !== undefined || forward === undefined || isOfProcess(incoming) || headProblem(incoming)) return serve()
    forward(incoming, outgoing, { isServing: () => app !== undefined, serve })
  })
  const server = serverOf(lingering)
  await bind(server, host, port)

  const bound = (server.address() as AddressInfo).port
  return {
    url: urlOf(host, bound),
    port: bound,

    explain(next) {
      waiting = next
    },

    forwardWith(next) {
      forward = next
    },

    metricsWith(answer) {
      metricsBefore = answer
    },

    takePassedOn(incoming, outgoing, address) {
      if (app === undefined || isStopping) return false
      passedOn.set(incoming, { address })
      listener(incoming, outgoing)
      return true
    },

    isStopping: () => isStopping,

    serve(makeApp) {
      app = makeApp(peersOf(callers))
    },

    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },

    async stop(deadlineMs) {
      // The socket stays open until the last answer is ready or the time is over, so that a load balancer gets 503.
      isStopping = true
      const answered = new Promise<void>((resolve) => {
        drained = resolve
      })
      if (inFlight > 0) await within(deadlineMs, answered)
      // Idle connections are closed immediately, the others after `FLUSH`, even if an answer is still running.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const cut = setTimeout(() => server.closeAllConnections(), FLUSH)
      await closed
      clearTimeout(cut)
    },
  }
}

/** Creates the HTTP server of a listener, which is not yet bound to an address. */
function serverOf(lingering: Lingering): Server {
  // Node's time limit for the arrival of a request is longer than our own limit for bodies, because only the error of
  // our own limit says that the body was too slow.
  const server = createServer({ ...HEAD_LIMITS, requestTimeout: LONGEST_BODY + MINUTE }, lingering.listener)
  server.maxHeadersCount = HEADERS_KEPT
  server.keepAliveTimeout = KEPT_OPEN
  lingering.attach(server, 'connection')
  server.on('clientError', (error, socket) => lingering.refuse(socket as Socket, answerUnreadable(error, newUlid())))
  return server
}

const peersOf = (callers: WeakMap<Request, Caller>): Peers => ({
  peer: (request) => callers.get(request)?.address,
  hasLeft: (request) => callers.get(request)?.socket.destroyed ?? false,
  cut: (request) => callers.get(request)?.socket.destroy(),
  source: {
    arrived: (request) => arrivedFrom(callers.get(request)),
    reader: (request) => readerOf(callers.get(request)?.incoming),
  },
})

/**
 * True for a request about the health or metrics of this process. Also true for a URL that cannot be read, because such
 * a request is refused here.
 */
function isOfProcess({ url = '' }: IncomingMessage): boolean {
  const base = `http://${NO_HOST}`
  return !URL.canParse(url, base) || OF_PROCESS.test(new URL(url, base).pathname)
}

const NO_BYTES = new Uint8Array()

/**
 * Returns the whole body if it has arrived, is not large, and no code has begun to read it. Empty if an earlier call
 * has returned it; otherwise undefined, and the body must be read piece by piece.
 */
function arrivedFrom(caller: Caller | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (caller === undefined) return undefined
  if (caller.isTaken) return NO_BYTES
  const { incoming } = caller
  const { readableLength } = incoming
  if (incoming.destroyed || incoming.readableDidRead || readableLength > LARGE_BODY) return undefined
  if (!incoming.complete && String(readableLength) !== incoming.headers['content-length']) return undefined
  caller.isTaken = true
  const bytes = incoming.read() as Buffer<ArrayBuffer> | null
  // The end of the body must be read too, because the parser would otherwise keep it.
  incoming.resume()
  return bytes ?? NO_BYTES
}

/** Returns a reader of the body; undefined if there is none, or if other code reads it or has read it. */
const readerOf = (incoming: IncomingMessage | undefined): BodyReader | undefined =>
  incoming === undefined || incoming.readableFlowing !== null || incoming.readableDidRead ? undefined : bodyReader(incoming)

/** Time in ms that finished answers have for their transmission. */
const FLUSH = 250

const refusal = ({ headers }: Request, message: string, details?: Failure['details']): Response =>
  closing(
    new Failure('engine_unavailable', details ? { message, details } : { message }),
    requestIdOf(headers.get('X-Request-Id'), newUlid),
  )

const answered = ({ headers }: Request, body: object): Response =>
  Response.json(body, { headers: { 'X-Request-Id': requestIdOf(headers.get('X-Request-Id'), newUlid) } })

/** Answers a request whose `Host` or path cannot be part of a URL. The application never sees such a request. */
function unreadable(error: unknown): Response {
  const issue =
    error instanceof RequestError ? { path: '', message: 'must have a path and a Host header that form a valid URL' } : undefined
  return closing(issue ? Failure.invalid(issue) : new Failure('internal'), newUlid())
}

function closing(failure: Failure, requestId: string): Response {
  const response = failureResponse(failure)
  response.headers.set('X-Request-Id', requestId)
  response.headers.set('Connection', 'close')
  return response
}

const within = (deadlineMs: number, done: Promise<void>) => orLate(done, deadlineMs, () => {})

const REFUSALS: Record<string, string> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user lacks the permission to listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
}

/** Returns why a port cannot be bound, as part of a sentence. */
export const whyNot = ({ code = '', message }: NodeJS.ErrnoException) => REFUSALS[code] ?? message

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new Error(`The service cannot listen on ${host} port ${port}: ${whyNot(cause)} (SVC_HOST, SVC_PORT).`, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

/** Returns a URL that this machine can reach, even if the service listens on every address. */
function urlOf(host: string, port: number): string {
  return `http://${addressText({ host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port })}`
}
