/** Sends requests to another service over its link, and streams bodies and answers with backpressure. */
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request as ask } from 'node:https'
import { pipeline } from 'node:stream'
import { json } from 'node:stream/consumers'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { type ActiveService, type Ending, isEventStream, noActive } from './forward-rules.ts'
import type { KeptBody } from './kept-body.ts'
import { answerHeaders, framed, LEAVING, LINK_ACTIVE, LINK_ELSEWHERE } from './link-headers.ts'
import { callerTls } from './peer-key.ts'
import { whenConnected } from './when-connected.ts'

/**
 * Maximum number of requests that are passed on at a time. Event streams have a separate limit, because each of them
 * lasts for hours.
 */
const PLACES = { requests: 256, streams: 512 }
/** Maximum number of idle connections to one service for requests, and separately for looks. */
const KEPT_FREE = 32
/**
 * Milliseconds for which an idle connection is kept. The other service keeps it longer, because it could otherwise
 * close the connection just as a request is sent.
 */
const KEPT_OPEN = 30 * SECOND
const LOOK_DEADLINE = 2 * SECOND

export interface Passed {
  incoming: IncomingMessage
  outgoing: ServerResponse
  headers: Record<string, string[]>
  body: KeptBody
  /** Milliseconds within which the request must have a connection. */
  connectMs: number
}

export interface Readiness {
  isReady: boolean
  checks: Record<string, string>
  /** The other service stops. It may still finish requests. */
  isLeaving: boolean
}

export interface PeerCaller {
  /** Passes a request on, and its answer back to the caller. */
  pass(target: ActiveService, passed: Passed): Promise<Ending>
  /** Asks the other service whether it is ready. Rejects if it gives no answer. */
  look(target: ActiveService): Promise<Readiness>
  /** Ends all requests that are under way. */
  endAll(): void
  /** Ends the streams of events, and refuses new ones: their readers connect again. */
  endStreams(): void
  /** Ends the requests that are under way now, if they are still under way after this time. */
  endAllIn(ms: number): void
  close(): void
}

