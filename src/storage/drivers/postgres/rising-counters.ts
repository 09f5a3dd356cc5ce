/**
 * Watches the counters of services for a while, to find the services that run. Locks do not show which services run,
 * because a restart of the server takes the locks away from all of them for a moment.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Interval in ms at which the counters are read. A service raises its own counter every second. */
export const LOOK_EVERY = 250
/** Longest time in ms between two looks. After a longer time, the required silence begins again. */
const LONGEST_GAP = 1_500
/**
 * Maximum duration of the watch, as a multiple of `silentMs`. The watch lasts so long only if the server is too slow
 * again and again.
 */
const MOST_TIMES = 6
/** Stands for the name of a service that is known only by its counter or its lock. */
export const UNNAMED = 'which has no entry'

export type Counter = readonly [name: string, beat: string]

/**
 * Resolves with the names of services whose counters rise, as soon as one rises. Resolves with an empty list if there
 * is no counter, or if none rises for `silentMs`. If the watch lasts too long, resolves with `UNNAMED`, as if one rose.
 */
export async function risingCounters(read: () => Promise<readonly Counter[]>, silentMs: number): Promise<string[]> {
  const look = async () => new Map((await read()).map(([name, beat]) => [`${name} ${beat}`, name]))
  let seen = await look()
  if (seen.size === 0) return []
  const beganAt = performance.now()
  let silentSince = beganAt
  let askedAt = beganAt
  while (performance.now() - silentSince < silentMs) {
    await pause(LOOK_EVERY)
    const now = await look()
    const risen = [...now].flatMap(([counter, name]) => (seen.has(counter) ? [] : [name || UNNAMED]))
    if (risen.length > 0) return risen
    if (performance.now() - askedAt > LONGEST_GAP) silentSince = performance.now()
    if (performance.now() - beganAt > MOST_TIMES * silentMs) return [UNNAMED]
    askedAt = performance.now()
    seen = now
  }
  return []
}
