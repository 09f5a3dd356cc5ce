/**
 * Rules by which the members of a cluster share the instances that none of them has. If several members claim the same
 * instance, because their information differs, the store grants it to one of them.
 */
import { sha256 } from '../../lib/sha256.ts'

/** An instance that no member has. */
export interface FreeInstance {
  instance: string
  /** Id of the member to which the instance was released; null if any member may claim it. */
  wanted: string | null
  /** Whether the store has an entry for the home of the instance. An instance that was just deleted has none. */
  hasHome: boolean
  /**
   * Milliseconds for which this member has seen that no member has the instance. The count begins again if the entry of
   * its home changes, for example because the instance is released to another member.
   */
  freeMs: number
}

export interface View {
  self: string
  /** The other members that are alive. */
  others: ReadonlySet<string>
  /** Milliseconds after which any member claims an instance if the member that should have it has not claimed it. */
  patienceMs: number
  /** Milliseconds after which this member claims its whole share of the instances that are still free. */
  shareAfterMs: number
  /**
   * Number of instances that this member can start soon. It claims no more, except its share after `shareAfterMs` and
   * instances that were released to it.
   */
  room: number
}

export interface Claims {
  /** Instances to claim unless they were released to another member that is alive. */
  instances: string[]
  /** Instances to claim although they were released to another member. */
  anybodys: string[]
}

/**
 * Returns the member that claims the instance first if none has it: the member with the highest hash (rendezvous
 * hashing).
 */
export function favourite(instance: string, members: Iterable<string>): string | undefined {
  let best: { member: string; hash: string } | undefined
  for (const member of members) {
    const hash = sha256(`${instance} ${member}`, 'base64url')
    if (best === undefined || hash > best.hash) best = { member, hash }
  }
  return best?.member
}

/**
 * Selects the instances that this member claims now. If all members start after a power failure, the first one does not
 * claim everything, so that the others start some of the instances sooner.
 */
export function claimsOf(free: readonly FreeInstance[], { self, others, patienceMs, shareAfterMs, room }: View): Claims {
  const members = [self, ...others]
  const claims: Claims = { instances: [], anybodys: [] }
  const late: FreeInstance[] = []
  let left = room
  for (const each of free) {
    const { instance, wanted, hasHome, freeMs } = each
    const isLate = freeMs >= patienceMs
    if (wanted === self) claims.instances.push(instance)
    else if (wanted !== null && (isLate || others.has(wanted))) {
      if (isLate) late.push(each)
    } else if (hasHome && (left > 0 || freeMs >= shareAfterMs) && favourite(instance, members) === self) {
      claims.instances.push(instance)
      left--
    } else if (isLate) late.push(each)
  }
  for (const { instance, wanted } of late.slice(0, Math.max(0, left)))
    (wanted === null ? claims.instances : claims.anybodys).push(instance)
  return claims
}
