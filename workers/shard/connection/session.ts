/**
 * One linked device on the wire: one socket from its opening to its end. It knows nothing of statuses: it reports what happens on the
 * socket and the instance decides. A session that has ended reports nothing any more, whatever its socket still does.
 */
import { setMaxListeners } from 'node:events'
import { type AuthenticationCreds, makeWASocket, type WASocket, type WAVersion } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import type { Restriction } from '../../../src/domain/instance.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import type { Tally } from '../../../src/metrics/tally.ts'
import { holdAppState, type WriteChanges } from '../app-state/app-state.ts'
import { type FirstSync, watchFirstSync } from '../app-state/first-sync.ts'
import { type AckOutcome, waitForAck } from '../baileys/ack.ts'
import { watchCompanionRefresh } from '../baileys/companion-refresh.ts'
import { skipUnaddressable } from '../baileys/device-list.ts'
import { adoptSocket, endReason, endSocket } from '../baileys/end.ts'
import { keepLateTokens } from '../baileys/late-tokens.ts'
import { type Traffic, watchLiveness } from '../baileys/liveness.ts'
import { libraryLogger } from '../baileys/logger.ts'
import { watchPasskeyRequest } from '../baileys/passkey.ts'
import { guardListeners } from '../baileys/rejections.ts'
import { boundRetryManager } from '../baileys/retry-manager.ts'
import { takeRetryReceipts } from '../baileys/retry-receipt.ts'
import { takeServerSync } from '../baileys/server-sync.ts'
import { watchConnection } from '../baileys/watchdog.ts'
import { createGroups, type Groups } from '../chats/groups.ts'
import { createIdentity, type Identity, learnPairs } from '../chats/identity.ts'
import type { AuthState } from '../keys/credentials.ts'
import { createSignalRepository, type SignalRepositoryDeps } from '../keys/signal/repository.ts'
import type { InboxSession } from '../receive/inbox-session.ts'
import { createResend } from '../retry/resend.ts'
import type { Sent } from '../retry/sent.ts'
import { type Closed, closedBy } from './disconnect.ts'
import type { Outside } from './network-route.ts'
import { watchRestriction } from './restriction.ts'
import { socketOptions } from './socket.ts'

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

export interface SessionDeps {
  auth: AuthState
  creds: AuthenticationCreds
  signal: Omit<SignalRepositoryDeps, 'inbox' | 'creds'>
  inbox: InboxSession
  sent: Sent
  /** What changes of app state make, for the commit of their version. */
  appState: WriteChanges
  /** Whether what could not be read is to come again. Counts. */
  isWorthAnother(notice: string): boolean
  killAt(step: string): void
  network: NetworkOptions
  outside: Outside
  version: WAVersion
  /** How long stanzas may come without one being handled, in ms. */
  deafAfterMs?: number | undefined
  /** What was known before. */
  restriction: Restriction | null
  tally: Tally
  clock: Clock
  steady: Clock
  log: Logger
  events: SessionEvents
}

export interface Session {
  readonly sock: WASocket
  /** The account itself. `sock.user` is what it was when the socket was made: a name or LID learned since is not in it. */
  readonly me: AuthenticationCreds['me']
  readonly identity: Identity
  readonly groups: Groups
  /** Of app state: what is told of this collection now was there before the device was linked. */
  readonly isFirstSync: FirstSync['isFirst']
  /** A stanza that is no message tells something of a chat: its place among the messages there. */
  readonly enter: InboxSession['enter']
  /** The messages in these chats that came until now. */
  readonly before: InboxSession['before']
  /** Aborted when the socket ends: `within.ts` ends with it whatever waits on the network. */
  readonly ended: AbortSignal
  readonly isOpen: boolean
  /** Stanzas that came since the login, and what was sent on behalf of them. */
  traffic(): Traffic
  /** When the last of them came, epoch ms; before the first, when the login succeeded. Null: it has not. */
  heardAt(): number | null
  /** While the network restricts the account, tries in the other namespace only make it worse. */
  isRestricted(): boolean
  /** Asks the network whether it does. */
  refreshRestriction(): Promise<void>
  /** Armed before the send; `verdict` is asked for when it is done, and its time begins then. `giveUp` where the send threw. */
  ack(messageId: string): { verdict(): Promise<AckOutcome>; giveUp(): void }
  /** Ends the socket without logging out. Nothing is reported any more. */
  end(): Promise<void>
  /** Removes the linked device from the account, then ends. At most `deadlineMs`. */
  logout(deadlineMs: number): Promise<void>
}

