import type { HomePlace } from '../../domain/nodes.ts'
import type { Homes as EngineHomes } from '../../peer/engine/homes.ts'
import type { Homes, StoredHome } from '../../storage/homes.ts'
import type { Members } from '../../storage/members.ts'

/** Which member of the cluster has which instance, as this member knows it. */
export interface HomeMap extends EngineHomes {
  /** Reads the homes from the store again. The read begins after this call, and simultaneous callers share it. */
  refresh(): Promise<void>
  all(): readonly StoredHome[]
  homeOf(instance: string): StoredHome | undefined
  /** Number of instances of each of these members. */
  countsOf(members: readonly string[]): Map<string, number>
  /** Counts these instances by their place (here, elsewhere, nowhere), as this member knows it. */
  placesOf(instances: Iterable<string>): Record<HomePlace, number>
  /**
   * Runs `work`, which takes the instance away from this member. Until `work` has ended, commands for the instance
   * wait.
   */
  leave(instance: string, work: () => Promise<void>): Promise<void>
  isLeaving(instance: string): boolean
}

export function createHomeMap(homes: Homes, members: Pick<Members, 'others'>): HomeMap {
  const leaving = new Set<string>()
  let all: readonly StoredHome[] = []
  let byInstance = new Map<string, StoredHome>()
  let reading: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function read() {
    const found = await homes.all()
    if (found === all) return
    all = found
    byInstance = new Map(found.map((home) => [home.instance, home]))
  }

  const whereIs: HomeMap['whereIs'] = (instance) => {
    if (leaving.has(instance)) return undefined
    if (homes.isOwn(instance)) return 'here'
    const { writer = null } = byInstance.get(instance) ?? {}
    return writer === null ? undefined : members.others().find(({ id }) => id === writer)
  }

  return {
    whereIs,
    refresh() {
      // A read that has already begun may miss changes that the caller knows of, so another read follows.
      next ??= reading.then(() => {
        next = undefined
        const begun = read()
        reading = begun.catch(() => {})
        return begun
      })
      return next
    },
    all: () => all,
    homeOf: (instance) => byInstance.get(instance),
    countsOf(some) {
      const counts = new Map(some.map((member) => [member, 0]))
      for (const { writer } of all) if (writer !== null && counts.has(writer)) counts.set(writer, counts.get(writer)! + 1)
      return counts
    },
    placesOf(instances) {
      const counts = { here: 0, elsewhere: 0, nowhere: 0 }
      for (const each of instances) {
        const home = whereIs(each)
        counts[home === 'here' ? 'here' : home === undefined ? 'nowhere' : 'elsewhere']++
      }
      return counts
    },
    async leave(instance, work) {
      leaving.add(instance)
      try {
        await work()
      } finally {
        leaving.delete(instance)
      }
    },
    isLeaving: (instance) => leaving.has(instance),
  }
}
