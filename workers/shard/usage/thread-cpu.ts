import { readFileSync } from 'node:fs'

/** Node has this function from version 23.9 on; the types are those of Node 20. */
interface WithThreadCpu {
  /** CPU time of the calling thread, in microseconds. */
  threadCpuUsage?(): { user: number; system: number }
}

/**
 * Returns the CPU time of the calling thread in ms; undefined if the platform does not tell it. With older versions of Node it is read from Linux:
 * the first number in `schedstat` is the time in ns for which the thread was running on a CPU.
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
