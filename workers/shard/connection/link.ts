/**
 * The instance's link to the network: its present session, the way out that session takes, and the credentials it logs in with. What
 * happens on it is reported; what comes of that is the status' business.
 */
import type { AuthenticationCreds, WAVersion } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Restriction } from '../../../src/domain/instance.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import { EgressBlocked } from '../../../src/egress/egress.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import type { WebVersion } from '../baileys/version.ts'
import type { AuthState } from '../keys/credentials.ts'
import type { ConnectionEvent } from './contract.ts'
import { createOutside, type Outside } from './network-route.ts'
import type { Pairing } from './pairing/pairing.ts'
import type { Connection, SessionEvents } from './session.ts'
import { onlyWhile, sessionEvents } from './session-events.ts'

/** What a session is opened with. */
export interface Opening {
  creds: AuthenticationCreds
  outside: Outside
  version: WAVersion
  /** What the network is known to keep the account from. */
  restriction: Restriction | null
  events: SessionEvents
}

export interface LinkDeps<S extends Connection> {
  network: NetworkOptions
  egressAllow: Ranges
  version: WebVersion
  auth: AuthState
  log: Logger
  pairing: Pairing
  openSession(opening: Opening): S
  /** Logged in, right before it is reported. */
  onOpened(): void
  proxyUrl(): string | null
  /** An event is dropped where `isCurrent` says so when its turn comes. */
  report(event: ConnectionEvent, isCurrent?: () => boolean): void
  /** What the network is known to keep the account from. */
  restriction(): Restriction | null
  /** Called before it is reported. */
  restricted(restriction: Restriction | null): void
  /** What else was kept for the device says nothing to the next one. */
  forget(): Promise<unknown>
}

export interface Link<S extends Connection> {
  /** The current one until it has ended: until then its keys are in use. */
  session(): S | null
  /** Null before the first session, and until the next one after a change of proxy. */
  outside(): Outside | null
  /** Does not reject: what stands in the way is reported. `fresh`: as a device that was never linked. */
  open(fresh: boolean): Promise<void>
  /** Ends the session, if there is one, in this way. */
  leave(end: (current: S) => Promise<void>): Promise<void>
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

export function createLink<S extends Connection>(deps: LinkDeps<S>): Link<S> {
  const { auth, log, pairing, report } = deps
  let session: S | null = null
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
      return createOutside(deps.network, proxyUrl, deps.egressAllow)
    } catch (cause) {
      throw proxyUrl === null || cause instanceof EgressBlocked ? cause : new EgressBlocked('the proxy cannot be used', { cause })
    }
  }

  function startSession(creds: AuthenticationCreds, through: Outside): S {
    const version = deps.version.current()
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
        deps.onOpened()
        deps.version.loggedIn(version).catch((error) => log.warn({ err: error }, 'the client version could not be saved'))
      },
    })
    const opened: S = deps.openSession({
      creds,
      outside: through,
      version,
      restriction: deps.restriction(),
      events: onlyWhile(isCurrent, events),
    })
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
      if (named) await deps.version.refused(named)
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
