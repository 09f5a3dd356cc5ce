/** Sends requests to another service over its link, and streams bodies and answers with backpressure. */
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request as ask } from 'node:https'
import { pipeline } from 'node:stream'
import { json } from 'node:stream/consumers'
import { SECOND } from '../domain/clock.ts'
import { Failure } from '../domain/failures.ts'
import { isHost, isPort } from '../domain/standby-address.ts'
import { type Ending, isEventStream, type PeerAddress } from './forward-rules.ts'
import type { KeptBody } from './kept-body.ts'
import { answerHeaders, LINK_ELSEWHERE } from './link-headers.ts'
import { callerTls } from './peer-key.ts'

/** Connections to one service. Event streams have others, because each of them keeps its connection. */
const SOCKETS = 32
const STREAM_SOCKETS = 512
/** Milliseconds until a request has a connection. */
const CONNECT = 2 * SECOND
/** Idle connections end earlier than at the other side, which would otherwise end one just as a request is sent. */
const KEPT_OPEN = 30 * SECOND
const LOOK_DEADLINE = 2 * SECOND

export interface Passed {
  incoming: IncomingMessage
  outgoing: ServerResponse
  headers: Record<string, string[]>
  body: KeptBody
}

export interface Readiness {
  isReady: boolean
  checks: Record<string, string>
}

export interface PeerCaller {
  /** Never rejects. */
  pass(target: PeerAddress, passed: Passed): Promise<Ending>
  /** Asks the other service whether it is ready. Rejects if it cannot be reached, or is not active. */
  look(target: PeerAddress): Promise<Readiness>
  /** Ends the requests that still wait or are answered. */
  endAll(): void
  close(): void
}

export function createPeerCaller(key: Buffer): PeerCaller {
  const agentOf = (maxSockets: number) =>
    new Agent({ ...callerTls(key), keepAlive: true, maxSockets, maxFreeSockets: SOCKETS, scheduling: 'lifo', timeout: KEPT_OPEN })
  const agents = { requests: agentOf(SOCKETS), streams: agentOf(STREAM_SOCKETS), looks: agentOf(1) }
  const underWay = new Set<ClientRequest>()

  return {
    pass: ({ host, port }, { incoming, outgoing, headers, body }) =>
      new Promise((resolve) => {
        const { method, url: path } = incoming
        const agent = isEventStream(method, incoming.headers.accept) ? agents.streams : agents.requests
        const request = ask({ host, port, agent, method, path, headers, setHost: false })
        let isSent = false
        let isAnswered = false
        underWay.add(request)
        const noSocket = setTimeout(() => request.destroy(new Error('The other service accepted no connection.')), CONNECT)
        const leave = () => {
          if (outgoing.writableFinished) return
          request.destroy()
          end({ is: 'left' })
        }
        function end(ending: Ending) {
          clearTimeout(noSocket)
          underWay.delete(request)
          outgoing.off('close', leave)
          resolve(ending)
        }
        function begin() {
          isSent = true
          clearTimeout(noSocket)
          send(request, body).catch((failure: unknown) => {
            if (!isAnswered && failure instanceof Failure) end({ is: 'refused', failure })
            request.destroy()
          })
        }
        outgoing.once('close', leave)
        request.once('socket', (socket) => {
          if (request.reusedSocket) begin()
          else socket.once('secureConnect', begin)
        })
        request.on('error', () => {
          if (!isAnswered) end({ is: isSent ? 'unknown' : 'unsent' })
        })
        request.once('response', (response) => {
          isAnswered = true
          if (response.headers[LINK_ELSEWHERE] !== undefined) {
            activeIn(response).then((active) => {
              end({ is: 'elsewhere', active })
              if (!body.isWhole) request.destroy()
            })
            return
          }
          outgoing.writeHead(response.statusCode!, response.statusMessage!, [
            ...answerHeaders(response.rawHeaders),
            // The rest of a body that nobody reads must not count as the next request.
            ...(incoming.complete ? [] : ['Connection', 'close']),
          ])
          if (response.headers['content-length'] === undefined) outgoing.flushHeaders()
          pipeline(response, outgoing, () => {
            end({ is: 'answered' })
            // The next request on this connection would otherwise become a part of the body.
            if (!request.writableFinished) request.destroy()
          })
        })
      }),

    look: ({ host, port }) =>
      new Promise((resolve, reject) => {
        const signal = AbortSignal.timeout(LOOK_DEADLINE)
        ask({ host, port, agent: agents.looks, path: '/health/ready', signal }, (response) => {
          readinessIn(response).then(resolve, reject)
        })
          .once('error', reject)
          .end()
      }),

    endAll() {
      for (const request of underWay) request.destroy(new Error('The active service has changed.'))
    },

    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

async function send(request: ClientRequest, body: KeptBody): Promise<void> {
  if (body.isWhole) return void request.end(Buffer.concat(body.pieces))
  const ended = new AbortController()
  request.once('close', () => ended.abort())
  const write = async (piece: Uint8Array) => {
    if (!request.write(piece)) await once(request, 'drain', { signal: ended.signal })
  }
  for (const piece of body.pieces) await write(piece)
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) await write(piece)
  request.end()
}

async function readinessIn(response: IncomingMessage): Promise<Readiness> {
  const body = (await json(response)) as { checks?: Readiness['checks']; error?: { details?: { checks?: Readiness['checks'] } } }
  if (response.headers[LINK_ELSEWHERE] !== undefined) throw new Error('The other service is not active, or not yet.')
  return { isReady: response.statusCode === 200, checks: body.checks ?? body.error?.details?.checks ?? {} }
}

async function activeIn(response: IncomingMessage): Promise<PeerAddress | undefined> {
  const found = (await json(response).catch(() => ({}))) as Partial<PeerAddress>
  const { host = '', port = 0 } = found
  return isHost(host) && isPort(port) ? { host, port } : undefined
}
