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

export function createTally(): Tally {
  const numbers = new Map<string, number>()
  const grow = (key: string, by: number) => numbers.set(key, (numbers.get(key) ?? 0) + by)

  return {
    add(name, labels) {
      grow(keyOf(name, labels), 1)
    },
    observe(name, labels, seconds) {
      const key = keyOf(name, labels)
      const bucket = BUCKETS.findIndex((bound) => seconds <= bound)
      grow(joined(key, bucket === -1 ? BUCKETS.length : bucket), 1)
      grow(joined(key, 'sum'), seconds)
    },
    numbers: () => new Map(numbers),
  }
}

/** Series by series. */
export function sum(all: readonly Numbers[]): Numbers {
  const total = new Map<string, number>()
  for (const numbers of all) for (const [key, value] of numbers) total.set(key, (total.get(key) ?? 0) + value)
  return total
}
