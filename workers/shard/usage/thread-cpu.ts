import { readFileSync } from 'node:fs'

/** Node 23.9 and later have this function; the types of Node 20 do not. */
interface WithThreadCpu {
  /** CPU time of the calling thread, in microseconds. */
  threadCpuUsage?(): { user: number; system: number }
}

/**
 * CPU time that the calling thread has used, in ms; undefined if the platform does not state it. Older versions of Node read it from Linux, where
 * the first number of `schedstat` is the time in ns that the thread was running on a CPU.
 */
export function threadCpuMs(): number | undefined {
  const usage = (process as WithThreadCpu).threadCpuUsage?.()
  if (usage !== undefined) return (usage.user + usage.system) / 1_000
  try {
    const runNs = Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0])
    return Number.isFinite(runNs) && runNs > 0 ? runNs / 1e6 : undefined
  } catch {
    return undefined
  }
}
