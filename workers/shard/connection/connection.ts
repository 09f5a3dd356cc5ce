/**
 * One linked device on the wire: one socket from its opening to its end. It has no knowledge of statuses, messages or chats: it reports the events of
 * the socket, the instance decides, and the handling of stanzas is passed in. After its end it reports nothing, whatever the socket still emits.
 */
import { setMaxListeners } from 'node:events'
import { type BinaryNode, makeWASocket } from '@whiskeysockets/baileys'
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { orLate } from '../../../src/lib/deadline.ts'
import { watchCompanionRefresh } from '../baileys/companion-refresh.ts'
import { adoptSocket, endReason, endSocket, rawSocket } from '../baileys/end.ts'
import { readInbound } from '../baileys/frames/inbound.ts'
import { keepAlive } from '../baileys/keep-alive.ts'
import { keepLateTokens } from '../baileys/late-tokens.ts'
import { libraryLogger } from '../baileys/logger.ts'
import { askForBatches } from '../baileys/offline-batches.ts'
import { createQrClock } from '../baileys/qr-clock.ts'
import { countLogins } from '../baileys/thread/login-counts.ts'
import { guardListeners } from '../baileys/thread/rejections.ts'
import { watchConnection } from '../baileys/watchdog.ts'
import { ownFacts } from '../keys/own-facts.ts'
import { nodeBytes } from '../wire/node-bytes.ts'
import { createAsk } from './ask.ts'
import type { Connection, ConnectionDeps, Handling, MediaAnswer, OpenedConnection, OwnParts } from './contract.ts'
import { createDeviceLists } from './device-lists.ts'
import { closedBy } from './disconnect.ts'
import { sendFailure } from './failures.ts'
import { createIdentity, type LidPair, learnPairs } from './identity.ts'
import { createMex } from './mex.ts'
import { requestCode } from './pairing/pairing-code.ts'
import { watchRestriction } from './restriction-watch.ts'
import { createAcks } from './socket/acks.ts'
import { watchLiveness } from './socket/liveness.ts'
import { createPersonRelay } from './socket/person-relay.ts'
import { BROWSER, socketOptions } from './socket/socket.ts'
import { detachLibrary, routeStanzas } from './socket/stanza-router.ts'
import { createTrustedTokens } from './trusted-tokens.ts'
import { ACK_DEADLINE, QUERY_DEADLINE, RELAY_DEADLINE, within } from './within.ts'

/** Time in ms in which a pairing code can be entered; its socket is kept for that time. */
const PAIRING_CODE_LIFE = 3 * MINUTE

