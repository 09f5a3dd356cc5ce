/** Measures the CPU time of the threads of a process. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

type ThreadTimes = ReadonlyMap<string, number>

/**
 * Returns the CPU time in ms of each thread of a process, by the id of the thread. It reads `schedstat`, which counts in
 * nanoseconds, because `stat` counts only in ticks.
 */
export function threadTimes(pid: number): ThreadTimes {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return new Map(
    tasks.map((task) => [task, Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6]),
  )
}

/**
 * Returns the CPU time in ms of the main thread and of the shard between two measurements of a service with one shard.
 * The shard is the thread that uses the most CPU time, besides the main thread.
 */
export function timesBetween(pid: number, before: ThreadTimes, after: ThreadTimes) {
  const used = [...after].map(([task, ms]) => ({ task, ms: ms - (before.get(task) ?? 0) }))
  const main = used.find(({ task }) => task === String(pid))!.ms
  const others = used.filter(({ task }) => task !== String(pid)).map(({ ms }) => ms)
  const shard = Math.max(...others)
  return { main, shard, rest: others.reduce((sum, ms) => sum + ms, 0) - shard }
}
