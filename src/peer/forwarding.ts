/**
 * Passes requests on to the active service. A request waits a moment if no service is active, and is sent again if it
 * cannot have been carried out.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE, SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import type { Log } from '../domain/log.ts'
import { failureBody, retryAfterOf } from '../http/errors.ts'
import { requestIdOf } from '../http/request-id.ts'
import { deferred } from '../lib/deferred.ts'
import { newUlid } from '../lib/ulid.ts'
import type { Tally } from '../metrics/tally.ts'
import type { Local } from '../serve.ts'
import { type ActiveService, isSentAgain, noActive, outcomeUnknown, tooMany } from './forward-rules.ts'
import { type KeptBody, keepBody, NO_BODY } from './kept-body.ts'
import { requestHeaders } from './link-headers.ts'
import type { PeerCaller } from './peer-caller.ts'
import { createRoom } from './room.ts'

export interface ForwardingOptions {
  caller: Pick<PeerCaller, 'pass'>
  tally: Tally
  /** Undefined while no active service is known. */
  active(): ActiveService | undefined
  /** False if the active service has no port for requests that are passed on, so no request waits for it. */
  isPossible(): boolean
  /** Called when a service has said that it stops, so nothing more must be passed on to it. */
  onLeaving(service: ActiveService): void
  /**
   * Returns the address of this service's own link. A request whose body was read before this service became active is
   * sent there.
   */
  self(): ActiveService | undefined
  log: Pick<Log, 'warn'>
}

export interface Forwarding {
  forward(incoming: IncomingMessage, outgoing: ServerResponse, local: Local): void
  /** Number of requests that are not yet answered. */
  underWay(): number
  /** Resolves when no request is under way. */
  idle(): Promise<void>
  /** Each answer that begins from now on ends its connection, so that callers connect to another service. */
  closeConnections(): void
  /** Begins no further attempt to pass a request on. Requests that wait for an attempt are refused. */
  sendNoMore(): void
  /** Resolves when all answers were written to their connections. */
  flushed(): Promise<void>
}

/** Milliseconds for which a request waits for an active service, including all attempts to connect. */
const PATIENCE = 3 * SECOND
/** Milliseconds for which one attempt to connect may last. */
const CONNECT = 2 * SECOND
const AGAIN = 100
const MOST_WAITING = 1_000
/** Maximum number of requests whose body is being read, that wait, or that are being passed on. */
const MOST_UNDER_WAY = 2_000
/** Number of bytes of all kept bodies together from which on no further piece is kept. */
const MOST_KEPT = 64 * 1_024 * 1_024
const TELL_EVERY = MINUTE

