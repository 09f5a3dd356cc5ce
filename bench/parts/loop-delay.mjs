/**
 * Module that is preloaded into a service to measure the delay of the event loops of its main thread and of its shards
 * (`loop-delay.ts`). The measurement begins with the thread. The first SIGUSR2 ends the measurement, and the second
 * begins another. Between measurements the threads have no timer of 1 ms, which would use processor time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { answerOnSignal } from './answer-on-signal.mjs'
import { isShard } from './is-shard.mjs'

/** Resolution of the measurement in ms: shorter delays are not measured. */
const RESOLUTION = 1
const NANO = 1e6

const msOf = (value) => Math.max(0, Math.round((value / NANO - RESOLUTION) * 10) / 10)
const shown = ([p99_ms, max_ms]) => ({ p99_ms, max_ms })

if (isMainThread || isShard()) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  answerOnSignal({
    key: 'bench loop',
    file: process.env.BENCH_LOOP,
    count: 2,
    answer(request) {
      if (request % 2 === 0) {
        delay.enable()
        delay.reset()
        return [0, 0]
      }
      delay.disable()
      return [msOf(delay.percentile(99)), msOf(delay.max)]
    },
    // The values of the slowest shard count.
    result: (main, shards) => ({
      main: shown(main),
      shard: shown(main.map((_, index) => Math.max(...shards.map((each) => each[index])))),
    }),
  })
}
