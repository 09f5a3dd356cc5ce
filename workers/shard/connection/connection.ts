/**
 * The connection of one linked device: one socket from its opening to its end. It reports the events of the socket, and
 * the instance decides what follows.
 */
import { setMaxListeners } from 'node:events'
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { orLate } from '../../../src/lib/deadline.ts'
import { watchCompanionRefresh } from '../network/companion-refresh.ts'
import { BROWSER } from '../network/device.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { createQrClock } from '../network/qr-clock.ts'
import { watchConnection } from '../network/watchdog.ts'
import { logoutQuery } from '../wire/logout.ts'
import type { Connection, ConnectionDeps, MediaAnswer, OpenedConnection, OwnParts } from './contract.ts'
import { createIdentity } from './identity.ts'
import { createMex } from './mex.ts'
import { requestCode } from './pairing/pairing-code.ts'
import { createPresence } from './presence.ts'
import { watchRestriction } from './restriction/restriction-watch.ts'
import { createAcks } from './socket/acks.ts'
import { connectionQueries } from './socket/connection-queries.ts'
import type { Liveness } from './socket/liveness.ts'
import { type Phase, reportSocket } from './socket/socket-reports.ts'
import { type Router, routeStanzas } from './socket/stanza-router.ts'
import { openWatchedSocket } from './socket/watched-socket.ts'

/** Time in ms in which a pairing code can be entered. The socket is kept open for that time. */
const PAIRING_CODE_LIFE = 3 * MINUTE

export function openConnection(deps: ConnectionDeps): OpenedConnection {
  const { creds, auth, settled, log, events, clock } = deps
  const phase: Phase = { isOpen: false, hasEnded: false, isLeaving: false }
  const ending = new AbortController()
  // Many operations may wait for the network at the same time, so many listeners of this signal are not a leak.
  setMaxListeners(0, ending.signal)
  const { signal: ended } = ending

  const identity = createIdentity(auth)
  const { sock, devices, liveness, stray } = openWatchedSocket(deps)
  const { ws, cut } = sock
  const watchdog = watchConnection(sock, { onError: stray })
  const { qrClock, companion, passkey, pairingCode } = openPairing(sock, deps, { stray, phase, ended })
  const mex = createMex(sock, deps.mexIds)
  const restriction = watchRestriction(mex, {
    clock,
    log,
    known: deps.restriction,
    onChange(changed) {
      if (!phase.hasEnded) events.restricted(changed)
    },
  })
  const acks = createAcks()
  const mediaAnswers = listeners<MediaAnswer>()
  const router = loggingRouter(sock, deps, { came: liveness.came, cut })
  const presence = createPresence(sock)

  function finish() {
    phase.hasEnded = true
    phase.isOpen = false
    passkey.ended(phase.isLeaving)
    router.fence()
    deps.onEnd()
    acks.end()
    restriction.stop()
    ending.abort()
  }

  reportSocket({
    ...deps,
    sock,
    phase,
    onLinked: passkey.linked,
    onOpen() {
      // The phone of an account that is shown as available gets no notifications. So the account is shown as
      // unavailable.
      presence.announce(false).catch((error) => log.info({ err: error }, 'the account could not be shown as unavailable'))
      void restriction.refresh()
    },
    onEnd: finish,
    stray,
  })
  const queries = connectionQueries({ ...deps, owner: deps.instance, sock, identity, devices, mex, acks, ended })

  async function end() {
    phase.isLeaving = true
    if (!phase.hasEnded) finish()
    await sock.end()
    // A failed save is logged by its caller, and ignored here. If `end` rejected because of it, the next session would
    // not be opened.
    await settled().catch(() => {})
  }

  const connection: Connection = {
    sock,
    get me() {
      return creds.me
    },
    identity,
    devices,
    ended,
    get isOpen() {
      return phase.isOpen && ws.isOpen
    },
    get isAvailable() {
      return presence.isAvailable()
    },
    traffic: liveness.traffic,
    lastInboundAt: liveness.lastInboundAt,
    isRestricted: () => restriction.current() !== null,
    refreshRestriction: restriction.refresh,
    get platform() {
      return creds.platform
    },
    ...queries,
    announce(isAvailable) {
      if (isAvailable) queries.tokens.removeExpired()
      return presence.announce(isAvailable)
    },
    pairingCode,
    onMediaAnswer: mediaAnswers.on,
    end,
    async logout(deadlineMs) {
      phase.isLeaving = true
      if (!phase.hasEnded) await removeDevice(sock, deadlineMs, log)
      await end()
    },
  }
  const own: OwnParts = {
    acks,
    companion,
    qrClock,
    watchdog,
    restriction,
    mediaAnswered: mediaAnswers.call,
    loggedIn(networkSeconds) {
      if (networkSeconds !== undefined) deps.learnTime(networkSeconds * SECOND, true)
      if (!phase.hasEnded) events.loggedIn()
      if (!creds.me) return
      deps.loginCounts.accepted(creds)
      deps.save()
    },
    passkey,
    isAvailable: presence.isAvailable,
    take: (node) => void router.take(node),
    before: router.before,
    cut,
  }
  return { connection, own, serve: router.serve }
}

