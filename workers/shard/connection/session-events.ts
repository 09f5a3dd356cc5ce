import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import { bare, identifierOf } from '../wire/jid.ts'
import type { ConnectionEvent, SessionEvents } from './contract.ts'
import type { Pairing } from './pairing/pairing.ts'

export interface SessionEventDeps extends Pick<SessionEvents, 'restricted'> {
  creds: AuthenticationCreds
  pairing: Pairing
  hasProxy: boolean
  report(event: ConnectionEvent): void
  onOpened(): void
}

export function sessionEvents({ creds, pairing, hasProxy, report, onOpened, restricted }: SessionEventDeps): SessionEvents {
  return {
    socketOpened: () => report({ type: 'socketOpened' }),
    qr(payload, expiresAt) {
      pairing.show({ payload, expiresAt })
      report({ type: 'qrShown' })
    },
    qrReplaced: (payload) => pairing.replace(payload),
    paired: () => report({ type: 'paired', phone: phoneOf(creds.me?.id), platform: platformOf(creds.platform) }),
    loggedIn: () => report({ type: 'loggedIn' }),
    opened() {
      const { me, account, platform } = creds
      // A real network never logs in a device without an account, so such a login does not prove that the client
      // version is accepted.
      if (account) onOpened()
      report({ type: 'opened', phone: phoneOf(me?.id), profileName: nameOf(me?.name), platform: platformOf(platform) })
    },
    closed({ startFailure, ...closed }) {
      // If a database refuses a connection, its error has the same words as the error of a proxy. So failures of the
      // store are excluded.
      const isOfProxy = hasProxy && startFailure !== 'storeAway' && isProxyRefusal(closed.message)
      const cause = isOfProxy ? 'proxy' : startFailure
      report(cause ? { type: 'startFailed', cause } : { type: 'closed', ...closed })
    },
    named(name) {
      const profileName = nameOf(name)
      if (profileName !== null) report({ type: 'nameChanged', profileName })
    },
    restricted(restriction) {
      restricted(restriction)
      report({ type: 'restrictionChanged', restriction })
    },
    passkeyAsked: (lifeMs) => report({ type: 'passkeyAsked', lifeMs }),
    passkeyAccepted: () => report({ type: 'passkeyAccepted' }),
    passkeyTryAgain: (lifeMs) => report({ type: 'passkeyTryAgain', lifeMs }),
    passkeyEnded: () => report({ type: 'passkeyEnded' }),
  }
}

/** Returns handlers that ignore events after their session was replaced. */
export function onlyWhile(isCurrent: () => boolean, events: SessionEvents): SessionEvents {
  const guarded = Object.entries(events).map(([name, handle]) => [
    name,
    (...args: unknown[]) => {
      if (isCurrent()) Reflect.apply(handle, events, args)
    },
  ])
  return Object.fromEntries(guarded) as SessionEvents
}

/**
 * Whether the proxy caused the error. With a proxy, the only TCP connection is the one to the proxy, so TCP errors and
 * the answer to CONNECT come from the proxy.
 */
const isProxyRefusal = (message: string) =>
  /ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|HTTP 40[137] /.test(message) ||
  (/proxy|socks/i.test(message) && !/Unreachable|ConnectionRefused|TTLExpired/.test(message))

const phoneOf = (jid: string | undefined) => (jid === undefined ? null : identifierOf(bare(jid)))

/** Returns the name of the account, or null. `~` is stored while the name is unknown. */
const nameOf = (name: string | undefined) => (name && name !== '~' ? name.slice(0, 100) : null)

/** System on which the app of each platform runs. Other platforms are reported unchanged. */
const PLATFORMS: Readonly<Record<string, string>> = { smba: 'android', iphone: 'ios', smbi: 'ios' }
const platformOf = (platform: string | undefined) => (platform ? (PLATFORMS[platform] ?? platform).slice(0, 32) : null)