export function createPeerCaller(key: Buffer): PeerCaller {
  // The agents have no limit of connections, because a request that waits in the queue of an agent cannot be ended.
  const agentOf = () =>
    new Agent({ ...callerTls(key), keepAlive: true, maxFreeSockets: KEPT_FREE, scheduling: 'lifo', timeout: KEPT_OPEN })
  const agents = { requests: agentOf(), looks: agentOf() }
  const places = { ...PLACES }
  /**
   * Functions that end the requests under way. The value tells whether the request is a stream that a reader holds
   * open.
   */
  const underWay = new Map<(problem: string) => void, () => boolean>()
  let areStreamsOver = false

  return {
    pass: ({ id, host, port }, { incoming, outgoing, headers: ofCaller, body, connectMs }) =>
      new Promise((resolve) => {
        const { method, url: path, socket: callerSocket } = incoming
        let isStream = isEventStream(method, incoming.headers.accept)
        let place: keyof typeof PLACES = isStream ? 'streams' : 'requests'
        if (callerSocket.destroyed) return resolve({ is: 'left' })
        if (isStream && areStreamsOver) return resolve({ is: 'refused', failure: noActive() })
        if (places[place] === 0) return resolve({ is: 'busy' })
        const size = body.isWhole ? sizeOf(body.pieces) : undefined
        const headers = { ...framed(ofCaller, size), [LINK_ACTIVE]: id }
        const request = ask({ host, port, agent: agents.requests, method, path, headers, setHost: false })
        places[place]--
        let isSent = false
        let isAnswered = false
        let isOver = false
        underWay.set(stop, () => isStream)
        const noSocket = setTimeout(() => stop('The other service accepted no connection.'), connectMs)
        function end(ending: Ending) {
          if (isOver) return
          isOver = true
          clearTimeout(noSocket)
          underWay.delete(stop)
          places[place]++
          outgoing.off('close', leave)
          callerSocket.off('close', leave)
          resolve(ending)
        }
        function stop(problem: string) {
          if (!isAnswered) end({ is: isSent ? 'unknown' : 'unsent' })
          request.destroy(new Error(problem))
        }
        function leave() {
          if (outgoing.writableFinished) return
          end({ is: 'left' })
          request.destroy()
        }
        function begin() {
          if (isOver) return
          isSent = true
          clearTimeout(noSocket)
          send(request, body).catch((failure: unknown) => {
            if (!isAnswered && failure instanceof Failure) end({ is: 'refused', failure })
            request.destroy()
          })
        }
        outgoing.once('close', leave)
        // The answer to a pipelined request has no connection before its turn, so the end of the connection must be
        // noticed here.
        callerSocket.once('close', leave)
        whenConnected(request, begin)
        request.on('error', () => {
          if (!isAnswered) end({ is: isSent ? 'unknown' : 'unsent' })
        })
        request.once('response', (response) => {
          isStream ||= method === 'GET' && isEvents(response)
          if (isStream && areStreamsOver) {
            end({ is: 'refused', failure: noActive() })
            request.destroy()
            return
          }
          isAnswered = true
          const elsewhere = response.headers[LINK_ELSEWHERE]
          if (elsewhere !== undefined) {
            response.resume()
            end({ is: 'elsewhere', isLeaving: elsewhere === LEAVING })
            if (!body.isWhole) request.destroy()
            return
          }
          if (place === 'requests' && places.streams > 0 && isEvents(response)) {
            places.requests++
            places.streams--
            place = 'streams'
          }
          writeHead(outgoing, response, { isWhole: incoming.complete })
          pipeline(response, outgoing, () => {
            end({ is: 'answered' })
            // If the body was not sent completely, the next request on this connection would become a part of it.
            if (!request.writableFinished) request.destroy()
          })
        })
      }),

    look: (target) => look(target, agents.looks),

    endAll() {
      for (const stop of [...underWay.keys()]) stop('The active service has changed.')
    },

    endStreams() {
      areStreamsOver = true
      for (const [stop, isStream] of [...underWay]) if (isStream()) stop('This service stops.')
    },

    endAllIn(ms) {
      const former = [...underWay.keys()]
      setTimeout(() => {
        for (const stop of former) if (underWay.has(stop)) stop('The active service has changed.')
      }, ms).unref()
    },

    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/**
 * Writes the head of the answer to the caller. `isWhole` is true if the request of the caller has arrived completely.
 */
function writeHead(outgoing: ServerResponse, response: IncomingMessage, { isWhole }: { isWhole: boolean }): void {
  outgoing.writeHead(response.statusCode!, response.statusMessage!, [
    ...answerHeaders(response.rawHeaders),
    // The rest of a body that nobody reads must not count as the next request.
    ...(isWhole ? [] : ['Connection', 'close']),
  ])
  if (response.headers['content-length'] === undefined) outgoing.flushHeaders()
}

const look = ({ id, host, port }: ActiveService, agent: Agent): Promise<Readiness> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(LOOK_DEADLINE)
    const headers = { [LINK_ACTIVE]: id }
    ask({ host, port, agent, path: '/health/ready', headers, signal }, (response) => {
      readinessIn(response).then(resolve, reject)
    })
      .once('error', reject)
      .end()
  })

const sizeOf = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)

const isEvents = ({ headers }: IncomingMessage) => headers['content-type']?.startsWith('text/event-stream') ?? false

async function send(request: ClientRequest, body: KeptBody): Promise<void> {
  if (body.isWhole) return void request.end(Buffer.concat(body.pieces))
  const ended = new AbortController()
  request.once('close', () => ended.abort())
  const write = async (piece: Uint8Array) => {
    if (!request.write(piece)) await once(request, 'drain', { signal: ended.signal })
  }
  for (const piece of body.pieces) await write(piece)
  body.drop()
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) await write(piece)
  request.end()
}

async function readinessIn(response: IncomingMessage): Promise<Readiness> {
  const body = (await json(response)) as { checks?: Readiness['checks']; error?: { details?: { checks?: Readiness['checks'] } } }
  const elsewhere = response.headers[LINK_ELSEWHERE]
  // The service stops, is not active yet, or has another id than the one that was asked.
  if (elsewhere !== undefined) return { isReady: false, checks: { engine: 'failed' }, isLeaving: elsewhere === LEAVING }
  return {
    isReady: response.statusCode === 200,
    checks: body.checks ?? body.error?.details?.checks ?? {},
    isLeaving: false,
  }
}
