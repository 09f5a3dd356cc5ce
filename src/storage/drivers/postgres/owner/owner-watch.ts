/**
 * Decides whether the service that owns a schema has ended. A standby reads the state of the owner from the database again and again. Every owner
 * raises a counter of its own in the database. The clocks of two machines are never compared: the standby measures with its own clock for how long
 * the counter stays the same.
 *
 * A wrong decision is safe. An owner that still runs can store nothing after it was replaced; the only effect is that its accounts are connected
 * again.
 */
export interface OwnerLook {
  /** Row of the owner in `svc_node`. An owner that stopped in order has removed its row. */
  node?: { writer: string; beat: number } | undefined
  /** Id of the connection that holds the lock of the schema. The server releases the lock of a process that was killed. */
  holder?: string | undefined
}

/** `free`: nobody owns the schema. `alive`: its owner runs, or may run. `dead`: the owner did not stop in order, and no longer runs. */
export type Verdict = 'free' | 'alive' | 'dead'

interface Still {
  /** Time in ms for which the counter must stay the same, and the number of times that it must be read in this time. */
  ms: number
  looks: number
}

/**
 * Time after which an owner without its lock counts as dead. An owner that was paused, or cannot reach the database, still holds the lock, and one
 * that only lost its connection takes the lock again within a second. After a failover a missing lock means nothing: the new server never had the
 * lock, and the owner needs longer to find that server. So a missing lock counts only if this standby has seen the owner with the lock, or its
 * counter rising, since the database answered again.
 */
const LOCKED: Still = { ms: 5_000, looks: 5 }
const UNLOCKED: Still = { ms: 2_000, looks: 3 }
/**
 * Longest time in ms between two reads of the owner's state. After a longer gap this process or the database may have stood still too, so the owner
 * gets the whole time again.
 */
export const LONGEST_GAP = 1_500

export interface OwnerWatch {
  /** Decides about the owner after the state was read. `askedAt` is the time of the standby's own clock at which the query was sent. */
  judge(look: OwnerLook, askedAt: number): Verdict
  /** Begins again with the next state, because the database could not be asked. */
  forget(): void
}

export function createOwnerWatch(now: () => number): OwnerWatch {
  let seen: string | undefined
  let since = 0
  let last = 0
  let looks = 0
  let owner: OwnerLook['node']
  let hasShownItself = false

  /** Records that the owner was seen with its lock, or that its counter has risen. */
  function noteOwner(node: NonNullable<OwnerLook['node']>, isLocked: boolean) {
    if (owner?.writer !== node.writer) hasShownItself = isLocked
    else if (isLocked || owner.beat !== node.beat) hasShownItself = true
    owner = node
  }

  function forget() {
    seen = undefined
    owner = undefined
  }

  return {
    judge({ node, holder }, askedAt) {
      const isLocked = holder !== undefined
      const at = now()
      if (at - last > LONGEST_GAP) forget()
      last = at
      if (node === undefined) {
        seen = undefined
        return isLocked ? 'alive' : 'free'
      }
      noteOwner(node, isLocked)
      const found = `${node.writer} ${node.beat} ${holder}`
      if (found !== seen) {
        seen = found
        since = at
        looks = 0
      }
      looks++
      const still = isLocked || !hasShownItself ? LOCKED : UNLOCKED
      return askedAt - since >= still.ms && looks >= still.looks ? 'dead' : 'alive'
    },
    forget,
  }
}
