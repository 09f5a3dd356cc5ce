/**
 * Module that is preloaded into a service to measure the memory of its threads. On SIGUSR2 each thread runs a full
 * garbage collection. Then the memory in use, in MB, is written as JSON to the file in BENCH_HEAP: that of the main
 * thread, and the sum of the shards.
 */
import v8 from 'node:v8'
import vm from 'node:vm'
import { answerOnSignal } from './answer-on-signal.mjs'

const MB = 1_048_576

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc')
/** Returns the size in bytes of this thread's objects and of their buffers. */
function held() {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const mb = (bytes) => Math.round((bytes * 10) / MB) / 10

answerOnSignal({
  key: 'bench heap',
  file: process.env.BENCH_HEAP,
  count: 1,
  answer: () => [held()],
  result: ([main], shards) => ({ main_mb: mb(main), shards_mb: mb(shards.reduce((sum, [each]) => sum + each, 0)) }),
})
