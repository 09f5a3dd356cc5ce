/**
 * Measures how many cores of the machine each process used, and how many were idle. A rate says something about a
 * program only if the program could have used more of the machine. Linux only.
 */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { median, round } from './numbers.ts'

/** Number of clock ticks per second in /proc. It is 100 on x86 and ARM. */
const TICKS = 100

/**
 * Returns the user and system time in ms of a process, or of one of its threads. The main thread has the id of the
 * process.
 */
export function cpuMs(pid: number, thread?: number): number {
  const stat = readFileSync(thread === undefined ? `/proc/${pid}/stat` : `/proc/${pid}/task/${thread}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS
}

/** Returns the idle time in ms of all cores together, including waits for the disk. */
export function idleMs(): number {
  // The fields of the line are `cpu`, and then the ticks of user, nice, system, idle, iowait and more.
  const [idle, waiting] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/\s+/).slice(4, 6)
  return ((Number(idle) + Number(waiting)) * 1_000) / TICKS
}

/** The id of a process, or a function that returns the CPU time in ms of one or more processes until now. */
export type CpuSource = number | (() => number)

/**
 * Mean number of cores that each process used. `others` is the number that all other programs of the machine used, and
 * `idle` the number that no program used.
 */
export type Cores = Record<string, number>

/** Begins a measurement of these processes, by name. The returned function returns the cores in use since then. */
export function watchCores(sources: Record<string, CpuSource>): () => Cores {
  const look = () => ({
    ...Object.fromEntries(
      Object.entries(sources).map(([name, source]) => [name, typeof source === 'number' ? cpuMs(source) : source()]),
    ),
    idle: idleMs(),
  })
  const [before, begun] = [look() as Record<string, number>, performance.now()]
  return () => {
    const [after, took] = [look() as Record<string, number>, performance.now() - begun]
    const { idle, ...used } = Object.fromEntries(Object.keys(after).map((name) => [name, (after[name]! - before[name]!) / took]))
    const sum = Object.values(used).reduce((all, each) => all + each, idle!)
    // The times are counted in steps of 10 ms, so the sum can be a little more than all cores.
    return { ...used, others: Math.max(0, cpus().length - sum), idle: idle! }
  }
}

/** Returns the median of each number of cores of these rounds. */
export function medianCores(rounds: readonly Cores[]): Cores {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, round(median(rounds.map((each) => each[name]!)))]))
}
