/**
 * The link of a service to the others of its store (`SVC_PEER_PORT`). A standby passes requests on to the active service,
 * and answers with its answer. The active service carries them out as if the caller had connected to it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { SECOND, steadyClock } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { failureBody, retryAfterOf } from '../http/errors.ts'
import { requestIdOf } from '../http/request-id.ts'
import { newUlid } from '../lib/ulid.ts'
import type { Logger } from '../log.ts'
import type { Tally } from '../metrics/tally.ts'
import type { Listening, Local } from '../serve.ts'
import { isSentAgain, noActive, outcomeUnknown, type PeerAddress } from './forward-rules.ts'
import { type KeptBody, keepBody } from './kept-body.ts'
import { requestHeaders } from './link-headers.ts'
import { createPeerCaller, type Readiness } from './peer-caller.ts'
import { peerKeyOf } from './peer-key.ts'
import { openPeerPort } from './peer-port.ts'

export interface PeerLinkOptions {
  host: string
  port: number
  secretKey: Uint8Array
  server: Listening
  tally: Tally
  log: Logger
}

/** The active service; `id` differs for each run of a service. */
export interface ActiveService extends PeerAddress {
  id: string
}

export interface PeerLink {
  /** Undefined while no active service is known. */
  setActive(active: ActiveService | undefined): void
  /** The readiness of the active service. Undefined if it gave no answer within the last seconds. */
  readiness(): Readiness | undefined
  /** Ends the forwarding, because this service becomes active. */
  endForwarding(): void
  close(): Promise<void>
}

/** Milliseconds for which a request waits for an active service. */
const PATIENCE = 3 * SECOND
const AGAIN = 100
/** Requests that wait at a time, and bytes of all bodies that are kept. */
const MOST_WAITING = 1_000
const MOST_KEPT = 64 * 1_024 * 1_024
const LOOK_EVERY = SECOND
/** A service that gave no answer for this time in ms does not count as reached. */
const REACHED_FOR = 3 * SECOND
/** After this time in ms without an answer, requests that wait for the active service end. */
const LOST_AFTER = 10 * SECOND

export async function openPeerLink({ host, port, secretKey, server, tally, log }: PeerLinkOptions): Promise<PeerLink> {
  const key = peerKeyOf(secretKey)
  const caller = createPeerCaller(key)
  let active: ActiveService | undefined
  /** Time of its last answer, or of the moment since which it is known. */
  let reachedAt = 0
  let readiness: Readiness | undefined
  let isTold = false
  let waiting = 0
  let kept = 0
  const closePort = await openPeerPort({ host, port, key, log, server, active: () => active })

  async function look(): Promise<void> {
    if (active === undefined) return
    const { id, ...target } = active
    try {
      readiness = await caller.look(target)
      reachedAt = steadyClock.now()
      isTold = false
    } catch (cause) {
      const since = steadyClock.now() - reachedAt
      if (since > LOST_AFTER) caller.endAll()
      if (since <= REACHED_FOR || isTold || active?.id !== id) return
      isTold = true
      log.warn({ err: cause, ...target }, 'the standby cannot reach the active service, so it passes no requests on to it')
    }
  }
  const looking = setInterval(() => void look(), LOOK_EVERY)
  looking.unref()

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse, local: Local): Promise<void> {
    const requestId = requestIdOf(incoming.headers['x-request-id'], newUlid)
    const headers = requestHeaders(incoming.rawHeaders, { address: incoming.socket.remoteAddress, requestId })
    const endsAt = steadyClock.now() + PATIENCE
    const count = (result: 'answered' | 'refused' | 'unknown' | 'left') => tally.add('svc_forwards_total', { result })
    let body: KeptBody | undefined
    let target: PeerAddress | undefined
    let isWaiting = false

    function refuse(failure: Failure) {
      count(failure.details?.reason === 'outcome_unknown' ? 'unknown' : 'refused')
      writeFailure(outgoing, failure, { requestId, isWhole: incoming.complete })
    }
    async function attempt(to: PeerAddress): Promise<'over' | 'again'> {
      if (body === undefined) {
        body = await keepBody(incoming)
        for (const piece of body.pieces) kept += piece.byteLength
      }
      const ending = await caller.pass(to, { incoming, outgoing, headers, body })
      if (ending.is === 'elsewhere') target = ending.active
      if (isSentAgain(ending, body.isWhole)) return 'again'
      if (ending.is === 'refused') refuse(ending.failure)
      else if (ending.is === 'unknown') refuse(outcomeUnknown())
      else if (ending.is === 'answered' || ending.is === 'left') count(ending.is)
      else refuse(noActive())
      return 'over'
    }

    try {
      for (;;) {
        if (outgoing.destroyed) return count('left')
        if (local.isServing()) return body === undefined ? local.serve() : refuse(noActive())
        const to = target ?? active
        target = undefined
        if (to !== undefined && kept < MOST_KEPT && (await attempt(to)) === 'over') return
        if (steadyClock.now() >= endsAt || (!isWaiting && waiting >= MOST_WAITING)) return refuse(noActive())
        if (!isWaiting) waiting++
        isWaiting = true
        await pause(AGAIN)
      }
    } catch (error) {
      if (outgoing.destroyed) count('left')
      else refuse(error instanceof Failure ? error : new Failure('internal', { cause: error }))
    } finally {
      if (isWaiting) waiting--
      if (body !== undefined) dropRest(incoming, body)
      for (const piece of body?.pieces ?? []) kept -= piece.byteLength
    }
  }
  server.forwardWith((incoming, outgoing, local) => void forward(incoming, outgoing, local))

  return {
    setActive(next) {
      if (next?.id === active?.id) return
      if (active !== undefined && next !== undefined) caller.endAll()
      active = next
      reachedAt = steadyClock.now()
      readiness = undefined
      isTold = false
      void look()
    },
    readiness: () => (active !== undefined && steadyClock.now() - reachedAt <= REACHED_FOR ? readiness : undefined),
    endForwarding() {
      active = undefined
      clearInterval(looking)
      caller.endAll()
    },
    async close() {
      clearInterval(looking)
      caller.endAll()
      caller.close()
      await closePort()
    },
  }
}

/** Many callers read the answer only after they have sent everything. */
function dropRest(incoming: IncomingMessage, body: KeptBody): void {
  body.end()
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
