/**
 * The facets of a group: every kind of data that is kept about a group, each with the time for which it is kept and its limits. `src/README.md` shows
 * them as a table with the modules that write and read them. Data that is not listed in this file is not kept.
 *
 * While the device is offline, the network keeps notices for it, but unlinks it after some time. So if data is older than `NOTICED_FOR`, a notice
 * about it may have been lost.
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
   * Admins, and whether only they may change the group. If the known roles are older than `askedAgainMs`, they are queried again after an event, but
   * for each group at most once per `pauseMs`. `asked`: number of groups for which the time of the last query is remembered.
   */
  roles: { ms: NOTICED_FOR, askedAgainMs: DAY, pauseMs: MINUTE, asked: 1_000 },
} as const satisfies Record<string, Record<string, number>>
