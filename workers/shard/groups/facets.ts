/**
 * The facets of a group: everything that is kept of one, each with its term and its bounds. `src/README.md` shows them
 * as a table with who writes and who reads them. A facet that is not in this file is not kept.
 *
 * Notices wait at the network as long as the device stays linked while it is offline; for data that is older than
 * `NOTICED_FOR` a notice may have been lost.
 */
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'

const NOTICED_FOR = 14 * DAY

export const FACETS = {
  /** The groups of the account in the form for lists. `readAgainMs` limits how long a lost notice leaves the list wrong. */
  entry: { groups: 10_000, readAgainMs: 7 * DAY },
  /** Whole groups with their members in memory, for one session. The age limits how long a lost notice leaves them wrong. */
  metadata: { groups: 500, ms: HOUR },
  /** Whole groups with their members on disk. */
  storedMetadata: { ms: NOTICED_FOR },
  /**
   * Admins, and whether only they may change the group. After `askedAgainMs` they are queried again for the next event,
   * at most once per `pauseMs`; `asked` is the number of groups whose last query is remembered.
   */
  roles: { ms: NOTICED_FOR, askedAgainMs: DAY, pauseMs: MINUTE, asked: 1_000 },
} as const satisfies Record<string, Record<string, number>>
