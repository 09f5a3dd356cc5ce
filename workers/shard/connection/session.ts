/**
 * One linked device on the wire: one socket from its opening to its end. It has no knowledge of statuses, messages or chats: it reports the events of
 * the socket, the instance decides, and the handling of stanzas is passed in. After its end it reports nothing, whatever the socket still emits.
 */
import { setMaxListeners } from 'node:events'
import {
  type AuthenticationCreds,
  type AuthenticationState,
  type BaileysEventMap,
  type BinaryNode,
  makeWASocket,
  type WASocket,
  type WAVersion,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { Restriction } from '../../../src/domain/instance.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import { type CompanionRefresh, watchCompanionRefresh } from '../baileys/companion-refresh.ts'
import { adoptSocket, endReason, endSocket, rawSocket } from '../baileys/end.ts'
import { readInbound } from '../baileys/frames/inbound.ts'
import { keepAlive } from '../baileys/keep-alive.ts'
import { keepLateTokens } from '../baileys/late-tokens.ts'
import { libraryLogger } from '../baileys/logger.ts'
import { countLogins } from '../baileys/thread/login-counts.ts'
import { guardListeners } from '../baileys/thread/rejections.ts'
import { watchConnection } from '../baileys/watchdog.ts'
import { ownFacts } from '../keys/own-facts.ts'
import { nodeBytes } from '../wire/node-bytes.ts'
import { type Ask, type AskOptions, createAsk } from './ask.ts'
import { createDeviceLists, type DeviceLists } from './device-lists.ts'
import { type Closed, closedBy } from './disconnect.ts'
import { sendFailure } from './failures.ts'
import { createIdentity, type Identity, type LidPair, learnPairs } from './identity.ts'
import { createMex, type MexIds } from './mex.ts'
import type { NetworkRoute } from './network-route.ts'
import { requestCode } from './pairing/pairing-code.ts'
import { type RestrictionWatch, watchRestriction } from './restriction-watch.ts'
import { type AckOutcome, createAcks } from './socket/acks.ts'
import { type Traffic, watchLiveness } from './socket/liveness.ts'
import { createPersonRelay, type PersonRelay } from './socket/person-relay.ts'
import { type SocketParts, socketOptions } from './socket/socket.ts'
import { detachLibrary, type Router, routeStanzas, type Table } from './socket/stanza-router.ts'
import type { CountUnknown } from './socket/unknown-stanzas.ts'
import { createTrustedTokens, type TrustedTokens } from './trusted-tokens.ts'
import { ACK_DEADLINE, QUERY_DEADLINE, RELAY_DEADLINE, within } from './within.ts'

export interface SessionEvents {
  socketOpened(): void
  /** `expiresAt` epoch ms. */
  qr(payload: string, expiresAt: number): void
  /** The same code with a new secret. */
  qrReplaced(payload: string): void
  /** The phone accepted the code; the credentials are saved. */
  paired(): void
  opened(): void
  closed(closed: Closed): void
  passkeyRequested(): void
  /** The name of the account, as it stands in the credentials. */
  named(name: string): void
  /** Also when it is the same again. */
  restricted(restriction: Restriction | null): void
}

export interface ConnectionDeps {
  instance: string
  creds: AuthenticationCreds
  /** Keys and credentials of the socket. */
  auth: AuthenticationState
  makeSignalRepository: SocketParts['makeSignalRepository']
  getMessage: SocketParts['getMessage']
  groupMetadata: SocketParts['groupMetadata']
  /** The credentials, as they are now, are written. */
  save(): void
  /** All that changed up to now is on disk. Rejects from the first write on that failed. */
  settled(): Promise<void>
  /** Handling of stanzas, except for those that the connection itself needs. */
  table(connection: Connection, own: OwnParts): Table
  /** Whether a stanza that could not be handled is to be delivered again. Counts the attempt. */
  isWorthAnother(stanza: string): boolean
  /** The socket has ended: nothing may be opened any more. Called before any other listener. */
  onEnd(): void
  network: NetworkOptions
  route: NetworkRoute
  version: WAVersion
  /** Numbers of GraphQL operations, from the configuration. */
  mexIds: MexIds
  /** How long stanzas may come without one being handled, in ms. */
  deafAfterMs?: number | undefined
  /** The restriction known before this session. */
  restriction: Restriction | null
  tally: Tally
  countUnknown: CountUnknown
  clock: Clock
  steady: Clock
  log: Logger
  events: SessionEvents
}

/** Effects of the table's rows on the connection itself. */
export interface OwnParts {
  acks: { came(ack: BinaryNode): void }
  companion: CompanionRefresh
  watchdog: { answered(): void }
  restriction: Pick<RestrictionWatch, 'lockChanged'>
  /** A query of ours, whichever, was answered with an error. */
  queryRefused(answer: BinaryNode): void
  mediaAnswered(answer: MediaAnswer): void
  passkeyRequested(): void
  /** The account shows itself as available. */
  isAvailable(): boolean
  /** Gives the stanza to the table once more. */
  take(node: BinaryNode): void
  /** Of the stanzas that came until now: resolves when those that fit are through. */
  before: Router['before']
  /** Without the connection everything unconfirmed is delivered again. */
  cut(): void
}

/** `serverId` of a channel post. */
export type Verdict = Exclude<AckOutcome, string>
export type MediaAnswer = BaileysEventMap['messages.media-update'][number]

export interface Connection {
  readonly sock: WASocket
  /** The account itself. `sock.user` is what it was when the socket was made: a name or LID learned since is not in it. */
  readonly me: AuthenticationCreds['me']
  readonly identity: Identity
  readonly devices: DeviceLists
  /** Aborted when the socket ends: `within.ts` ends every wait on the network with it. */
  readonly ended: AbortSignal
  /** The phone's platform as sent at the pairing; undefined if it was not. */
  readonly platform: string | undefined
  /** Queries to the network. */
  asking(options: AskOptions): Ask
  /** Stores pairs of number and LID from the network's answers. */
  learnPairs(pairs: readonly LidPair[]): Promise<void>
  /** The LIDs of people by number, queried from the network where unknown. A person without one is left out. */
  fetchLids(pns: string[]): Promise<LidPair[]>
  readonly tokens: TrustedTokens
  /** A code by which a phone can be paired instead of the QR. */
  pairingCode(digits: string): Promise<string>
  readonly isOpen: boolean
  /** The account shows itself as there. */
  readonly isAvailable: boolean
  /** Stanzas that came since the login, and how many of them are through. */
  traffic(): Traffic
  /** When the last of them came, epoch ms; before the first, when the login succeeded. Null: it has not. */
  lastInboundAt(): number | null
  /** While the network restricts the account, tries in the other namespace only make it worse. */
  isRestricted(): boolean
  /** Asks the network whether it does. */
  refreshRestriction(): Promise<void>
  /**
   * Arm it before the send, `to` as its stanza names the chat; call `verdict` after the send, when its time begins: it rejects with `send_timeout`,
   * `instance_not_connected`. Call `giveUp` if the send threw.
   */
  ack(messageId: string, to: string): { verdict(): Promise<Verdict>; giveUp(): void }
  /** Sends to a person of whom everything is known. Rejects with a `Failure`, as a function of the library by `ask.perform`. */
  readonly toPerson: PersonRelay
  /** Calls back with the answers of phones that were asked to upload a file again; returns a function that unsubscribes. */
  onMediaAnswer(listener: (answer: MediaAnswer) => void): () => void
  /** Ends the socket without logging out. Nothing is reported any more. */
  end(): Promise<void>
  /** Removes the linked device from the account, then ends. At most `deadlineMs`. */
  logout(deadlineMs: number): Promise<void>
}

/** Validity of a code: the first of a socket, and the next ones (instance.md, qrCode). */
const FIRST_QR_LIFE = 60 * SECOND
const NEXT_QR_LIFE = 20 * SECOND

export function openConnection(deps: ConnectionDeps): Connection {
  const { creds, auth, settled, log, events, clock, steady, tally } = deps
  let hasEnded = false
  /** Set before an intended end, so that the close it causes is not reported as a loss. */
  let isLeaving = false
  let isOpen = false
  let isAvailable = false
  let codes = 0

  if (creds.me) countLogins(creds.me.id, ownFacts(creds).logins ?? 0)
  const identity = createIdentity(auth)
  const devices = createDeviceLists(steady)
  const sock = makeWASocket(
    socketOptions({
      auth,
      logger: libraryLogger(log),
      makeSignalRepository: deps.makeSignalRepository,
      getMessage: deps.getMessage,
      groupMetadata: deps.groupMetadata,
      userDevicesCache: devices.cache,
      network: deps.network,
      route: deps.route,
      version: deps.version,
    }),
  )
  const { ws, ev } = sock
  const stray = (error: unknown) => log.info({ err: error }, 'the library left an error unhandled')
  const replace = (reason: string) => void endSocket(sock, endReason(reason, DEAF), 'abrupt').catch(stray)

  // The library's own functions keep the library's encoder.
  sock.sendNode = (node) => sock.sendRawMessage(nodeBytes(node))
  detachLibrary(sock)
  adoptSocket(sock)
  keepLateTokens(sock)
  keepAlive(sock, { now: steady.now, onError: stray })
  const onDeaf = (error: Error) => {
    tally.add('svc_inbound_deaf_total', { cause: 'frame' })
    log.warn({ err: error }, 'a frame could not be opened: the connection hears nothing any more and is replaced')
    replace('a frame could not be opened')
  }
  guardListeners(sock, { onStray: stray, onDeaf })
  readInbound(sock, { onDeaf })
  const liveness = watchLiveness(sock, {
    now: steady.now,
    deafAfterMs: deps.deafAfterMs,
    onStanza: (kind) => tally.add('svc_inbound_stanzas_total', { kind }),
    onSilent: (silentMs) => log.info({ silent_ms: silentMs }, 'nothing has come in for a while'),
    onDeaf(kind) {
      tally.add('svc_inbound_deaf_total', { cause: kind })
      log.error({ kind, traffic: liveness.traffic() }, 'what comes in is not handled any more: the connection is replaced')
      replace('nothing that comes in is handled')
    },
  })
  const watchdog = watchConnection(sock, { onError: stray })
  const companion = watchCompanionRefresh(sock, {
    onQr(payload, why) {
      if (hasEnded) return
      if (why === 'refreshed') return events.qrReplaced(payload)
      const life = codes++ === 0 ? FIRST_QR_LIFE : NEXT_QR_LIFE
      events.qr(payload, steady.now() + life)
    },
  })
  const mex = createMex(sock, deps.mexIds)
  const restriction = watchRestriction(mex, {
    clock,
    log,
    known: deps.restriction,
    onChange(changed) {
      if (!hasEnded) events.restricted(changed)
    },
  })
  const acks = createAcks()
  const refusals = listeners<BinaryNode>()
  const mediaAnswers = listeners<MediaAnswer>()
  const cut = () => rawSocket(sock)?.terminate()

  const ending = new AbortController()
  // As many as wait on the network at a time; a dozen is no leak.
  setMaxListeners(0, ending.signal)

  /** Notifies once everything before it is saved, unless the session has ended meanwhile. */
  const whenSaved = (notify: () => void) => settled().then(() => (hasEnded ? undefined : notify()), stray)

  function finish() {
    hasEnded = true
    isOpen = false
    router.fence()
    deps.onEnd()
    acks.end()
    restriction.stop()
    ending.abort()
  }

  ws.on('open', () => {
    if (!hasEnded) events.socketOpened()
  })
  // The library has put the change into `creds` already.
  ev.on('creds.update', (update) => {
    deps.save()
    if (update.me?.name && !hasEnded) events.named(update.me.name)
  })
  ev.on('connection.update', (update) => {
    if (hasEnded) return
    if (update.isOnline !== undefined) isAvailable = update.isOnline
    // Also when the socket has ended by then: the network closes it right after the pairing, often before the write has finished. Not when the
    // session was ended on purpose.
    if (update.isNewLogin) settled().then(() => (isLeaving ? undefined : events.paired()), stray)
    if (update.connection === 'open') {
      isOpen = true
      void whenSaved(events.opened)
      void restriction.refresh()
    }
    if (update.connection !== 'close') return
    finish()
    if (isLeaving) return
    const closed = closedBy(update.lastDisconnect?.error)
    // Also after a failed save, which is logged by its caller: without this event the next session would never be opened.
    const notify = () => events.closed(closed)
    settled().then(notify, notify)
  })

  async function end() {
    isLeaving = true
    if (!hasEnded) finish()
    await endSocket(sock, undefined)
    // A failed save is logged by its caller, and an end that rejected would keep the next session from opening.
    await settled().catch(() => {})
  }

  const fetchLids = async (pns: string[]): Promise<LidPair[]> => (await sock.signalRepository.lidMapping.getLIDsForPNs(pns)) ?? []

  const toPerson = createPersonRelay({ sock, auth, identity, devices })

  const connection: Connection = {
    sock,
    get me() {
      return creds.me
    },
    identity,
    devices,
    ended: ending.signal,
    get isOpen() {
      return isOpen && ws.isOpen
    },
    get isAvailable() {
      return isAvailable
    },
    traffic: liveness.traffic,
    lastInboundAt: liveness.lastInboundAt,
    isRestricted: () => restriction.current() !== null,
    refreshRestriction: restriction.refresh,
    get platform() {
      return creds.platform
    },
    asking: (options) => createAsk({ owner: deps.instance, sock, mex, ended: ending.signal }, options),
    learnPairs: (pairs) => learnPairs(sock, auth.keys, pairs),
    fetchLids,
    tokens: createTrustedTokens({
      authState: sock.authState,
      identity,
      async fetchLid(pn) {
        const [pair] = await within({ ended: ending.signal }, QUERY_DEADLINE, fetchLids([pn])).catch(() => [])
        return pair?.lid ?? null
      },
    }),
    pairingCode: (digits) => requestCode({ sock, ended: ending.signal, onQueryRefused: refusals.on }, digits),
    ack(messageId, to) {
      const pending = acks.expect(messageId, to)
      return {
        giveUp: pending.giveUp,
        async verdict() {
          // At the end of the connection it is `closed`.
          const outcome = await pending.within(ACK_DEADLINE)
          if (outcome === 'timeout') throw new Failure('send_timeout')
          if (outcome === 'closed') throw new Failure('instance_not_connected')
          return outcome
        },
      }
    },
    async toPerson(...message) {
      try {
        return await within({ ended: ending.signal }, RELAY_DEADLINE, toPerson(...message))
      } catch (error) {
        throw sendFailure(error)
      }
    },
    onMediaAnswer: mediaAnswers.on,
    end,
    async logout(deadlineMs) {
      isLeaving = true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, deadlineMs)
      })
      const removal = hasEnded || !ws.isOpen ? Promise.resolve() : sock.logout()
      await Promise.race([removal.catch((error) => log.info({ err: error }, 'the removal of the device was not sent')), late])
      clearTimeout(timer)
      await end()
    },
  }
  const own: OwnParts = {
    acks,
    companion,
    watchdog,
    restriction,
    queryRefused: refusals.call,
    mediaAnswered: mediaAnswers.call,
    passkeyRequested() {
      if (!hasEnded) events.passkeyRequested()
    },
    isAvailable: () => isAvailable,
    take: (node) => void router.take(node),
    before: (fits) => router.before(fits),
    cut,
  }
  const router: Router = routeStanzas(sock, deps.table(connection, own), {
    came: liveness.came,
    isWorthAnother: deps.isWorthAnother,
    onFailure(error, about) {
      // Nothing may be confirmed past what is not on disk: without the connection the network sends it again.
      log.error({ err: error, ...about }, 'what came in could not be taken; the connection is cut')
      cut()
    },
    onGivenUp: (error, about) => log.error({ err: error, ...about }, 'what came in could not be taken, however often it came'),
    onOverflow: (line) => log.warn({ line }, 'too much of one kind is coming in: one is confirmed unread'),
    onUnknown: deps.countUnknown,
    onUnanswered: (error) => log.debug({ err: error }, 'what came in could not be confirmed: it comes again'),
  })
  return connection
}

/** As a connection the network closed: the reason to reconnect is the same. */
const DEAF = 428

function listeners<T>() {
  const all = new Set<(value: T) => void>()
  return {
    on(listener: (value: T) => void): () => void {
      all.add(listener)
      return () => all.delete(listener)
    },
    call(value: T) {
      for (const listener of [...all]) listener(value)
    },
  }
}
