/**
 * The counts of one thread: a number per series, and one addition per event. Plain data when it is read, so that a shard can
 * report it. The threads that count do not load the library that formats the numbers (3 MB each).
 */
import { BUCKETS, type CounterName, type HistogramName, type LabelsOf, METRICS, type MetricName } from './table.ts'

/** A series by its key: name and label values in the order of the table; of a histogram also a bucket's index, or `sum`. */
export type Numbers = ReadonlyMap<string, number>

/** The report of a shard. Instances appear in it as numbers only. */
export interface ShardReport {
  /** Counted since its thread run began. */
  numbers: Numbers
  /** Messages in the queues, and events in the outboxes, of its instances. */
  waiting: number
  backlog: number
  /** Of each connected instance: when its last stanza came in, epoch ms. */
  lastInboundAt: readonly number[]
  /** How far ids or times that its instances gave out, or the clock that they do not follow, are ahead, in ms; 0: they are not. */
  aheadMs: number
  /** How far the network says that the machine's clock is ahead, in ms; 0: it does not. */
  clockAheadMs: number
}

/** No label value of our tables contains it. */
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
  /** In seconds. */
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, seconds: number): void
  /** A copy. */
  numbers(): Numbers
}

/** A series and its numbers. A counter has one number, a histogram one for each bucket and the sum behind them. */
interface Series {
  key: string
  counts: number[]
}

/** The series of a metric by the values of its labels, one after another. */
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

  /** Found by the labels themselves: a key that is put together anew each time is dearer than what is counted. */
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
      // A label that comes as a number and as its text is one series.
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

/** Series by series. */
export function sum(all: readonly Numbers[]): Numbers {
  const total = new Map<string, number>()
  for (const numbers of all) for (const [key, value] of numbers) total.set(key, (total.get(key) ?? 0) + value)
  return total
}
