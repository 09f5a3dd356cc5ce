import type { AuthenticationCreds, WAVersion } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { Restriction } from '../../../src/domain/instance.ts'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Ranges } from '../../../src/egress/addresses.ts'
import { EgressBlocked } from '../../../src/egress/egress.ts'
import type { NetworkOptions } from '../../../src/engine/engine.ts'
import type { LoopShare } from '../../../src/lib/loop-share.ts'
import type { Slot } from '../context/slot.ts'
import type { AuthState } from '../keys/auth-state.ts'
import { createLoginCounts, type LoginCounts } from '../network/login/login-counts.ts'
import type { Connection, ConnectionEvent, SessionEvents } from './contract.ts'
import { createNetworkRoute, type NetworkRoute } from './network-route.ts'
import type { Pairing } from './pairing/pairing.ts'
import type { AccountRestriction } from './restriction/account-restriction.ts'
import { onlyWhile, sessionEvents } from './session-events.ts'
import type { WebVersion } from './socket/client-version.ts'

export interface Opening {
  creds: AuthenticationCreds
  route: NetworkRoute
  version: WAVersion
  loginCounts: LoginCounts
  restriction: Restriction | null
  events: SessionEvents
}

export interface LinkDeps<S extends Connection> {
  /** The current session. It stays in this slot until it has ended, because its keys are in use until then. */
  session: Slot<S | null>
  route: Slot<NetworkRoute | null>
  network: NetworkOptions
  egressAllow: Ranges
  version: WebVersion
  auth: AuthState
  /** Share of the event loop for new sessions, because many instances may lose theirs at the same time. */
  share: LoopShare
  log: Logger
  pairing: Pairing
  openSession(opening: Opening): S
  onOpened(): void
  proxyUrl(): string | null
  report(event: ConnectionEvent, isCurrent?: () => boolean): void
  restriction: AccountRestriction
  forget(): Promise<unknown>
}

export interface Link<S extends Connection> {
  /**
   * Never rejects, because failures are reported as events. With `fresh`, the credentials of the earlier device are
   * erased, and the session registers a new device.
   */
  open(fresh: boolean): Promise<void>
  leave(end: (current: S) => Promise<void>): Promise<void>
  erase(): Promise<void>
  /** Whether a linked device is saved; null if the store cannot be read. */
  isPaired(): Promise<boolean | null>
  refreshVersion(): Promise<void>
  /** Gives the next session a new route. Calls `restart`, and then closes the old route. */
  reroute(restart: () => Promise<unknown>): Promise<void>
  /** Closes the route. Must be called after the last session has ended. */
  close(): Promise<void>
}

export function createLink<S extends Connection>(deps: LinkDeps<S>): Link<S> {
  const { session, route, auth, log, pairing, report } = deps
  const loginCounts = createLoginCounts()
  /**
   * Client version of the latest session. A refusal by the network concerns this version, although other instances may
   * already use another one.
   */
  let named: WAVersion | null = null

  async function erase() {
    await auth.erase()
    await deps.forget()
  }

  async function open(fresh: boolean) {
    try {
      if (fresh) await erase()
      const creds = await auth.discardHalfPaired()
      const through = route.get() ?? (await routed())
      route.set(through)
      await deps.share()
      session.set(startSession(creds, through))
    } catch (error) {
      log.error({ err: error }, 'the connection to WhatsApp could not be started')
      report({ type: 'startFailed', cause: causeOf(error) })
    }
  }

  /**
   * Creates the route. If the instance has a proxy, every failure in this function is reported as a failure of the
   * proxy.
   */
  async function routed(): Promise<NetworkRoute> {
    const proxyUrl = deps.proxyUrl()
    try {
      const made = await createNetworkRoute(deps.network, proxyUrl, deps.egressAllow)
      if (proxyUrl === deps.proxyUrl()) return made
      // The proxy of the instance was changed while this route was being created, so another route is created.
      await made.close()
      return await routed()
    } catch (cause) {
      throw proxyUrl === null || cause instanceof EgressBlocked ? cause : new EgressBlocked('the proxy cannot be used', { cause })
    }
  }

  function startSession(creds: AuthenticationCreds, through: NetworkRoute): S {
    const version = deps.version.current()
    named = version
    /** Whether the session that sent an event is the current one. Events of earlier sessions are dropped. */
    const isCurrent = () => opened === session.get()
    const events = sessionEvents({
      creds,
      pairing,
      hasProxy: through.agent !== undefined,
      restricted: deps.restriction.change,
      report: (event) => report(event, isCurrent),
      onOpened() {
        deps.onOpened()
        deps.version.loggedIn(version).catch((error) => log.warn({ err: error }, 'the client version could not be saved'))
      },
    })
    const opened: S = deps.openSession({
      creds,
      route: through,
      version,
      loginCounts,
      restriction: deps.restriction.now(),
      events: onlyWhile(isCurrent, events),
    })
    return opened
  }

  return {
    open,
    async leave(end) {
      try {
        const current = session.get()
        if (current) await end(current)
      } finally {
        session.set(null)
      }
    },
    erase,
    async isPaired() {
      try {
        return Boolean((await auth.loadCreds())?.account)
      } catch (error) {
        // The error is only logged here. If it persists, the next session fails for the same reason and reports it.
        log.error({ err: error }, 'the saved credentials could not be read')
        return null
      }
    },
    async refreshVersion() {
      if (named) await deps.version.refused(named)
    },
    async reroute(restart) {
      const before = route.get()
      route.set(null)
      await restart()
      await before?.close()
    },
    async close() {
      await route.get()?.close()
    },
  }
}

function causeOf(error: unknown): Extract<ConnectionEvent, { type: 'startFailed' }>['cause'] {
  if (error instanceof EgressBlocked) return 'proxy'
  return isStorageFailure(error) ? 'storeAway' : 'store'
}
