/**
 * Module that is preloaded into a service to measure the memory of its threads. On SIGUSR2 each thread runs a full
 * garbage collection. Then the memory in use, in MB, is written as JSON to the file in BENCH_HEAP: that of the main
 * thread, and the sum of the shards.
 */
import { writeFileSync } from 'node:fs'
import v8 from 'node:v8'
import vm from 'node:vm'
import { getEnvironmentData, isMainThread, setEnvironmentData, workerData } from 'node:worker_threads'

const KEY = 'bench heap'
/** Interval in ms at which a shard checks whether a measurement was requested. */
const EVERY = 100
/**
 * Indexes in the shared array: number of the request, number of shards, number of shards that answered, and the sum of
 * their memory in KB.
 */
const [EPOCH, SHARDS, ANSWERED, HELD] = [0, 1, 2, 3]

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc')
/** Returns the size in KB of this thread's objects and of their buffers. */
function held() {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return Math.round((heapUsed + external) / 1_024)
}

if (isMainThread) {
  const shared = new Int32Array(new SharedArrayBuffer(4 * 4))
  setEnvironmentData(KEY, shared.buffer)
  process.on('SIGUSR2', () => {
    Atomics.store(shared, ANSWERED, 0)
    Atomics.store(shared, HELD, 0)
    Atomics.add(shared, EPOCH, 1)
    const timer = setInterval(() => {
      if (Atomics.load(shared, ANSWERED) < Atomics.load(shared, SHARDS)) return
      clearInterval(timer)
      const mb = (kb) => Math.round(kb / 102.4) / 10
      writeFileSync(process.env.BENCH_HEAP, JSON.stringify({ main_mb: mb(held()), shards_mb: mb(Atomics.load(shared, HELD)) }))
    }, EVERY)
  })
} else if (isShard()) {
  const shared = new Int32Array(getEnvironmentData(KEY))
  Atomics.add(shared, SHARDS, 1)
  let epoch = Atomics.load(shared, EPOCH)
  setInterval(() => {
    const now = Atomics.load(shared, EPOCH)
    if (now === epoch) return
    epoch = now
    Atomics.add(shared, HELD, held())
    Atomics.add(shared, ANSWERED, 1)
  }, EVERY).unref()
}

/** Returns true in a shard. Piscina wraps the data that a thread gets in an array. */
function isShard() {
  const data = Array.isArray(workerData) ? workerData[1] : workerData
  return data?.shard !== undefined
}
