/**
 * The link of a service to the others of its store (`SVC_PEER_PORT`). A standby passes requests on to the active
 * service, and returns its answers.
 */
import type { RequestListener } from 'node:http'
import { SECOND } from '../domain/clock.ts'
import { orLate } from '../lib/deadline.ts'
import type { Logger } from '../log.ts'
import type { Tally } from '../metrics/tally.ts'
import type { Listening } from '../serve.ts'
import { createActiveWatch, LAST_ANSWERS } from './active-watch.ts'
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
   * Milliseconds without an answer from the active service (or from the last one, if none is known) after which the
   * requests that were passed on to it are ended; 10,000 by default.
   */
  lostAfterMs?: number
}

export interface PeerLink {
  /**
   * Sets the id of this service process. Must be called when the process owns the store. Requests to another process
   * are refused.
   */
  setOwnId(id: string): void
  /** Sets the function that answers the commands of other services for the engine of this one. */
  setEngine(engine: RequestListener): void
  /** Sets the id of this member, and the function that tells other members whether this one reaches the store. */
  setMember(member: Omit<ReachableMember, 'leave' | 'look'>): void
  /** Sets the function that is called when another member asks this one to leave the cluster. */
  setLeave(leave: ReachableMember['leave']): void
  /** Sets the function that is called when another member has given instances to this one. */
  setLook(look: ReachableMember['look']): void
  /** Asks another member whether it reaches the store. */
  askMember: ReachCaller['ask']
  askToLeave: ReachCaller['askToLeave']
  askToLook: ReachCaller['askToLook']
  /** Sets the active service; undefined while none is known. */
  setActive(active: ActiveService | undefined): void
  /**
   * Must be called if the active service has no port for requests that are passed on. They are refused until another
   * service is set.
   */
  setUnreachable(): void
  /** The readiness of the active service. Undefined if it gave no answer within the last seconds. */
  readiness(): Readiness | undefined
  /** Number of requests that are being passed on, or wait to be passed on. */
  underWay(): number
  /** Ends the forwarding, because this service becomes active. */
  endForwarding(): void
  /** Each answer from now on ends its connection, because this service stops soon. */
  closeConnections(): void
  /**
   * Ends the streams of events, and resolves when all other requests are answered. After `ms`, each remaining request
   * gets an error that says whether anything may have been carried out.
   */
  finish(ms: number): Promise<void>
  close(): Promise<void>
}

const LOST_AFTER = 10 * SECOND
/** Milliseconds for the transmission of the last answers. */
const FLUSH = 250

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
  let leave: ReachableMember['leave'] = async () => 'stays'
  let lookForGiven: ReachableMember['look'] = () => {}
  let ownId: string | undefined
  let engine: RequestListener | undefined
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

  const watch = createActiveWatch({ caller, lostAfterMs, log })
  const forwarding = createForwarding({
    caller,
    tally,
    active: watch.active,
    isPossible: watch.isPossible,
    self: () => (ownId === undefined ? undefined : { id: ownId, ...selfAt(host, port) }),
    onLeaving: watch.noteLeaving,
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
    setActive: watch.set,
    setUnreachable: watch.setUnreachable,
    readiness: watch.readiness,
    underWay: forwarding.underWay,
    endForwarding() {
      watch.stop()
      // If the former active service was stopped and not killed, it has sent its last answers, but this service may not
      // have read them yet.
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
      watch.stop()
      forwarding.sendNoMore()
      caller.endAll()
      caller.close()
      reach.close()
      await closePort()
    },
  }
}

/** Returns an address at which this service reaches its own port. */
const selfAt = (host: string, port: number): PeerAddress => ({
  host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host,
  port,
})
