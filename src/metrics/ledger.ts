/**
 * Sums the counters of all runs of all threads. Each run begins to count at 0, so the last reports of earlier runs are
 * added.
 */
import { type Numbers, type ShardReport, sum } from './tally.ts'

interface ShardCounts {
  generation: number
  ended: Numbers
  last: ShardReport
}

const NOTHING: Numbers = new Map()

export interface Ledger {
  take(shard: number, generation: number, report: ShardReport): void
  /** Returns the sums over all runs. A gauge has the last reported value, even while the thread is down. */
  total(): ShardReport
}

export function createLedger(): Ledger {
  const shards = new Map<number, ShardCounts>()

  return {
    take(shard, generation, report) {
      const counts = shards.get(shard)
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
