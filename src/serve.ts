/** Node's side of HTTP: a listening socket around the Web-standard application, and its orderly end. */

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import { bodyReader } from './body-reader.ts'
import { MINUTE, SECOND } from './domain/clock.ts'
import { Failure } from './domain/failures.ts'
import { type BodyReader, type BodySource, LARGE_BODY, LONGEST_BODY } from './http/body.ts'
import { failureResponse } from './http/errors.ts'
import { requestIdOf } from './http/request-id.ts'
import { orLate } from './lib/deadline.ts'
import { newUlid } from './lib/ulid.ts'
import { createLingering } from './lingering.ts'
import { answerUnreadable, HEAD_LIMITS, HEADERS_KEPT, headProblem } from './request-head.ts'

interface Handler {
  fetch(request: Request): Response | Promise<Response>
}

/** How an application reads the socket of a request. */
interface Peers {
  /** Its address. */
  peer(request: Request): string | undefined
  /** The caller has closed it. */
  hasLeft(request: Request): boolean
  /** Ends it as it is. */
  cut(request: Request): void
  source: BodySource
}

interface Caller {
  incoming: IncomingMessage
  socket: Socket
  address: string | undefined
  /** Its body was given out whole. */
  isTaken: boolean
}

export interface Listening {
  /** `http://host:port`, with the port that was taken. */
  url: string
  /** The sentence for those who ask before `serve`. */
  explain(sentence: () => string): void
  /** Until then every request but that for `/health/live` is answered 503. */
  serve(makeApp: (peers: Peers) => Handler): void
  /** Answers those in flight, refuses the others, and closes. */
  stop(deadlineMs: number): Promise<void>
  /** Closes at once, when it has not begun to serve. */
  close(): Promise<void>
}

/**
 * An idle connection is kept this long, in ms. Longer than proxies and clients keep theirs (60 s in nginx and AWS): whoever closes first
 * must not be the side that a request is on its way to, or the request is lost.
 */
const KEPT_OPEN = 75 * SECOND

const HEALTH = /^\/health\//
const LIVE = '/health/live'
const READY = '/health/ready'
const NO_HOST = 'localhost'

/** The port is taken when it resolves. */
export async function listen({ host, port }: { host: string; port: number }): Promise<Listening> {
  const callers = new WeakMap<Request, Caller>()
  let app: Handler | undefined
  let sentence = () => 'The service is starting.'
  let isStopping = false
  let inFlight = 0
  let drained: (() => void) | undefined

  const notStarted = (request: Request, pathname: string) =>
    refusal(request, sentence(), pathname === READY ? { checks: { engine: 'failed' } } : undefined)

  async function answer(request: Request, { incoming }: HttpBindings): Promise<Response> {
    const problem = headProblem(incoming)
    if (problem) return closing(problem, newUlid())
    const { pathname } = new URL(request.url)
    if (app === undefined) return pathname === LIVE ? alive(request) : notStarted(request, pathname)
    if (isStopping && !HEALTH.test(pathname)) return refusal(request, 'The service is stopping.')
    const { socket } = incoming
    // Kept now: a socket that has been closed has no address any more.
    callers.set(request, { incoming, socket, address: socket.remoteAddress, isTaken: false })
    inFlight++
    try {
      return await app.fetch(request)
    } finally {
      inFlight--
      if (inFlight === 0) drained?.()
    }
  }

  const listener = getRequestListener((request, env) => answer(request, env as HttpBindings), {
    // Of a request without `Host`, which HTTP/1.0 allows: balancers ask so whether the service is ready.
    hostname: NO_HOST,
    // It would close the connection half a second after an answer to a body that still comes, and the answer would be lost with it. The
    // application reads on (`discardBody`), also where the connection ends with the answer (`lingering.ts`).
    autoCleanupIncoming: false,
    errorHandler: unreadable,
  })
  // In place of Node's five minutes: bodies have a limit of their own, which is answered with an error.
  const lingering = createLingering(listener)
  const server = createServer({ ...HEAD_LIMITS, requestTimeout: LONGEST_BODY + MINUTE }, lingering.listener)
  server.maxHeadersCount = HEADERS_KEPT
  server.keepAliveTimeout = KEPT_OPEN
  lingering.attach(server)
  server.on('clientError', (error, socket) => lingering.refuse(socket as Socket, answerUnreadable(error, newUlid())))
  await bind(server, host, port)

  return {
    url: urlOf(host, (server.address() as AddressInfo).port),

    explain(next) {
      sentence = next
    },

    serve(makeApp) {
      app = makeApp({
        peer: (request) => callers.get(request)?.address,
        hasLeft: (request) => callers.get(request)?.socket.destroyed ?? false,
        cut: (request) => callers.get(request)?.socket.destroy(),
        source: {
          arrived: (request) => arrivedFrom(callers.get(request)),
          reader: (request) => readerOf(callers.get(request)?.incoming),
        },
      })
    },

    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },

    async stop(deadlineMs) {
      // It listens on until the last answer is made: callers get 503, and a balancer sees that it is not ready.
      isStopping = true
      const answered = new Promise<void>((resolve) => {
        drained = resolve
      })
      if (inFlight > 0) await within(deadlineMs, answered)
      // Ends idle connections, too; those that still carry an answer get a moment, and what is past the deadline is cut.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const cut = setTimeout(() => server.closeAllConnections(), FLUSH)
      await closed
      clearTimeout(cut)
    },
  }
}

const NO_BYTES = new Uint8Array()

/** What nobody has begun to read, once it is there: as much as was announced, or the parser has seen its end. */
function arrivedFrom(caller: Caller | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (caller === undefined) return undefined
  if (caller.isTaken) return NO_BYTES
  const { incoming } = caller
  const { readableLength } = incoming
  if (incoming.destroyed || incoming.readableDidRead || readableLength > LARGE_BODY) return undefined
  if (!incoming.complete && String(readableLength) !== incoming.headers['content-length']) return undefined
  caller.isTaken = true
  const bytes = incoming.read() as Buffer<ArrayBuffer> | null
  // Its end is read, too, or the parser would keep it.
  incoming.resume()
  return bytes ?? NO_BYTES
}

/** Not of a body that somebody reads, or has read. */
const readerOf = (incoming: IncomingMessage | undefined): BodyReader | undefined =>
  incoming === undefined || incoming.readableFlowing !== null || incoming.readableDidRead ? undefined : bodyReader(incoming)

/** Time for answers already made to leave, in ms. */
const FLUSH = 250

const refusal = ({ headers }: Request, message: string, details?: Failure['details']): Response =>
  closing(new Failure('engine_unavailable', details ? { message, details } : { message }), requestIdOf(headers, newUlid))

/** A start may take its time: whoever restarts what is not alive must not end it. */
const alive = ({ headers }: Request): Response =>
  Response.json({ status: 'ok' }, { headers: { 'X-Request-Id': requestIdOf(headers, newUlid) } })

/** A request that became none, of which the application never hears: `Host` or the path is not of the kind that a URL has. */
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

/** The reason why a port cannot be listened on, for a sentence. */
export const whyNot = ({ code = '', message }: NodeJS.ErrnoException) => REFUSALS[code] ?? message

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new Error(`The service cannot listen on ${host} port ${port}: ${whyNot(cause)} (SVC_HOST, SVC_PORT).`, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

/** Reachable from this machine, also when it listens on every address. */
function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
