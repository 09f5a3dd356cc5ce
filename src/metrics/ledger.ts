/**
 * Sums the counters of the shards over all thread runs. A run begins to count at 0, so the last report of each earlier
 * run is kept and added, and a counter never decreases. Counts after the last report of a run, of at most 10 s, are
 * lost.
 */
import { type Numbers, type ShardReport, sum } from './tally.ts'

interface ShardCounts {
  generation: number
  /** Sum of the last reports of earlier runs. */
  ended: Numbers
  last: ShardReport
}

const NOTHING: Numbers = new Map()

export interface Ledger {
  take(shard: number, generation: number, report: ShardReport): void
  /**
   * Returns the sums. Counters are summed over thread runs; a gauge has the value of each shard's last report, even
   * while the shard is down.
   */
  total(): ShardReport
}

export function createLedger(): Ledger {
  const shards = new Map<number, ShardCounts>()

  return {
    take(shard, generation, report) {
      const counts = shards.get(shard)
      // The report comes from a thread that was replaced in the meantime.
      if (counts && generation < counts.generation) return
      const isNew = counts !== undefined && generation > counts.generation
      const ended = isNew ? sum([counts.ended, counts.last.numbers]) : (counts?.ended ?? NOTHING)
      shards.set(shard, { generation, ended, last: report })
    },

    total() {
      const all = [...shards.values()]
      const added = (what: 'waiting' | 'backlog') => all.reduce((total, { last }) => total + last[what], 0)
      const most = (what: 'aheadMs' | 'clockAheadMs') => Math.max(0, ...all.map(({ last }) => last[what]))
      return {
        numbers: sum(all.flatMap(({ ended, last }) => [ended, last.numbers])),
        waiting: added('waiting'),
        backlog: added('backlog'),
        lastInboundAt: all.flatMap(({ last }) => last.lastInboundAt),
        aheadMs: most('aheadMs'),
        clockAheadMs: most('clockAheadMs'),
      }
    },
  }
}
