import { readFileSync } from 'node:fs'

interface WithThreadCpu {
  threadCpuUsage?(): { user: number; system: number }
}

/**
 * Returns the CPU time of this thread in ms; undefined if the platform does not report it. If Node has no
 * function for it, Linux reports ns in `schedstat`.
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