export function openConnection(deps: ConnectionDeps): OpenedConnection {
  const { creds, auth, settled, log, events, clock, steady, tally } = deps
  let hasEnded = false
  /** Set before an intended end, so that the resulting close is not reported as a loss. */
  let isLeaving = false
  let isOpen = false
  let isAvailable = false
  /** Without the session's groups the library would query the network. It relays only after `serve`. */
  let groupsForRelay: Handling['groupMetadata'] = async () => undefined

  if (creds.me) countLogins(creds.me.id, ownFacts(creds).logins ?? 0)
  const identity = createIdentity(auth)
  const devices = createDeviceLists(steady)
  const sock = makeWASocket(
    socketOptions({
      auth,
      logger: libraryLogger(log),
      makeSignalRepository: deps.makeSignalRepository,
      getMessage: deps.getMessage,
      groupMetadata: (jid) => groupsForRelay(jid),
      userDevicesCache: devices.cache,
      network: deps.network,
      route: deps.route,
      version: deps.version,
    }),
  )
  const { ws, ev } = sock
  const stray = (error: unknown) => log.info({ err: error }, 'Baileys did not handle one of its own errors')
  const replace = (reason: string) => void endSocket(sock, endReason(reason, STALLED), 'abrupt').catch(stray)

  // The library's own functions keep the library's encoder.
  sock.sendNode = (node) => sock.sendRawMessage(nodeBytes(node))
  detachLibrary(sock)
  adoptSocket(sock)
  keepLateTokens(sock)
  keepAlive(sock, {
    now: steady.now,
    onError: stray,
    onTime: (seconds) => deps.learnTime(seconds * SECOND, false),
  })
  askForBatches(sock, stray)
  const countStall = (cause: string) => {
    for (const name of ['svc_inbound_stalled_total', 'svc_inbound_deaf_total'] as const) tally.add(name, { cause })
  }
  const onStalled = (error: Error) => {
    countStall('frame')
    log.warn({ err: error }, 'a frame could not be decrypted or decoded; reconnecting')
    replace('a frame could not be decrypted or decoded')
  }
  guardListeners(sock, { onStray: stray, onStalled })
  readInbound(sock, { onStalled })
  const liveness = watchLiveness(sock, {
    now: steady.now,
    stalledAfterMs: deps.stalledAfterMs,
    onStanza: (kind) => tally.add('svc_inbound_stanzas_total', { kind }),
    onSilent: (silentMs) => log.info({ silent_ms: silentMs }, 'no stanza has been received for a while'),
    onStalled(kind) {
      countStall(kind)
      log.error({ kind, traffic: liveness.traffic() }, 'inbound stanzas are no longer processed; reconnecting')
      replace('inbound stanzas are no longer processed')
    },
  })
  const watchdog = watchConnection(sock, { onError: stray })
  const qrClock = createQrClock(sock, {
    now: steady.now,
    browser: BROWSER,
    onCode(text, expiresAt) {
      if (!hasEnded) events.qr(text, expiresAt)
    },
    onReplaced(text) {
      if (!hasEnded) events.qrReplaced(text)
    },
    onOver: (reason) => void endSocket(sock, reason).catch(stray),
  })
  const companion = watchCompanionRefresh(sock, qrClock.secretChanged)
  const passkey = deps.passkeys.attach({ sock, settled, onBegin: qrClock.stop, events })
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
  // Many operations may wait on the network at a time, so a dozen listeners are not a leak.
  setMaxListeners(0, ending.signal)

  /** Notifies after everything before it is saved, unless the session has ended in the meantime. */
  const whenSaved = (notify: () => void) => settled().then(() => (hasEnded ? undefined : notify()), stray)

  const router = routeStanzas(sock, {
    came: liveness.came,
    isWorthAnother: deps.isWorthAnother,
    onFailure(error, about) {
      // Nothing may be confirmed after data that is not on disk. When the connection is closed, the network sends it again.
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

  function finish() {
    hasEnded = true
    isOpen = false
    passkey.ended(isLeaving)
    router.fence()
    deps.onEnd()
    acks.end()
    restriction.stop()
    ending.abort()
  }

  ws.on('open', () => {
    if (!hasEnded) events.socketOpened()
  })
  // The library has already put the change into `creds`.
  ev.on('creds.update', (update) => {
    deps.save()
    if (update.me?.name && !hasEnded) events.named(update.me.name)
  })
  ev.on('connection.update', (update) => {
    if (hasEnded) return
    if (update.isOnline !== undefined) isAvailable = update.isOnline
    // This also runs if the socket has ended in the meantime, because the network closes it right after the pairing, often before the write has
    // finished. It does not run if the session was ended on purpose.
    if (update.isNewLogin) passkey.linked()
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
    // This also runs after a failed save, which its caller logs; without this event the next session would never be opened.
    const notify = () => events.closed(closed)
    settled().then(notify, notify)
  })

  async function end() {
    isLeaving = true
    if (!hasEnded) finish()
    await endSocket(sock, undefined)
    // The caller of a failed save logs it, and an end that rejects would keep the next session from opening.
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
    async pairingCode(digits) {
      const code = await requestCode({ sock, ended: ending.signal, onQueryRefused: refusals.on }, digits)
      qrClock.keep(PAIRING_CODE_LIFE)
      return code
    },
    ack(messageId, to) {
      const pending = acks.expect(messageId, to)
      return {
        giveUp: pending.giveUp,
        async verdict() {
          // At the end of the connection the outcome is `closed`.
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
      const removal = hasEnded || !ws.isOpen ? Promise.resolve() : sock.logout()
      const sentOrNot = removal.catch((error) => log.info({ err: error }, 'the logout could not be sent to the network'))
      await orLate(sentOrNot, deadlineMs, () => {})
      await end()
    },
  }
  const own: OwnParts = {
    acks,
    companion,
    qrClock,
    watchdog,
    restriction,
    queryRefused: refusals.call,
    mediaAnswered: mediaAnswers.call,
    loggedIn(networkSeconds) {
      if (networkSeconds !== undefined) deps.learnTime(networkSeconds * SECOND, true)
      if (!hasEnded) events.loggedIn()
    },
    passkey,
    isAvailable: () => isAvailable,
    take: (node) => void router.take(node),
    before: router.before,
    cut,
  }
  return {
    connection,
    own,
    serve({ table, groupMetadata }) {
      groupsForRelay = groupMetadata
      router.serve(table)
    },
  }
}

/** Reported like a connection that the network closed, because the reason to reconnect is the same. */
const STALLED = 428

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
