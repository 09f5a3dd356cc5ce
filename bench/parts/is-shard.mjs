import { workerData } from 'node:worker_threads'

/**
 * Returns true in a shard. Piscina wraps the data that a thread gets in an array; `BENCH_OTHER` may be a checkout
 * without Piscina.
 */
export function isShard() {
  const data = Array.isArray(workerData) ? workerData[1] : workerData
  return data?.shard !== undefined
}
