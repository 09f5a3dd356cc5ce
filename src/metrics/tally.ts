/** Counts of one thread, as plain data. A thread that counts does not load prom-client, which takes 3 MB. */
import { BUCKETS, type CounterName, type HistogramName, type LabelsOf, METRICS, type MetricName } from './table.ts'

/**
 * Numbers by series. The key of a series has the name and the label values in the order of the table. For a histogram,
 * it also has the index of a bucket, or `sum`.
 */
export type Numbers = ReadonlyMap<string, number>

export interface ShardReport {
  numbers: Numbers
  waiting: number
  backlog: number
  /** Time of the last stanza of each connected instance, in epoch ms. */
  lastInboundAt: readonly number[]
  /** Milliseconds by which ids or times of records are ahead of the clock. */
  aheadMs: number
  /** Milliseconds by which the machine's clock is ahead of the network's time. */
  clockAheadMs: number
}

/** Separates the parts of a series key. No label value contains it. */
const SEPARATOR = '|'

export function keyOf<N extends MetricName>(name: N, labels: LabelsOf<N>): string {
  let key: string = name
  for (const label of METRICS[name].labels) key += SEPARATOR + labels[label as keyof LabelsOf<N>]
  return key
}

export const partsOf = (key: string): string[] => key.split(SEPARATOR)
export const joined = (...parts: (string | number)[]): string => parts.join(SEPARATOR)

export interface Tally {
  add<N extends CounterName>(name: N, labels: LabelsOf<N>): void
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, seconds: number): void
  numbers(): Numbers
}

interface Series {
  key: string
  counts: number[]
}

interface Branch {
  below: Map<unknown, Branch>
  series?: Series
}

const SUM = BUCKETS.length + 1

export function createTally(): Tally {
  const all: Series[] = []
  const roots = new Map<MetricName, Branch>()

  function below<K>(branches: Map<K, Branch>, value: K): Branch {
    let found = branches.get(value)
    if (found === undefined) {
      found = { below: new Map() }
      branches.set(value, found)
    }
    return found
  }

  /**
   * Returns the counts of a series. The series is found label by label, because building a key string each time costs
   * more than the count.
   */
  function countsOf<N extends MetricName>(name: N, labels: LabelsOf<N>, size: number): number[] {
    let branch = below(roots, name)
    for (const label of METRICS[name].labels) branch = below(branch.below, labels[label as keyof LabelsOf<N>])
    if (branch.series === undefined) {
      branch.series = { key: keyOf(name, labels), counts: new Array<number>(size).fill(0) }
      all.push(branch.series)
    }
    return branch.series.counts
  }

  return {
    add(name, labels) {
      countsOf(name, labels, 1)[0]!++
    },
    observe(name, labels, seconds) {
      const counts = countsOf(name, labels, SUM + 1)
      const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
      counts[bucket === -1 ? BUCKETS.length : bucket]!++
      counts[SUM]! += seconds
    },
    numbers() {
      const numbers = new Map<string, number>()
      // Two series may have the same key, because a label value may be a number or the same number as text.
      const put = (key: string, count: number) => numbers.set(key, (numbers.get(key) ?? 0) + count)
      for (const { key, counts } of all) {
        if (counts.length === 1) put(key, counts[0]!)
        else {
          for (const [index, count] of counts.entries()) if (index !== SUM && count > 0) put(joined(key, index), count)
          put(joined(key, 'sum'), counts[SUM]!)
        }
      }
      return numbers
    },
  }
}

export function sum(all: readonly Numbers[]): Numbers {
  const total = new Map<string, number>()
  for (const numbers of all) for (const [key, value] of numbers) total.set(key, (total.get(key) ?? 0) + value)
  return total
}
