/**
 * Module that is preloaded into a service to profile its processor time (`bench/profile.ts`) or, with `BENCH_OF=bytes`,
 * its allocations (`bench/garbage.ts`). The first SIGUSR2 starts a profile of the main thread and of every shard, and
 * the next one ends it. Each thread writes `<BENCH_PROFILE>.<main or shard>.cpuprofile`. This file also has the number
 * of garbage collections of the thread.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { isShard } from './is-shard.mjs'

const KEY = 'bench profile'
const PROFILES = {
  time: {
    start: [
      ['Profiler.enable'],
      // Time between two samples in µs.
      ['Profiler.setSamplingInterval', { interval: 250 }],
      ['Profiler.start'],
    ],
    stop: 'Profiler.stop',
  },
  bytes: {
    start: [
      [
        'HeapProfiler.startSampling',
        // Mean number of bytes between two samples.
        { samplingInterval: 2_048, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true },
      ],
    ],
    stop: 'HeapProfiler.stopSampling',
  },
}
const { start, stop } = PROFILES[process.env.BENCH_OF ?? 'time']
/** Interval in ms at which a thread checks whether to start or end a profile. */
const LOOK = 20

if (isMainThread) {
  const buffer = new SharedArrayBuffer(4)
  setEnvironmentData(KEY, buffer)
  const turn = new Int32Array(buffer)
  process.on('SIGUSR2', () => {
    turn[0]++
  })
  watch(turn, 'main')
} else if (isShard()) watch(new Int32Array(getEnvironmentData(KEY)), 'shard')

function watch(turn, name) {
  const session = new Session()
  const collections = { young: 0, old: 0 }
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) {
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) collections.young++
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections.old++
    }
  }).observe({ entryTypes: ['gc'] })
  let known = 0
  setInterval(() => {
    if (turn[0] === known) return
    known = turn[0]
    if (known % 2 === 1) {
      session.connect()
      for (const [method, options] of start) session.post(method, options)
      collections.young = collections.old = 0
      return
    }
    session.post(stop, (error, { profile } = {}) => {
      if (error) throw error
      const file = `${process.env.BENCH_PROFILE}.${name}.cpuprofile`
      writeFileSync(`${file}.part`, JSON.stringify({ ...profile, collections }))
      renameSync(`${file}.part`, file)
      session.disconnect()
    })
  }, LOOK).unref()
}
