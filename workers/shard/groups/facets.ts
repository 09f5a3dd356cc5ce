/**
 * Kinds of data about a group, with their lifetimes and limits. The network keeps notices for an offline device only
 * for some time, so older data may be wrong.
 */
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'

const NOTICED_FOR = 14 * DAY

export const FACETS = {
  /**
   * The groups of the account, as lists show them. The list is read again at the first login after `readAgainMs`,
   * because a notice may have been lost.
   */
  entry: { groups: 10_000, readAgainMs: 7 * DAY },
  /**
   * Complete groups in memory, with their members. After `ms` a group is read from disk again, or queried if its stored
   * copy is missing or too old.
   */
  metadata: { groups: 500, ms: HOUR },
  storedMetadata: { ms: NOTICED_FOR },
  /**
   * The admins of a group, and whether only admins may change it. Roles older than `askedAgainMs` are queried again
   * after an event, for each group at most once per `pauseMs`. `asked`: maximum number of groups whose last query is
   * remembered.
   */
  roles: { ms: NOTICED_FOR, askedAgainMs: DAY, pauseMs: MINUTE, asked: 1_000 },
} as const satisfies Record<string, Record<string, number>>
