/** A connection, and what is known of the groups on it: what everything that is said over it is given. */
import type { Connection } from '../connection/session.ts'
import type { Groups } from './groups.ts'

export interface Session extends Connection {
  readonly groups: Groups
}