/** `sendMessage` resolving means nothing; without an ack in this time the outcome is `send_timeout` (shared/api/messages.md, 1.6). */
const ACK_TIMEOUT = 60 * SECOND
/** Life of a code: the first of a socket, and the next ones (instance.md, qrCode). */
const FIRST_QR_LIFE = 60 * SECOND
const NEXT_QR_LIFE = 20 * SECOND

export function openSession(deps: SessionDeps): Session {
  const { auth, creds, inbox, log, events, clock, steady, tally } = deps
  let hasEnded = false
  /** Set before an intended end, so that the close it causes is not reported as a loss. */
  let isLeaving = false
  let isOpen = false
  let codes = 0

  const appState = holdAppState({
    auth,
    creds,
    write: deps.appState,
    killAt: deps.killAt,
    onFailure(error) {
      // Going on with credentials that are not on disk would lose the pairing at the next start.
      log.error({ err: error }, 'credentials and app state could not be saved')
      endSocket(sock, endReason('credentials could not be saved', 500), 'abrupt').catch(stray)
    },
  })
  const firstSync = watchFirstSync(appState.state)
  const { state } = firstSync
  const identity = createIdentity(state)
  const sock = makeWASocket(
    socketOptions({
      auth: state,
      logger: libraryLogger(log),
      makeSignalRepository: createSignalRepository({ ...deps.signal, creds: () => creds, inbox: inbox.signal }),
      getMessage: async ({ id }) => (id ? deps.sent.get(id) : undefined),
      groupMetadata: async (jid) => groups.known(jid),
      network: deps.network,
      outside: deps.outside,
      version: deps.version,
    }),
  )
  const { ws, ev } = sock
  const stray = (error: unknown) => log.info({ err: error }, 'the library left an error unhandled')

  adoptSocket(sock)
  boundRetryManager(sock)
  keepLateTokens(sock)
  skipUnaddressable(sock, {
    onSkipped: (jid, devices) => log.debug({ jid, devices }, 'devices that cannot be addressed are left out'),
  })
  guardListeners(sock, {
    onStray: stray,
    onDeaf(error) {
      tally.add('svc_inbound_deaf_total', { cause: 'frame' })
      log.warn({ err: error }, 'a frame could not be opened: the connection hears nothing any more and is replaced')
      endSocket(sock, endReason('a frame could not be opened', DEAF), 'abrupt').catch(stray)
    },
  })
  takeRetryReceipts(sock, {
    answer: createResend({ sock, identity, sent: deps.sent, clock: steady, log }),
    onError: (error, { attrs }) => log.warn({ err: error, message_id: attrs.id }, 'a retry receipt could not be answered'),
  })
  takeServerSync(sock, {
    versionOf: async (name) => (await state.keys.get('app-state-sync-version', [name]))[name]?.version,
    settled: appState.settled,
    isWorthAnother: deps.isWorthAnother,
    onError: (error) => log.info({ err: error }, 'a change of app state could not be followed'),
  })
  const liveness = watchLiveness(sock, {
    now: steady.now,
    deafAfterMs: deps.deafAfterMs,
    onStanza: (kind) => tally.add('svc_inbound_stanzas_total', { kind }),
    onSilent: (silentMs) => log.info({ silent_ms: silentMs }, 'nothing has come in for a while'),
    onDeaf(lane) {
      tally.add('svc_inbound_deaf_total', { cause: lane })
      log.error({ lane, traffic: liveness.traffic() }, 'what comes in is not handled any more: the connection is replaced')
      endSocket(sock, endReason('nothing that comes in is handled', DEAF), 'abrupt').catch(stray)
    },
  })
  watchConnection(sock, { onError: stray })
  watchCompanionRefresh(sock, {
    onError: stray,
    onQr(payload, why) {
      if (hasEnded) return
      if (why === 'refreshed') return events.qrReplaced(payload)
      const life = codes++ === 0 ? FIRST_QR_LIFE : NEXT_QR_LIFE
      events.qr(payload, steady.now() + life)
    },
  })
  watchPasskeyRequest(sock, {
    onError: stray,
    onPasskeyRequest() {
      if (!hasEnded) events.passkeyRequested()
    },
  })
  const groups = createGroups(sock, steady, (pairs) =>
    learnPairs(sock, state.keys, pairs).catch((error) => log.warn({ err: error }, 'numbers of group members could not be kept')),
  )
  const restriction = watchRestriction(sock, {
    clock,
    log,
    known: deps.restriction,
    onChange(changed) {
      if (!hasEnded) events.restricted(changed)
    },
  })
  inbox.attach(sock, appState.settled)
  firstSync.attach(sock, log)
  appState.attach(sock, firstSync.isFirst)

  const ending = new AbortController()
  // As many as wait on the network at a time; a dozen is no leak.
  setMaxListeners(0, ending.signal)

  /** Tells it once everything before it is saved, unless the session has ended meanwhile. */
  const whenSaved = (tell: () => void) => appState.settled().then(() => (hasEnded ? undefined : tell()), stray)

  function finish() {
    hasEnded = true
    isOpen = false
    inbox.fence()
    restriction.stop()
    ending.abort()
  }

  ws.on('open', () => {
    if (!hasEnded) events.socketOpened()
  })
  // The library has put the change into `creds` already.
  ev.on('creds.update', (update) => {
    appState.save()
    if (update.me?.name && !hasEnded) events.named(update.me.name)
  })
  ev.on('connection.update', (update) => {
    if (hasEnded) return
    // Also when the socket has ended by then: the network ends it right after the pairing, and often before the disk is done. Only who
    // left on purpose is not told.
    if (update.isNewLogin) appState.settled().then(() => (isLeaving ? undefined : events.paired()), stray)
    if (update.connection === 'open') {
      isOpen = true
      void whenSaved(events.opened)
      void restriction.refresh()
    }
    if (update.connection !== 'close') return
    finish()
    if (isLeaving) return
    const closed = closedBy(update.lastDisconnect?.error)
    // Also after a save that failed, which is logged where it was asked for: nobody else would open the next session.
    const tell = () => events.closed(closed)
    appState.settled().then(tell, tell)
  })

  async function end() {
    isLeaving = true
    if (!hasEnded) finish()
    await endSocket(sock, undefined)
    // A save that failed is logged where it was asked for, and an end that rejected would keep the next session from opening.
    await appState.settled().catch(() => {})
  }

  return {
    sock,
    get me() {
      return creds.me
    },
    identity,
    groups,
    isFirstSync: firstSync.isFirst,
    enter: inbox.enter,
    before: inbox.before,
    ended: ending.signal,
    get isOpen() {
      return isOpen && ws.isOpen
    },
    traffic: liveness.traffic,
    heardAt: liveness.heardAt,
    isRestricted: () => restriction.current() !== null,
    refreshRestriction: restriction.refresh,
    ack(messageId) {
      const pending = waitForAck(sock, messageId)
      return { verdict: () => pending.within(ACK_TIMEOUT), giveUp: pending.giveUp }
    },
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
}

/** As a connection the network closed: the reason to reconnect is the same. */
const DEAF = 428
