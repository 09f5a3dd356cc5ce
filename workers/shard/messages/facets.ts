/**
 * The facets of a message: every kind of data that the service keeps about a message, each with the time for which it is kept and its limits.
 * `src/README.md` shows them as a table with the modules that write and read them. Data that is not listed in this file is not kept.
 *
 * Some rows are kept in two generations (`storage/generations.ts`). Such a row stays for one to two terms, or until as many newer rows have been
 * added as a generation may have. Facets with a term in weeks stay for that many whole weeks, and for the current week.
 */
import { DAY } from '../../../src/domain/clock.ts'
import type { Term } from '../../../src/storage/generations.ts'
import type { Retention } from '../../../src/storage/retention.ts'
import { WEEK } from '../../../src/storage/weeks.ts'
import type { Context } from '../context/instance-context.ts'

const MB = 1_024 * 1_024
const UNBOUNDED = Number.POSITIVE_INFINITY

/** Term of one generation of the rows about own messages. There are two generations, and receipts may arrive until the end of the second one. */
const OWN_TERM = 31 * DAY

export const FACETS = {
  /** Whole messages in memory, the oldest evicted first: `recent.ts`. */
  content: {
    /**
     * Age in ms after which a message can no longer be edited and is hardly ever answered. It is evicted before any
     * newer one, even of a chat with many messages.
     */
    oldAfterMs: DAY,
    rows: 4_000,
    bytes: 8 * MB,
    /**
     * The most messages of all instances of a thread; each takes about 1.6 kB of memory. When this number is exceeded, an instance that adds a
     * message keeps only its share of the number. Without it, two hundred instances with 4,000 messages each would exceed the heap of a shard.
     */
    rowsOfThread: 50_000,
  },
  /**
   * Sent messages with their stanza, and numbers of own channel posts: `sent.ts`. Messages are kept for retries: a device requests one within seconds
   * after it is online.
   */
  sent: { ms: DAY, rows: 10_000, bytes: 64 * MB },
  /** Secrets of polls and events. The network has no time limit for votes and answers, but after a month they are very rare. */
  askedSecret: { ms: 30 * DAY, rows: 5_000, bytes: 4 * MB },
  /**
   * Secrets of all other messages. Phones allow edits for 15 minutes, but an edit that was made while the instance was offline arrives later. The
   * newest 4,000 secrets are kept, as many as there are messages in memory: enough for 15 minutes at four messages per second. More rows would make
   * every start slower, because a start counts them.
   */
  saidSecret: { ms: DAY, rows: 4_000, bytes: 4 * MB },
  /** Chats of own messages. Only the account adds rows, so only age removes them. */
  ownAuthor: { ms: OWN_TERM, rows: UNBOUNDED, bytes: UNBOUNDED },
  /** Authors and chats of the messages of others. Everybody who can write to the number adds rows. */
  author: { ms: 31 * DAY, rows: 20_000, bytes: UNBOUNDED },
  /**
   * The last reported receipt per message and participant. It is kept as long as receipts of own messages are accepted. Without this row, a late
   * `read` receipt would also cause a second `delivered` event.
   */
  level: { weeks: Math.ceil((2 * OWN_TERM) / WEEK) },
  /** Timeline of own messages (when they were sent, accepted and received), which the dashboard shows. */
  timeline: { weeks: 1 },
  /**
   * Marks of messages that were processed, in memory and on disk, in two generations. A message has up to three marks. The generations have room for
   * far more messages than the largest offline backlog in our trials.
   */
  seen: { rows: 3_072 },
} as const satisfies Record<string, Partial<Term> & Record<string, number>>

export type Facet = keyof typeof FACETS

export type FacetContext = Context<'id' | 'store' | 'sealer' | 'clock' | 'log'> & {
  /** Removes the rows of all facets when they are too old. */
  retention: Pick<Retention, 'covers' | 'idle'>
}
