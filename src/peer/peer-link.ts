/**
 * The link of a service to the others of its store (`SVC_PEER_PORT`). A standby passes requests on to the active service,
 * and answers with its answer. The active service carries them out as if the caller had connected to it.
 */
import type { RequestListener } from 'node:http'
import { SECOND, steadyClock } from '../domain/clock.ts'
import { orLate } from '../lib/deadline.ts'
import type { Logger } from '../log.ts'
import type { Tally } from '../metrics/tally.ts'
import type { Listening } from '../serve.ts'
import type { ActiveService, PeerAddress } from './forward-rules.ts'
import { createForwarding } from './forwarding.ts'
import { createPeerCaller, type Readiness } from './peer-caller.ts'
import { peerKeyOf } from './peer-key.ts'
import { openPeerPort, type ReachableMember } from './peer-port.ts'
import { createReachCaller, type ReachCaller } from './reach-caller.ts'

export interface PeerLinkOptions {
  host: string
  port: number
  secretKey: Uint8Array
  server: Listening
  tally: Tally
  log: Logger
  /**
   * Milliseconds without an answer of the active service, or of the last one, after which the requests that were passed on
   * to it are ended; 10,000 by default.
   */
  lostAfterMs?: number
}

export interface PeerLink {
  /** Id of this run of the service, now that it owns the store. Requests that are meant for another run are refused. */
  setOwnId(id: string): void
  /** Sets the function that answers the commands of other services for the engine of this one. */
  setEngine(engine: RequestListener): void
  /** Answers the question of other members whether this one reaches the store. */
  setMember(member: Omit<ReachableMember, 'leave' | 'look'>): void
  /** Sets the function that is called when another member asks this one to leave the cluster. */
  setLeave(leave: ReachableMember['leave']): void
  /** Sets the function that is called when another member has given instances to this one. */
  setLook(look: ReachableMember['look']): void
  /** Asks another member whether it reaches the store. */
  askMember: ReachCaller['ask']
  askToLeave: ReachCaller['askToLeave']
  askToLook: ReachCaller['askToLook']
  /** Undefined while no active service is known. */
  setActive(active: ActiveService | undefined): void
  /** The active service has no port for requests that are passed on, so they are refused until another one is set. */
  setUnreachable(): void
  /** The readiness of the active service. Undefined if it gave no answer within the last seconds. */
  readiness(): Readiness | undefined
  /** Number of requests that are passed on, or wait for it. */
  underWay(): number
  /** Ends the forwarding, because this service becomes active. */
  endForwarding(): void
  /** Each answer from now on ends its connection, because this service stops soon. */
  closeConnections(): void
  /**
   * Ends the streams of events, and resolves when all other requests are answered. After `ms`, those that were sent get an
   * error that says that their outcome is unknown, and the others one that says that nothing was carried out.
   */
  finish(ms: number): Promise<void>
  close(): Promise<void>
}

const LOOK_EVERY = SECOND
/** A service that gave no answer for this time in ms does not count as reached. */
const REACHED_FOR = 3 * SECOND
const LOST_AFTER = 10 * SECOND
/** Milliseconds for the transmission of the last answers. */
const FLUSH = 250
/** Milliseconds for the last answers of the former active service, after another one has become active. */
const LAST_ANSWERS = SECOND

export async function openPeerLink({
  host,
  port,
  secretKey,
  server,
  tally,
  log,
  lostAfterMs = LOST_AFTER,
}: PeerLinkOptions): Promise<PeerLink> {
  const key = peerKeyOf(secretKey)
  const caller = createPeerCaller(key)
  const reach = createReachCaller(key)
  let member: Omit<ReachableMember, 'leave' | 'look'> | undefined
  let leave: ReachableMember['leave'] = () => 'stays'
  let lookForGiven: ReachableMember['look'] = () => {}
  let active: ActiveService | undefined
  /** The active service, or the last one if none is known. Requests that were passed on to it may still be under way. */
  let last: ActiveService | undefined
  let ownId: string | undefined
  let engine: RequestListener | undefined
  /** The former active service, which has said that it stops. Its row may still be in the database. */
  let leaving: string | undefined
  /** Time of its last answer, or of the moment since which it is known. */
  let reachedAt = 0
  let readiness: Readiness | undefined
  let isTold = false
  let isPossible = true
  const closePort = await openPeerPort({
    host,
    port,
    key,
    log,
    server,
    ownId: () => ownId,
    engine: () => engine,
    member: () => member && { ...member, leave, look: () => lookForGiven() },
  })

  function noteLeaving({ id }: ActiveService) {
    if (active?.id !== id) return
    leaving = id
    active = undefined
  }

  async function look(): Promise<void> {
    if (last === undefined) return
    const target = last
    const isFormer = () => last?.id !== target.id
    try {
      const found = await caller.look(target)
      if (isFormer()) return
      readiness = found
      reachedAt = steadyClock.now()
      isTold = false
      if (found.isLeaving) noteLeaving(target)
    } catch (cause) {
      if (isFormer()) return
      const since = steadyClock.now() - reachedAt
      if (since > lostAfterMs) caller.endAll()
      if (since <= REACHED_FOR || isTold || active === undefined) return
      isTold = true
      const { host, port } = target
      log.warn({ err: cause, host, port }, 'the standby cannot reach the active service, so it passes no requests on to it')
    }
  }
  const looking = setInterval(() => void look(), LOOK_EVERY)
  looking.unref()
  const forwarding = createForwarding({
    caller,
    tally,
    active: () => active,
    isPossible: () => isPossible,
    self: () => (ownId === undefined ? undefined : { id: ownId, ...selfAt(host, port) }),
    onLeaving: noteLeaving,
    log,
  })
  server.forwardWith(forwarding.forward)

  return {
    setOwnId(id) {
      ownId = id
    },
    setEngine(next) {
      engine = next
    },
    setMember(next) {
      member = next
    },
    setLeave(next) {
      leave = next
    },
    setLook(next) {
      lookForGiven = next
    },
    askMember: reach.ask,
    askToLeave: reach.askToLeave,
    askToLook: reach.askToLook,
    setActive(next) {
      isPossible = true
      if (next !== undefined && next.id === leaving) return
      if (next?.id === active?.id && next?.host === active?.host && next?.port === active?.port) return
      if (next !== undefined && last !== undefined && next.id !== last.id) caller.endAllIn(LAST_ANSWERS)
      last = next ?? last
      active = next
      reachedAt = steadyClock.now()
      readiness = undefined
      isTold = false
      void look()
    },
    setUnreachable() {
      active = undefined
      isPossible = false
    },
    readiness: () => (active !== undefined && steadyClock.now() - reachedAt <= REACHED_FOR ? readiness : undefined),
    underWay: forwarding.underWay,
    endForwarding() {
      active = undefined
      last = undefined
      clearInterval(looking)
      // A service that has ended in order has sent its answers, which may not be read yet.
      caller.endAllIn(LAST_ANSWERS)
    },
    closeConnections: forwarding.closeConnections,
    async finish(ms) {
      caller.endStreams()
      await orLate(forwarding.idle(), ms, () => {
        forwarding.sendNoMore()
        caller.endAll()
      })
      await orLate(forwarding.flushed(), FLUSH, () => {})
    },
    async close() {
      clearInterval(looking)
      active = undefined
      forwarding.sendNoMore()
      caller.endAll()
      caller.close()
      reach.close()
      await closePort()
    },
  }
}

/** An address at which this service reaches a port that it listens on itself. */
const selfAt = (host: string, port: number): PeerAddress => ({
  host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host,
  port,
})
