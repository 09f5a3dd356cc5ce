/**
 * A connection, together with the groups and numbers that it knows, and with its app state. All code that sends gets a session. It does not expose
 * the socket; `ask` (`connection/ask.ts`) reaches the network, and `test/unit/network-access.test.ts` checks that operations use no other way.
 */
import type { Ask } from '../connection/ask.ts'
import type { Connection } from '../connection/contract.ts'
import type { MediaHosts } from '../connection/media-hosts.ts'
import type { NewsletterRoles } from '../directory/newsletter-roles.ts'
import type { SessionGroups } from '../groups/group-book.ts'
import type { ChangeAppState } from '../wire/app-state-actions.ts'
import type { NumberLookUp } from './number-look-up.ts'

export interface Session extends Omit<Connection, 'sock'> {
  readonly groups: SessionGroups
  /** Changes app state (`app-state/app-state-changes.ts`). */
  readonly change: ChangeAppState
  readonly numbers: NumberLookUp
  readonly newsletterRoles: NewsletterRoles
  readonly mediaHosts: MediaHosts
  /** Sends the service's own queries, which belong to no operation. Each one has the deadline of a query. */
  readonly ask: Ask
}

/** A session with its socket. Only parts of the connection itself use it: they listen to the library's events or answer stanzas. */
export interface SocketSession extends Session {
  readonly sock: Connection['sock']
}

/** Parts of a session in addition to its connection. */
export type SessionParts = Omit<SocketSession, keyof Connection>

/** Properties of a connection that can change are getters. A spread would copy their current values, so each getter is forwarded. */
export const sessionOf = (connection: Connection, parts: SessionParts): SocketSession => ({
  ...connection,
  ...parts,
  get me() {
    return connection.me
  },
  get platform() {
    return connection.platform
  },
  get isOpen() {
    return connection.isOpen
  },
  get isAvailable() {
    return connection.isAvailable
  },
})

/** Access to the network for one caller: sends queries with the deadline of the caller's operation, and with its meanings of error codes. */
export interface Asker {
  ask: Ask
  session: Session
}
