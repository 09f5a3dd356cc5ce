/**
 * Counts of one thread: a number per series, which each event increments. The counts are read as plain data, so that a
 * shard can report them. The threads that count do not load the library that formats the numbers (3 MB each).
 */
import { BUCKETS, type CounterName, type HistogramName, type LabelsOf, METRICS, type MetricName } from './table.ts'

/** Numbers by series key: name and label values in the order of the table; for a histogram also the index of a bucket, or `sum`. */
export type Numbers = ReadonlyMap<string, number>

/** Report of a shard. It describes instances only by numbers. */
export interface ShardReport {
  /** Counts since the thread run began. */
  numbers: Numbers
  /** Number of messages in the queues of the shard's instances, and of events in their outboxes. */
  waiting: number
  backlog: number
  /** Time of the last received stanza of each connected instance, in epoch ms. */
  lastInboundAt: readonly number[]
  /**
   * How far the ids or times that the shard's instances issued are ahead of the clock in ms, or how far a clock that
   * they do not follow is ahead; 0 if nothing is ahead.
   */
  aheadMs: number
  /** How far the machine's clock is ahead of the network's time in ms; 0 if it is not ahead. */
  clockAheadMs: number
}

/** Separator of the parts of a series key. No label value of our tables contains it. */
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
  /** Counts an observed value, in seconds. */
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, seconds: number): void
  /** Returns a copy of the numbers. */
  numbers(): Numbers
}

/** A series and its numbers. A counter has one number; a histogram has one for each bucket, and the sum. */
interface Series {
  key: string
  counts: number[]
}

/** A node of the tree in which the series of a metric are found by their label values. */
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

  /** Finds the counts of a series by its labels, because building a key string each time costs more than the count. */
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
      // A label value may be a number or the same number as text; both belong to one series.
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

/** Adds the numbers of all threads, series by series. */
export function sum(all: readonly Numbers[]): Numbers {
  const total = new Map<string, number>()
  for (const numbers of all) for (const [key, value] of numbers) total.set(key, (total.get(key) ?? 0) + value)
  return total
}
