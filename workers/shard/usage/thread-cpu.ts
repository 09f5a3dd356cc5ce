import { readFileSync } from 'node:fs'

interface WithThreadCpu {
  threadCpuUsage?(): { user: number; system: number }
}

/**
 * Returns ms; undefined if the platform does not report it. With older versions of Node, Linux reports ns in
 * `schedstat`.
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
