/**
 * What the shards have counted, over all their lives. A life begins to count at 0, so what the ones before it had counted when they were
 * last heard is kept and added: a counter never goes back. What a life counted after its last report, 10 s at most, is lost with it.
 */
import { type Numbers, type ShardReport, sum } from './tally.ts'

interface Lives {
  generation: number
  /** Of the lives before. */
  ended: Numbers
  last: ShardReport
}

const NOTHING: Numbers = new Map()

export interface Ledger {
  take(shard: number, generation: number, report: ShardReport): void
  /** What is counted is added up over lives; what is measured stands as each shard said it last, also while it is down. */
  total(): ShardReport
}

export function createLedger(): Ledger {
  const shards = new Map<number, Lives>()

  return {
    take(shard, generation, report) {
      const lives = shards.get(shard)
      // An answer of a thread that has been replaced since.
      if (lives && generation < lives.generation) return
      const isNew = lives !== undefined && generation > lives.generation
      const ended = isNew ? sum([lives.ended, lives.last.numbers]) : (lives?.ended ?? NOTHING)
      shards.set(shard, { generation, ended, last: report })
    },

    total() {
      const all = [...shards.values()]
      const added = (what: 'waiting' | 'backlog') => all.reduce((total, { last }) => total + last[what], 0)
      return {
        numbers: sum(all.flatMap(({ ended, last }) => [ended, last.numbers])),
        waiting: added('waiting'),
        backlog: added('backlog'),
        heardAt: all.flatMap(({ last }) => last.heardAt),
      }
    },
  }
}
