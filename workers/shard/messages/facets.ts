/**
 * The kinds of data that this folder keeps about messages, with their lifetimes and limits. Some rows are kept in two
 * generations: they stay for one to two terms, but a full generation of newer rows evicts them earlier.
 */
import { DAY } from '../../../src/domain/clock.ts'
import type { Term } from '../../../src/storage/generations.ts'
import type { Retention } from '../../../src/storage/retention.ts'
import { WEEK } from '../../../src/storage/weeks.ts'
import type { Context } from '../context/instance-context.ts'

const MB = 1_024 * 1_024
const UNBOUNDED = Number.POSITIVE_INFINITY

/** Term in ms of one generation. Receipts may arrive until the end of the second generation. */
const OWN_TERM = 31 * DAY

export const FACETS = {
  content: {
    /** Age in ms after which a message can no longer be edited. The message is then evicted before any newer one. */
    oldAfterMs: DAY,
    rows: 4_000,
    bytes: 8 * MB,
    /**
     * Limit for the messages of all instances of a thread together: two hundred instances would otherwise exceed the
     * heap. Above this limit, an instance that adds a message keeps only its share.
     */
    rowsOfThread: 50_000,
  },
  /**
   * Sent messages with their stanza, for retries. A device requests a message again within seconds after it is online.
   */
  sent: { ms: DAY, rows: 10_000, bytes: 64 * MB },
  /** Secrets of polls and events. After a month, votes and answers are very rare. */
  askedSecret: { ms: 30 * DAY, rows: 5_000, bytes: 4 * MB },
  /**
   * Secrets of all other messages, which decrypt late edits. More rows would make every start slower, because a start
   * counts them.
   */
  saidSecret: { ms: DAY, rows: 4_000, bytes: 4 * MB },
  /** Authors of the account's own messages. Only the account adds these rows, so their number needs no limit. */
  ownAuthor: { ms: OWN_TERM, rows: UNBOUNDED, bytes: UNBOUNDED },
  author: { ms: 31 * DAY, rows: 20_000, bytes: UNBOUNDED },
  /**
   * The last reported receipt per message and participant. Without this row, a late `read` receipt would also cause a
   * second `delivered` event.
   */
  level: { weeks: Math.ceil((2 * OWN_TERM) / WEEK) },
  /** When own messages were sent, accepted and received, for the dashboard. */
  timeline: { weeks: 1 },
  /**
   * Hashes of processed messages, up to three per message, in two generations. There is room for far more messages than
   * the largest offline backlog in our trials.
   */
  seen: { rows: 3_072 },
} as const satisfies Record<string, Partial<Term> & Record<string, number>>

export type Facet = keyof typeof FACETS

export type FacetContext = Context<'id' | 'store' | 'sealer' | 'clock' | 'log'> & {
  /** Removes rows that are too old. */
  retention: Pick<Retention, 'covers' | 'idle'>
}
