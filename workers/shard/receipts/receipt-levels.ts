/**
 * Stores the last reported status of each message per participant: a blind name and one byte, written in the commit of
 * its event. Rows are grouped by the week of writing, and kept as long as receipts for the account's messages are
 * accepted (`chats/authorship.ts`): without its row, a late `read` would report
 * `delivered` a second time. An old week is removed without reading the rest.
 */

import { createHash } from 'node:crypto'
import { DAY } from '../../../src/domain/clock.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSweeper } from '../../../src/storage/sweeper.ts'
import { createWeeks, WEEK } from '../../../src/storage/weeks.ts'
import { OURS_KEPT } from '../chats/authorship.ts'
import type { Context } from '../context/instance-context.ts'

const SWEEP_EVERY = DAY
const WEEKS_KEPT = Math.ceil(OURS_KEPT / WEEK)
/** Number of cached levels: receipts of one message arrive close together. */
const REMEMBERED = 5_000

/** A message and its participant, blind. The id is hashed first, because ids come from strangers and may have any form. */
export type Subject = string & { readonly brand: 'subject' }

const hashOf = (id: string, chat: string, participant: string) =>
  createHash('sha256')
    .update(JSON.stringify([id, chat, participant]))
    .digest('base64url')
    .slice(0, 22)

export interface ReceiptLevels {
  start(): void
  stop(): Promise<void>
  subject(id: string, chat: string, participant: string): Subject
  /** Returns the highest level that was reported under any of these names of one subject; 0 if none. */
  of(names: readonly Subject[]): Promise<number>
  /** Returns the same from memory, for levels that were reported recently. */
  recent(names: readonly Subject[]): number
  /** Operations for the commit of the event; call `applied` after it. */
  ops(subjects: readonly Subject[], level: number): Op[]
  applied(subjects: readonly Subject[], level: number): void
}

export function createReceiptLevels({
  id: instance,
  store,
  sealer,
  clock,
  log,
}: Context<'id' | 'store' | 'sealer' | 'clock' | 'log'>): ReceiptLevels {
  const known = boundedCache<Subject, number>(REMEMBERED)
  const weeks = createWeeks(store, clock, keys.receipts(instance), (week) => keys.receiptWeek(instance, week), WEEKS_KEPT)
  const sweeper = createSweeper(weeks.removeOld, {
    everyMs: SWEEP_EVERY,
    log,
    complaint: 'old receipt levels could not be removed',
  })

  async function read(subject: Subject): Promise<number> {
    const remembered = known.get(subject)
    if (remembered !== undefined) return remembered
    const stored = await Promise.all(weeks.kept().map((at) => store.get(keys.receipt(instance, at, subject))))
    return Math.max(0, ...stored.map((value) => value?.[0] ?? 0))
  }

  const recent = (names: readonly Subject[]) => Math.max(0, ...names.map((name) => known.get(name) ?? 0))

  return {
    start: sweeper.start,
    subject: (id, chat, participant) => sealer.blindOnce(hashOf(id, chat, participant)) as Subject,
    stop: sweeper.stop,
    async of(names) {
      // A value under the first name was written with knowledge of the others.
      const isKnown = names[0] !== undefined && known.has(names[0])
      return isKnown ? recent(names) : Math.max(0, ...(await Promise.all(names.map(read))))
    },
    recent,
    ops: (subjects, level) =>
      subjects.map((subject) => [keys.receipt(instance, weeks.current(), subject), Uint8Array.of(level)] as const),
    applied(subjects, level) {
      for (const subject of subjects) known.set(subject, level)
    },
  }
}
