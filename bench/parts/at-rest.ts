import { amount, rssMb, sleep } from '../measure.ts'

/** Seconds to wait before a measurement of memory. A thread collects its garbage after 60 to 75 s without work. */
export const REST = amount(85, 1)

/**
 * Returns the lowest resident memory in MB of a process within this number of seconds. The lowest value counts, because
 * V8 returns memory in steps.
 */
export async function atRest(pid: number, seconds: number): Promise<number> {
  let least = rssMb(pid)
  for (let second = 0; second < seconds; second += 0.5) {
    await sleep(500)
    least = Math.min(least, rssMb(pid))
  }
  return least
}
