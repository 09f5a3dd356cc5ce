/**
 * The instance's link to the network: its present session, the way out that session takes, and the credentials it logs in with. What
 * happens on it is reported; what comes of that is the status' business.
 */
import type { WAVersion } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Clock } from '../../../src/domain/clock.ts'
import type { Restriction } from '../../../src/domain/instance.ts'
import { EgressBlocked } from '../../../src/egress/egress.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import type { Authorship } from '../chats/authorship.ts'
import { createAuthState } from '../keys/credentials.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { createAddressLocks } from '../keys/signal/locks.ts'
import type { LifecycleEvent } from '../lifecycle/contract.ts'
import type { MessageStatuses } from '../receipts/message-status.ts'
import { attachReceipts } from '../receipts/receipts.ts'
import type { Receiving } from '../receive/receiving.ts'
import type { Sent } from '../retry/sent.ts'
import type { ShardDeps } from '../shard-deps.ts'
import { createOutside, type Outside } from './network-route.ts'
import type { Pairing } from './pairing.ts'
import { openSession, type Session, type SessionDeps } from './session.ts'
import { onlyWhile, sessionEvents } from './session-events.ts'

export interface LinkDeps {
  shard: Pick<ShardDeps, 'network' | 'egressAllow' | 'version' | 'deafAfterMs' | 'tally' | 'killAt'>
  store: StateStore
  sealer: Sealer
  keys: KeyStore
  clock: Clock
  steady: Clock
  log: Logger
  pairing: Pairing
  sent: Sent
  statuses: MessageStatuses
  authorship: Pick<Authorship, 'isOwn'>
  receiving: Receiving
  proxyUrl(): string | null
  /** An event is dropped where `isCurrent` says so when its turn comes. */
  report(event: LifecycleEvent, isCurrent?: () => boolean): void
  /** What the network is known to keep the account from. */
  restriction(): Restriction | null
  /** Called before it is reported. */
  restricted(restriction: Restriction | null): void
  /** What else was kept for the device says nothing to the next one. */
  forget(): Promise<unknown>
}

export interface Link {
  /** The current one until it has ended: until then its keys are in use. */
  session(): Session | null
  /** Null before the first session, and until the next one after a change of proxy. */
  outside(): Outside | null
  /** Does not reject: what stands in the way is reported. `fresh`: as a device that was never linked. */
  open(fresh: boolean): Promise<void>
  /** Ends the session, if there is one, in this way. */
  leave(end: (current: Session) => Promise<void>): Promise<void>
  /** Removes the credentials and what was kept for the device. */
  erase(): Promise<void>
  /** Whether a linked device is saved; null, which leaves the stored word standing, when that cannot be read. */
  isPaired(): Promise<boolean | null>
  /** The network refused the client version of the latest session. */
  refreshVersion(): Promise<void>
  /** The next session finds its way anew; the old way is closed after `restart`, when the session that went it has ended. */
  reroute(restart: () => Promise<unknown>): Promise<void>
  /** After the last session. */
  close(): Promise<void>
}

export function createLink(deps: LinkDeps): Link {
  const { shard, store, sealer, keys, clock, steady, log, pairing, sent, statuses, authorship, receiving, report } = deps
  const locks = createAddressLocks()
  const auth = createAuthState({ keys, store, sealer, locks })
  let session: Session | null = null
  let outside: Outside | null = null
  /** Client version of the latest session: what a refusal is about, wherever the other instances have got to. */
  let named: WAVersion | null = null

  /** Credentials first. */
  async function erase() {
    await auth.erase()
    await deps.forget()
  }

  async function open(fresh: boolean) {
    try {
      if (fresh) await erase()
      const creds = await auth.discardHalfPaired()
      outside ??= routed()
      session = startSession(creds, outside)
    } catch (error) {
      log.error({ err: error }, 'the session could not be started')
      report({ type: 'startFailed', cause: error instanceof EgressBlocked ? 'proxy' : 'store' })
    }
  }

  /** Whatever fails here with a proxy is the proxy's doing: another one, or none, is the remedy. */
  function routed(): Outside {
    const proxyUrl = deps.proxyUrl()
    try {
      return createOutside(shard.network, proxyUrl, shard.egressAllow)
    } catch (cause) {
      throw proxyUrl === null || cause instanceof EgressBlocked ? cause : new EgressBlocked('the proxy cannot be used', { cause })
    }
  }

  function startSession(creds: SessionDeps['creds'], through: Outside): Session {
    const version = shard.version.current()
    named = version
    /** Events of an older session are dropped: it must be the current one when the event arrives and when its turn comes. */
    const isCurrent = () => opened === session
    const events = sessionEvents({
      creds,
      pairing,
      hasProxy: through.agent !== undefined,
      restricted: deps.restricted,
      report: (event) => report(event, isCurrent),
      onOpened() {
        receiving.announce()
        shard.version.loggedIn(version).catch((error) => log.warn({ err: error }, 'the client version could not be saved'))
      },
    })
    const opened: Session = openSession({
      auth,
      creds,
      signal: { keys, locks },
      inbox: receiving.session(),
      sent,
      appState: receiving.appState,
      isWorthAnother: receiving.isWorthAnother,
      killAt: shard.killAt,
      network: shard.network,
      outside: through,
      version,
      deafAfterMs: shard.deafAfterMs,
      restriction: deps.restriction(),
      tally: shard.tally,
      clock,
      steady,
      log,
      events: onlyWhile(isCurrent, events),
    })
    receiving.attach(opened)
    attachReceipts(opened, { statuses, authorship, clock, log })
    return opened
  }

  return {
    session: () => session,
    outside: () => outside,
    open,
    async leave(end) {
      try {
        if (session) await end(session)
      } finally {
        session = null
      }
    },
    erase,
    async isPaired() {
      try {
        return Boolean((await auth.loadCreds())?.account)
      } catch (error) {
        // The session that is opened next fails for the same reason, and that is what ends as `start_failed` (row 5).
        log.error({ err: error }, 'the saved credentials could not be read')
        return null
      }
    },
    async refreshVersion() {
      if (named) await shard.version.refused(named)
    },
    async reroute(restart) {
      const before = outside
      outside = null
      await restart()
      await before?.close()
    },
    async close() {
      await outside?.close()
    },
  }
}
