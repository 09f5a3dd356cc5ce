/**
 * Detects early whether a service can reach its standbys, or the other members of its cluster. Otherwise the operator
 * would notice a wrong address only in an outage of the database.
 */
import type { StandbyAddress } from '../../../../domain/standby-address.ts'

/**
 * Number of unanswered questions after which a standby counts as unreachable. A standby that has just started may not
 * answer the first ones.
 */
const TRIES = 5

export interface StandbyReachOptions<Standby> {
  isReached(standby: Standby): Promise<boolean>
  onUnreached(address: string): void
}

/**
 * Returns a function that must be called with the standbys of each look. It asks each standby until the standby has
 * answered or was reported.
 */
export function createStandbyReach<Standby extends StandbyAddress>({ isReached, onUnreached }: StandbyReachOptions<Standby>) {
  const seen = new Map<string, { left: number }>()

  async function ask(standby: Standby, address: string, tries: { left: number }): Promise<void> {
    if (tries.left <= 0) return
    tries.left--
    if (await isReached(standby)) tries.left = Number.NEGATIVE_INFINITY
    else if (tries.left === 0) onUnreached(address)
  }

  return (standbys: readonly Standby[]): void => {
    const named = new Map(standbys.map((each) => [`${each.host} port ${each.port}`, each]))
    for (const address of seen.keys()) if (!named.has(address)) seen.delete(address)
    for (const [address, standby] of named) {
      const tries = seen.get(address) ?? { left: TRIES }
      seen.set(address, tries)
      void ask(standby, address, tries)
    }
  }
}
