/**
 * The last value that was told of each message, per participant: a blind name and one byte, written in the commit of its event. Kept by the week
 * of writing, this one and the one before: a receipt comes within days or says nothing new, and old weeks go without looking at the rest.
 */

import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, DAY } from '../../../src/domain/clock.ts'
import { boundedCache } from '../../../src/lib/bounded-cache.ts'
import type { Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import type { Sealer } from '../../../src/storage/seal.ts'
import { createSweeper } from '../../../src/storage/sweeper.ts'

const WEEK = 7 * DAY
const SWEEP_EVERY = DAY
/** Removed in one commit. */
const SWEEP_BATCH = 1_000
/** Kept in memory: receipts of one message come close together. */
const REMEMBERED = 5_000

/** A message and who it is told of, blind. Hashed before: ids come from strangers and can be anything. */
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
  /** The highest level told under any of these names of one subject; 0: none. */
  of(names: readonly Subject[]): Promise<number>
  /** The same, of what was told a moment ago: from memory. */
  recent(names: readonly Subject[]): number
  /** For the commit of the event; call `applied` after it. */
  ops(subjects: readonly Subject[], level: number): Op[]
  applied(subjects: readonly Subject[], level: number): void
}

export function createReceiptLevels(
  instance: string,
  store: StateStore,
  sealer: Sealer,
  clock: Clock,
  log: Pick<Logger, 'error'>,
): ReceiptLevels {
  const known = boundedCache<Subject, number>(REMEMBERED)
  const sweeper = createSweeper(sweep, { everyMs: SWEEP_EVERY, log, complaint: 'old values of receipts could not be removed' })

  const week = () => Math.floor(clock.now() / WEEK)

  async function read(subject: Subject): Promise<number> {
    const remembered = known.get(subject)
    if (remembered !== undefined) return remembered
    const now = week()
    // The next one, too: written by a clock that was ahead.
    const stored = await Promise.all([now + 1, now, now - 1].map((at) => store.get(keys.receipt(instance, at, subject))))
    return Math.max(0, ...stored.map((value) => value?.[0] ?? 0))
  }

  async function sweep(isStopped: () => boolean) {
    const prefix = keys.receipts(instance)
    const current = keys.receiptWeek(instance, week() - 1)
    while (!isStopped()) {
      const ops: Op[] = []
      for await (const [key] of store.range(prefix, { limit: SWEEP_BATCH })) if (key < current) ops.push([key, null])
      if (ops.length === 0) return
      await store.commit({ ops })
    }
  }

  return {
    start: sweeper.start,
    subject: (id, chat, participant) => sealer.blindOnce(hashOf(id, chat, participant)) as Subject,
    stop: sweeper.stop,
    of: async (names) => Math.max(0, ...(await Promise.all(names.map(read)))),
    recent: (names) => Math.max(0, ...names.map((name) => known.get(name) ?? 0)),
    ops: (subjects, level) => subjects.map((subject) => [keys.receipt(instance, week(), subject), Uint8Array.of(level)] as const),
    applied(subjects, level) {
      for (const subject of subjects) known.set(subject, level)
    },
  }
}
