/**
 * The port at which other services pass requests on to this one, or send it commands and questions. It answers only
 * services with the same secret key.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { MINUTE, SECOND } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import { LONGEST_BODY } from '../http/body.ts'
import { newUlid } from '../lib/ulid.ts'
import { createLingering } from '../lingering.ts'
import { answerUnreadable, HEAD_LIMITS, HEADERS_KEPT } from '../request-head.ts'
import { type Listening, whyNot } from '../serve.ts'
import {
  LEAVING,
  LINK_ACTIVE,
  LINK_ADDRESS,
  LINK_ELSEWHERE,
  LINK_ENGINE,
  LINK_LEAVE,
  LINK_LOOK,
  LINK_REACH,
  MORE_HEADERS,
  withoutLink,
} from './link-headers.ts'
import { portTls } from './peer-key.ts'
import { answerQuestion, type LeaveAnswer } from './reach-caller.ts'

export interface PeerPortOptions {
  host: string
  port: number
  key: Buffer
  log: Log
  server: Pick<Listening, 'takePassedOn' | 'isStopping'>
  /** Returns the id of this service process; undefined while it is not active. */
  ownId(): string | undefined
  /**
   * Returns the function that answers commands of other services for the engine; undefined if this service takes none.
   */
  engine(): RequestListener | undefined
  /** Returns this service as a member of a cluster; undefined before it has opened the store, or if it is no member. */
  member(): ReachableMember | undefined
}

export interface ReachableMember {
  id: string
  /** Whether this service reaches the store now. */
  reachesStore(): boolean
  /** Makes this service leave the cluster. It begins to leave only if the answer is `leaves`. Never rejects. */
  leave(): Promise<LeaveAnswer>
  /** Looks for instances that were given to this service. */
  look(): void
}

/** Maximum number of bytes of the link's headers, in addition to those of the caller. */
const ROOM = 1_024
const HANDSHAKE = 5 * SECOND
/** Milliseconds for which an idle connection is kept. The other service keeps it for a shorter time. */
const KEPT_OPEN = 2 * MINUTE
/** Minimum time in ms between two warnings about a refused connection. */
const TELL_EVERY = MINUTE
const MISDIRECTED = 421
/** Milliseconds for the transmission of the last answers, when the port closes. */
const LAST_ANSWERS = 250
/** Maximum number of connections, which is several times as many as one standby opens. */
const MOST_CONNECTIONS = 4_096

export async function openPeerPort({
  host,
  port,
  key,
  log,
  server,
  ownId,
  engine,
  member,
}: PeerPortOptions): Promise<() => Promise<void>> {
  function elsewhere(outgoing: ServerResponse, isMeant: boolean) {
    const isLeaving = isMeant && server.isStopping()
    outgoing.writeHead(MISDIRECTED, {
      [LINK_ELSEWHERE]: isLeaving ? LEAVING : '1',
      'Content-Type': 'application/json',
      ...(isLeaving ? { Connection: 'close' } : {}),
    })
    outgoing.end('{}')
  }

  const listener: RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const {
      [LINK_ADDRESS]: address,
      [LINK_ACTIVE]: meant,
      [LINK_ENGINE]: isForEngine,
      [LINK_REACH]: asksReach,
      [LINK_LEAVE]: asksLeave,
      [LINK_LOOK]: asksLook,
    } = incoming.headers
    incoming.rawHeaders = withoutLink(incoming.rawHeaders)
    if ([asksReach, asksLeave, asksLook].some((each) => each !== undefined)) {
      const self = member()
      if (self === undefined || self.id !== meant) elsewhere(outgoing, false)
      else if (asksLeave !== undefined) void self.leave().then((answer) => answerQuestion(outgoing, answer))
      else if (asksLook !== undefined) {
        self.look()
        answerQuestion(outgoing, 'looks')
      } else answerQuestion(outgoing, self.reachesStore() ? 'reaches' : 'away')
      return
    }
    // The ids must match, because the services of another store may have the same secret key.
    const isMeant = meant === ownId()
    if (isForEngine !== undefined) {
      // A stopping service still has instances for a while, so its engine decides when it stops taking commands.
      const answer = isMeant ? engine() : undefined
      if (answer === undefined) elsewhere(outgoing, isMeant)
      else answer(incoming, outgoing)
      return
    }
    if (!isMeant || !server.takePassedOn(incoming, outgoing, address as string | undefined)) elsewhere(outgoing, isMeant)
  }

  const lingering = createLingering(listener)
  const link = createServer(
    {
      ...HEAD_LIMITS,
      ...portTls(key),
      maxHeaderSize: HEAD_LIMITS.maxHeaderSize! + ROOM,
      requestTimeout: LONGEST_BODY + MINUTE,
      handshakeTimeout: HANDSHAKE,
    },
    lingering.listener,
  )
  link.maxHeadersCount = HEADERS_KEPT + MORE_HEADERS
  link.keepAliveTimeout = KEPT_OPEN
  lingering.attach(link, 'secureConnection')
  link.on('secureConnection', (socket) => {
    // The socket must not look encrypted: the URL of a request would then begin with `https`, although the service
    // itself has no TLS.
    Object.defineProperty(socket, 'encrypted', { value: false })
  })
  link.on('clientError', (error, socket) => lingering.refuse(socket as Socket, answerUnreadable(error, newUlid())))
  const sockets = new Set<Socket>()
  link.maxConnections = MOST_CONNECTIONS
  link.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  let toldAt = Number.NEGATIVE_INFINITY
  // This listener runs before that of Node, which would report a failed handshake as an unreadable request.
  link.prependListener('tlsClientError', ({ message, code = '' }: NodeJS.ErrnoException, socket) => {
    const { remoteAddress } = socket
    socket.destroy()
    // A handshake that does not finish does not mean that the key is wrong.
    if (!code.startsWith('ERR_SSL') || performance.now() - toldAt < TELL_EVERY) return
    toldAt = performance.now()
    log.warn(
      { from: remoteAddress, problem: message.slice(0, 200) },
      'a connection to SVC_PEER_PORT was refused: it comes from a service with another SVC_SECRET_KEY, or from another program',
    )
  })
  await new Promise<void>((resolve, reject) => {
    link.once('error', (cause) => {
      reject(
        new Error(`The service cannot listen on ${host} port ${port}: ${whyNot(cause)} (SVC_HOST, SVC_PEER_PORT).`, { cause }),
      )
    })
    link.listen(port, host, resolve)
  })
  return async () => {
    if (!link.listening) return
    const closed = new Promise((resolve) => link.close(resolve))
    // All connections are cut, also those whose handshake has not finished. The delay is for the last answers: a caller
    // whose answer is cut off does not know the outcome of its request.
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, LAST_ANSWERS)
    await closed
    clearTimeout(cut)
  }
}
