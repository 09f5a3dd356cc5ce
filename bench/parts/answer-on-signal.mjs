/** Shared part of the modules that are preloaded into a service to measure its main thread and its shards. */
import { renameSync, writeFileSync } from 'node:fs'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { isShard } from './is-shard.mjs'

/** Interval in ms at which a shard checks whether it was asked. */
const EVERY = 100
const MOST_SHARDS = 64
/**
 * Indexes in the shared array: number of the request, number of shards, and number of shards that answered. The answers
 * begin at `HEADER`.
 */
const [REQUEST, SHARDS, ANSWERED, HEADER] = [0, 1, 2, 3]

/**
 * On each SIGUSR2 asks the main thread and every shard for `count` numbers: `answer` is called with the number of the
 * request, which is 1 for the first signal. When all have answered, the value of `result(main, shards)` is written as
 * JSON to `file`. `key` must be a name that no other module uses.
 */
export function answerOnSignal({ key, file, count, answer, result }) {
  if (isMainThread) {
    const buffer = new SharedArrayBuffer((HEADER + MOST_SHARDS * count) * 8)
    setEnvironmentData(key, buffer)
    const shared = new BigInt64Array(buffer)
    const numbers = new Float64Array(buffer)
    const answersOf = (shard) => [...numbers.subarray(HEADER + shard * count, HEADER + (shard + 1) * count)]
    process.on('SIGUSR2', () => {
      Atomics.store(shared, ANSWERED, 0n)
      const main = answer(Number(Atomics.add(shared, REQUEST, 1n)) + 1)
      const timer = setInterval(() => {
        const shards = Number(Atomics.load(shared, SHARDS))
        if (Number(Atomics.load(shared, ANSWERED)) < shards) return
        clearInterval(timer)
        writeFileSync(
          `${file}.part`,
          JSON.stringify(
            result(
              main,
              Array.from({ length: shards }, (_, shard) => answersOf(shard)),
            ),
          ),
        )
        renameSync(`${file}.part`, file)
      }, EVERY)
    })
  } else if (isShard()) {
    const buffer = getEnvironmentData(key)
    const shared = new BigInt64Array(buffer)
    const shard = Number(Atomics.add(shared, SHARDS, 1n))
    let known = Atomics.load(shared, REQUEST)
    setInterval(() => {
      const request = Atomics.load(shared, REQUEST)
      if (request === known) return
      known = request
      new Float64Array(buffer).set(answer(Number(request)), HEADER + shard * count)
      Atomics.add(shared, ANSWERED, 1n)
    }, EVERY).unref()
  }
}
