/**
 * Module that is preloaded into a service (`bench/receive.ts`) to measure the delay of the event loops of its shards.
 * On SIGUSR2 it writes the 99th percentile and the maximum of the slowest shard as JSON to the file in BENCH_LOOP, and
 * starts a new measurement.
 */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getEnvironmentData, isMainThread, setEnvironmentData, workerData } from 'node:worker_threads'

const KEY = 'bench loop'
/** Resolution of the measurement in ms: shorter delays are not measured. */
const RESOLUTION = 1
/** Indexes in the shared array: number of the request, and the 99th percentile and the maximum in ms. */
const [EPOCH, P99, MAX] = [0, 1, 2]
const NANO = 1e6

if (isMainThread) {
  const buffer = new SharedArrayBuffer(3 * 8)
  setEnvironmentData(KEY, buffer)
  const shared = new Float64Array(buffer)
  process.on('SIGUSR2', () => {
    writeFileSync(process.env.BENCH_LOOP, JSON.stringify({ p99_ms: shared[P99], max_ms: shared[MAX] }))
    shared[P99] = 0
    shared[MAX] = 0
    shared[EPOCH]++
  })
} else if (isShard()) {
  const shared = new Float64Array(getEnvironmentData(KEY))
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  let epoch = shared[EPOCH]
  setInterval(() => {
    if (shared[EPOCH] !== epoch) {
      epoch = shared[EPOCH]
      delay.reset()
      return
    }
    const of = (value) => Math.round((value / NANO - RESOLUTION) * 10) / 10
    shared[P99] = Math.max(shared[P99], of(delay.percentile(99)))
    shared[MAX] = Math.max(shared[MAX], of(delay.max))
  }, 200).unref()
}

/** Returns true in a shard. Piscina wraps the data that a thread gets in an array. */
function isShard() {
  const data = Array.isArray(workerData) ? workerData[1] : workerData
  return data?.shard !== undefined
}
