/** The rule by which the members of a cluster even out their numbers of instances, without a leader. */

export interface Transfer {
  from: string
  to: string
  count: number
}

/**
 * Tolerated difference between a member's number of instances and the mean: this number, or this share of the mean if
 * that is greater.
 */
const LEAST_DIFFERENCE = 2
const LEAST_SHARE = 0.1

/**
 * Decides which members give how many instances to which others. Each member gives at most `most`. All members compute
 * the same result from the same numbers, and each carries out its own transfers, so no member gets too many.
 */
export function transfersOf(counts: ReadonlyMap<string, number>, most: number): Transfer[] {
  const mean = [...counts.values()].reduce((sum, count) => sum + count, 0) / counts.size
  const tolerated = Math.max(LEAST_DIFFERENCE, LEAST_SHARE * mean)
  if (![...counts.values()].some((count) => Math.abs(count - mean) > tolerated)) return []
  const now = new Map(counts)
  const left = new Map([...counts.keys()].map((member) => [member, most]))
  const transfers = new Map<string, Transfer>()

  /**
   * Moves instances one by one from the member that has most to the member that has fewest. A member with `downTo`
   * instances or fewer gives none, and a member with `upTo` or more gets none.
   */
  function pour(downTo: number, upTo: number) {
    for (;;) {
      const members = [...now].sort(([one, some], [other, more]) => more - some || (one < other ? -1 : 1))
      const [from] = members.find(([member, count]) => count > downTo && left.get(member)! > 0) ?? []
      const [to, fewest] = members.at(-1)!
      if (from === undefined || fewest >= upTo) return
      now.set(from, now.get(from)! - 1)
      now.set(to, fewest + 1)
      left.set(from, left.get(from)! - 1)
      const transfer = transfers.get(`${from} ${to}`) ?? { from, to, count: 0 }
      transfer.count++
      transfers.set(`${from} ${to}`, transfer)
    }
  }
  const [floor, ceil] = [Math.floor(mean), Math.ceil(mean)]
  pour(ceil, floor)
  pour(floor, floor)
  pour(ceil, ceil)
  return [...transfers.values()]
}

/** Returns which member gets each instance. Instances are given one by one, each to the member that then has fewest. */
export function spread(instances: readonly string[], counts: ReadonlyMap<string, number>): Map<string, string> {
  const now = new Map(counts)
  return new Map(
    instances.flatMap((instance) => {
      const [to] = [...now].sort(([one, some], [other, more]) => some - more || (one < other ? -1 : 1))[0] ?? []
      if (to === undefined) return []
      now.set(to, now.get(to)! + 1)
      return [[instance, to] as const]
    }),
  )
}
