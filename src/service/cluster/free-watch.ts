import type { Clock } from '../../domain/clock.ts'
import type { StoredHome } from '../../storage/homes.ts'
import type { FreeInstance } from './claim-rules.ts'

/** Measures for how long this member has seen that no member has an instance. */
export function createFreeWatch(clock: Clock) {
  let since = new Map<string, { as: string; at: number }>()

  return {
    /** Returns the instances that no member has. `configured` are the ids of all instances that should have a home. */
    of(homes: readonly StoredHome[], configured: readonly string[]): FreeInstance[] {
      const now = clock.now()
      const before = since
      since = new Map()
      const note = (instance: string, wanted: string | null, home: StoredHome | undefined): FreeInstance => {
        const as = home === undefined ? '' : `${home.writer} ${home.wanted}`
        const seen = before.get(instance)
        const at = seen?.as === as ? seen.at : now
        since.set(instance, { as, at })
        return { instance, wanted, hasHome: home !== undefined, freeMs: now - at }
      }
      const withHome = new Set(homes.map(({ instance }) => instance))
      return [
        ...homes.flatMap((home) => (home.isFree ? [note(home.instance, home.wanted, home)] : [])),
        ...configured.flatMap((instance) => (withHome.has(instance) ? [] : [note(instance, null, undefined)])),
      ]
    },
  }
}
