/**
 * A connection with its groups, numbers and app state, for code that sends. It has no socket: operations reach the
 * network through its methods only.
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
  readonly change: ChangeAppState
  readonly numbers: NumberLookUp
  readonly newsletterRoles: NewsletterRoles
  readonly mediaHosts: MediaHosts
  /** Sends queries that belong to no operation. Each query has a deadline of its own. */
  readonly ask: Ask
}

export interface SocketSession extends Session {
  readonly sock: Connection['sock']
}

export type SessionParts = Omit<SocketSession, keyof Connection>

/**
 * Adds parts to a connection. Each getter is forwarded, because a spread would copy its present value, which may
 * change.
 */
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

/** Access to the network for one operation, with its deadline and its meanings of error codes. */
export interface Asker {
  ask: Ask
  session: Session
}