export function createForwarding({ caller, tally, active, isPossible, onLeaving, self, log }: ForwardingOptions): Forwarding {
  const room = createRoom(MOST_KEPT)
  let underWay = 0
  let waiting = 0
  const tell = createRefusalLog(log)
  let isClosing = false
  const open = new Set<ServerResponse>()
  const interrupts = new Set<() => void>()
  let isNoMore = false
  let onIdle = () => {}

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse, local: Local): Promise<void> {
    const requestId = requestIdOf(incoming.headers['x-request-id'], newUlid)
    const headers = requestHeaders(incoming.rawHeaders, { address: incoming.socket.remoteAddress, requestId })
    const endsAt = steadyClock.now() + PATIENCE
    const count = (result: 'answered' | 'refused' | 'unknown' | 'left') => tally.add('svc_forwards_total', { result })
    const hasLeft = () => outgoing.destroyed || incoming.socket.destroyed
    let body: KeptBody | undefined
    let isRead = false
    let isWaiting = false
    let why = noActive

    function refuse(failure: Failure) {
      const { reason } = failure.details ?? {}
      if (reason !== undefined) tell(reason)
      count(reason === 'outcome_unknown' ? 'unknown' : 'refused')
      writeFailure(outgoing, failure, { requestId, isWhole: incoming.complete })
    }
    async function readBody(): Promise<KeptBody | undefined> {
      const reading = keepBody(incoming, room)
      const interrupted = deferred<undefined>()
      const interrupt = () => interrupted.resolve(undefined)
      interrupts.add(interrupt)
      const read = await Promise.race([reading, interrupted.promise]).finally(() => interrupts.delete(interrupt))
      if (read === undefined) reading.then(({ end }) => end()).catch(() => {})
      return read
    }
    const target = () => (local.isServing() ? self() : active())
    async function attempt(to: ActiveService): Promise<'over' | 'again'> {
      isRead = true
      body ??= await readBody()
      if (body === undefined || isNoMore) {
        refuse(noActive())
        return 'over'
      }
      // Another service may have become active while the body arrived.
      if (target()?.id !== to.id) return 'again'
      const connectMs = Math.max(AGAIN, Math.min(CONNECT, endsAt - steadyClock.now()))
      const ending = await caller.pass(to, { incoming, outgoing, headers, body, connectMs })
      why = ending.is === 'busy' ? tooMany : noActive
      if (ending.is === 'elsewhere' && ending.isLeaving) onLeaving(to)
      if (isSentAgain(ending, body.isWhole)) return 'again'
      if (ending.is === 'refused') refuse(ending.failure)
      else if (ending.is === 'unknown') refuse(outcomeUnknown())
      else if (ending.is === 'answered' || ending.is === 'left') count(ending.is)
      else refuse(why())
      return 'over'
    }
    function serveHere() {
      isRead = false
      local.serve()
    }

    if (underWay >= MOST_UNDER_WAY) return refuse(tooMany())
    underWay++
    try {
      for (;;) {
        if (hasLeft()) return count('left')
        const isBodyRead = body !== undefined && body !== NO_BODY
        if (local.isServing() && !isBodyRead) return serveHere()
        if (!isPossible() || isNoMore) return refuse(noActive())
        const to = target()
        if (to !== undefined && (await attempt(to)) === 'over') return
        if (steadyClock.now() >= endsAt) return refuse(why())
        if (!isWaiting && waiting >= MOST_WAITING) return refuse(tooMany())
        if (!isWaiting) waiting++
        isWaiting = true
        await pause(AGAIN)
      }
    } catch (error) {
      if (hasLeft()) count('left')
      else refuse(error instanceof Failure ? error : new Failure('internal', { cause: error }))
    } finally {
      underWay--
      if (isWaiting) waiting--
      if (isRead) dropRest(incoming, body)
      if (underWay === 0) onIdle()
    }
  }

  return {
    forward: (incoming, outgoing, local) => {
      // Each pipelined request adds a listener for the end of its connection, so Node must not warn of too many.
      incoming.socket.setMaxListeners(0)
      if (isClosing) outgoing.shouldKeepAlive = false
      open.add(outgoing)
      outgoing.once('close', () => open.delete(outgoing))
      void forward(incoming, outgoing, local)
    },
    underWay: () => underWay,
    idle: () =>
      new Promise((resolve) => {
        onIdle = resolve
        if (underWay === 0) resolve()
      }),
    closeConnections() {
      isClosing = true
      for (const outgoing of open) if (!outgoing.headersSent) outgoing.shouldKeepAlive = false
    },
    sendNoMore() {
      isNoMore = true
      for (const interrupt of interrupts) interrupt()
    },
    async flushed() {
      await Promise.all([...open].map((outgoing) => once(outgoing, 'close')))
    },
  }
}

/** Returns a function that logs refusals at most once a minute. */
function createRefusalLog(log: Pick<Log, 'warn'>): (reason: unknown) => void {
  let untold = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return (reason) => {
    untold++
    if (steadyClock.now() - toldAt < TELL_EVERY) return
    log.warn({ requests: untold, reason }, 'the standby could not pass requests on, and answered them with 503')
    toldAt = steadyClock.now()
    untold = 0
  }
}

/**
 * Frees the kept body, and reads the rest of the request: many callers read the answer only after they have sent
 * everything.
 */
function dropRest(incoming: IncomingMessage, body: KeptBody | undefined): void {
  body?.end()
  if (incoming.complete) return
  incoming.removeAllListeners('data')
  incoming.resume()
}

function writeFailure(
  outgoing: ServerResponse,
  failure: Failure,
  { requestId, isWhole }: { requestId: string; isWhole: boolean },
): void {
  const text = JSON.stringify(failureBody(failure))
  const retryAfter = retryAfterOf(failure)
  outgoing.writeHead(failure.status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': requestId,
    'Cache-Control': 'no-store',
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
    ...(isWhole ? {} : { Connection: 'close' }),
  })
  outgoing.end(text)
}
