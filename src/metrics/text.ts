import { BUCKETS, METRICS, type Metric, type MetricName } from './table.ts'
import { joined, type Numbers, partsOf } from './tally.ts'

interface Value {
  value: number
  labels: Record<string, string | number>
  metricName?: string
}

const labelled = ({ labels }: Metric, values: readonly string[]): Record<string, string> =>
  Object.fromEntries(labels.map((label, index) => [label, values[index] ?? '']))

function simple(metric: Metric, keys: readonly string[], numbers: Numbers): Value[] {
  return keys.map((key) => ({
    value: numbers.get(key) ?? 0,
    labels: labelled(metric, partsOf(key).slice(1)),
  }))
}

function histogram(name: MetricName, metric: Metric, keys: readonly string[], numbers: Numbers): Value[] {
  const series = new Set(keys.map((key) => joined(...partsOf(key).slice(0, -1))))
  return [...series].flatMap((key) => {
    const labels = labelled(metric, partsOf(key).slice(1))
    let below = 0
    const buckets = [...BUCKETS, '+Inf'].map((le, index) => {
      below += numbers.get(joined(key, index)) ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: numbers.get(joined(key, 'sum')) ?? 0 },
      { metricName: `${name}_count`, labels, value: below },
    ]
  })
}

/**
 * Adds the series that are exposed as 0 before their first event, so that Prometheus sees the first step of a counter.
 */
export function withZeros(numbers: Numbers): Numbers {
  const zeros = (Object.entries(METRICS) as [MetricName, Metric][]).flatMap(([name, { zero = [] }]) =>
    zero.map((values): [string, number] => [joined(name, ...values), 0]),
  )
  return new Map([...zeros, ...numbers])
}

export async function textOf(numbers: Numbers): Promise<string> {
  const keys = [...numbers.keys()]
  const of = (name: MetricName) => keys.filter((key) => partsOf(key)[0] === name)
  const shown = (Object.entries(METRICS) as [MetricName, Metric][]).map(([name, metric]) => {
    const values = metric.kind === 'histogram' ? histogram(name, metric, of(name), numbers) : simple(metric, of(name), numbers)
    return { name, help: metric.help, type: metric.kind, aggregator: 'sum', values }
  })
  const { AggregatorRegistry } = await import('prom-client')
  // The library accepts numbers that were counted in another thread only as those of a cluster worker.
  return AggregatorRegistry.aggregate([shown]).metrics()
}
