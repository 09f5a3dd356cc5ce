/**
 * Stores the last reported status of each message per participant, as a number (its level). A row is a hash and one
 * byte, written in the commit of the event. Rows are grouped by week, so that an old week can be removed without
 * reading the other rows.
 */

import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import { sha256 } from '../../../src/lib/sha256.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createWeeks } from '../../../src/storage/weeks.ts'
import { FACETS, type FacetContext } from './facets.ts'

/** Maximum number of levels in the cache. The receipts of one message arrive within a short time. */
const REMEMBERED = 5_000

/** Hash of a message and a participant. Senders choose the ids, which may have any form. */
export type Subject = string & { readonly brand: 'subject' }

const hashOf = (id: string, chat: string, participant: string) =>
  sha256(JSON.stringify([id, chat, participant]), 'base64url').slice(0, 22)

export interface ReceiptLevels {
  subject(id: string, chat: string, participant: string): Subject
  /** Returns the highest level that was reported for any of these subjects; 0 if none was. */
  of(names: readonly Subject[]): Promise<number>
  /** Like `of`, but without a read from disk, so it finds only levels that were reported recently. */
  recent(names: readonly Subject[]): number
  /** Returns the operations for the commit of the event. Call `applied` after this commit. */
  ops(subjects: readonly Subject[], level: number): Op[]
  applied(subjects: readonly Subject[], level: number): void
}

export function createReceiptLevels({ id: instance, store, sealer, clock, retention }: FacetContext): ReceiptLevels {
  const known = boundedCache<Subject, number>(REMEMBERED)
  const weeks = createWeeks(store, clock, keys.receipts(instance), (week) => keys.receiptWeek(instance, week), FACETS.level.weeks)
  retention.covers(weeks.removeOld, 'old receipt levels could not be removed')

  async function read(subject: Subject): Promise<number> {
    const remembered = known.get(subject)
    if (remembered !== undefined) return remembered
    const stored = await Promise.all(weeks.kept().map((at) => store.get(keys.receipt(instance, at, subject))))
    return Math.max(0, ...stored.map((value) => value?.[0] ?? 0))
  }

  const recent = (names: readonly Subject[]) => Math.max(0, ...names.map((name) => known.get(name) ?? 0))

  return {
    subject: (id, chat, participant) => sealer.blindOnce(hashOf(id, chat, participant)) as Subject,
    async of(names) {
      // If the level of the first subject is in memory, it was computed from the levels of all subjects. So the store
      // need not be read.
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
