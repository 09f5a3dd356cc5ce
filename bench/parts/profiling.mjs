/**
 * Module that is preloaded into a service to profile it (`bench/profile.ts`). The first SIGUSR2 starts a profile of the main thread and of every
 * shard, and the next one ends it. Each thread writes `<BENCH_PROFILE>.<main or shard>.cpuprofile`.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { getEnvironmentData, isMainThread, setEnvironmentData, workerData } from 'node:worker_threads'

const KEY = 'bench profile'
/** Interval of samples, in µs. */
const INTERVAL = 250
/** Interval at which a thread checks whether to start or end a profile, in ms. */
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
  let known = 0
  setInterval(() => {
    if (turn[0] === known) return
    known = turn[0]
    if (known % 2 === 1) {
      session.connect()
      session.post('Profiler.enable')
      session.post('Profiler.setSamplingInterval', { interval: INTERVAL })
      session.post('Profiler.start')
      return
    }
    session.post('Profiler.stop', (error, { profile } = {}) => {
      if (error) throw error
      const file = `${process.env.BENCH_PROFILE}.${name}.cpuprofile`
      writeFileSync(`${file}.part`, JSON.stringify(profile))
      renameSync(`${file}.part`, file)
      session.disconnect()
    })
  }, LOOK).unref()
}

/** Piscina wraps the data that a thread gets; `BENCH_OTHER` may be a checkout without Piscina. */
function isShard() {
  const data = Array.isArray(workerData) ? workerData[1] : workerData
  return data?.shard !== undefined
}
