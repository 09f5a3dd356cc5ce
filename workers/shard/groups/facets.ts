/**
 * The facets of a group: every kind of data that is kept about a group, each with the time for which it is kept and its limits. `src/README.md` shows
 * them as a table with the modules that write and read them. Data that is not listed in this file is not kept.
 *
 * While the device is offline, the network keeps notices for it only for as long as it stays linked. So for data that is older than `NOTICED_FOR`, a
 * notice may have been lost.
 */
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'

const NOTICED_FOR = 14 * DAY

export const FACETS = {
  /**
   * The groups of the account, as lists show them. The list is read again after `readAgainMs`, so that it is not wrong for longer if a notice was
   * lost.
   */
  entry: { groups: 10_000, readAgainMs: 7 * DAY },
  /**
   * Whole groups with their members in memory, for one session. They are queried again after this time, so that they are not wrong for longer if a
   * notice was lost.
   */
  metadata: { groups: 500, ms: HOUR },
  /** Whole groups with their members on disk. */
  storedMetadata: { ms: NOTICED_FOR },
  /**
   * Admins, and whether only they may change the group. Roles older than `askedAgainMs` are queried again for the next event, but each group at most
   * once per `pauseMs`. `asked` is the number of groups whose last query is remembered.
   */
  roles: { ms: NOTICED_FOR, askedAgainMs: DAY, pauseMs: MINUTE, asked: 1_000 },
} as const satisfies Record<string, Record<string, number>>