/**
 * Removes the linked device from its account, if it has one. A login that has begun is awaited, because the network
 * accepts the removal only after the login. Takes at most `deadlineMs`, and never rejects.
 */
async function removeDevice(sock: NetworkSocket, deadlineMs: number, log: ConnectionDeps['log']): Promise<void> {
  const { me, account } = sock.authState.creds
  if (!me || !account) return
  const sentOrNot = sock.loggedIn
    .then(() => sock.sendNode(logoutQuery(me.id, sock.generateMessageTag())))
    .catch((error) => log.info({ err: error }, 'the logout could not be sent to the network'))
  await orLate(sentOrNot, deadlineMs, () => {})
}

/** Creates the methods to link the socket to an account: by QR code, by pairing code and by passkey. */
function openPairing(
  sock: NetworkSocket,
  { events, steady, settled, passkeys }: ConnectionDeps,
  { stray, phase, ended }: { stray(error: unknown): void; phase: Phase; ended: AbortSignal },
) {
  const qrClock = createQrClock(sock, {
    now: steady.now,
    browser: BROWSER,
    onCode(text, expiresAt) {
      if (!phase.hasEnded) events.qr(text, expiresAt)
    },
    onReplaced(text) {
      if (!phase.hasEnded) events.qrReplaced(text)
    },
    onOver: (reason) => void sock.end(reason).catch(stray),
  })
  return {
    qrClock,
    companion: watchCompanionRefresh(sock, qrClock.secretChanged),
    passkey: passkeys.attach({ sock, settled, onBegin: qrClock.stop, events }),
    async pairingCode(digits: string) {
      // The socket is kept open before the request. Otherwise the expiry of the last QR code could end the socket while
      // the network answers.
      qrClock.keep(PAIRING_CODE_LIFE)
      return requestCode({ sock, ended }, digits)
    },
  }
}

function loggingRouter(
  sock: NetworkSocket,
  deps: ConnectionDeps,
  { came, cut }: { came: Liveness['came']; cut(): void },
): Router {
  const { log } = deps
  return routeStanzas(sock, {
    came,
    isWorthAnother: deps.isWorthAnother,
    onFailure(error, about) {
      // A stanza that failed must arrive again, for example if its data could not be written to disk. So the connection
      // is closed, and the network sends the unconfirmed stanzas again.
      log.error(
        { err: error, ...about },
        'a received stanza could not be processed; closing the connection so that the network sends it again',
      )
      cut()
    },
    onGivenUp: (error, about) =>
      log.error({ err: error, ...about }, 'a received stanza failed every time it was delivered; it is dropped'),
    onOverflow: (line) =>
      log.warn({ line }, 'too many stanzas of one kind are waiting; one was confirmed without being processed'),
    onUnknown: deps.countUnknown,
    onUnanswered: (error) =>
      log.debug({ err: error }, 'a received stanza could not be confirmed; the network will send it again'),
  })
}

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
