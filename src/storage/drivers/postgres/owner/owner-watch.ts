/**
 * Decides whether the owner of a schema has ended. Every owner raises a counter in the database, and the standby
 * measures with its own clock for how long the counter stays the same.
 *
 * A wrong decision is safe: an owner that was replaced can store nothing. Its accounts are only connected again.
 */
export interface OwnerLook {
  /** Row of the owner in `svc_service`. An owner that shut down properly has removed its row. */
  node?: { writer: string; beat: number } | undefined
  /** Id of the connection that holds the lock of the schema. The server releases the lock of a killed process. */
  holder?: string | undefined
}

/**
 * `free`: nobody owns the schema. `alive`: its owner runs, or may run. `dead`: the owner did not shut down properly,
 * and no longer runs.
 */
export type Verdict = 'free' | 'alive' | 'dead'

/** Milliseconds for which the counter of an owner with its lock must stay the same. */
const LOCKED = 5_000
/**
 * Milliseconds after which an owner without its lock is dead if its counter stood still. This standby must have seen the
 * owner with the lock, or its counter rising, because after a failover the new server never had the lock.
 */
const UNLOCKED = 2_000
/**
 * Longest time in ms between two reads of the owner's state. After a longer gap this process or the database may have
 * stood still, so the owner gets the whole time again. An owner is therefore dead only after five looks, or three if it
 * has lost its lock.
 */
export const LONGEST_GAP = 1_500

export interface OwnerWatch {
  /** `askedAt` is the time of the standby's own clock at which the query was sent. */
  judge(look: OwnerLook, askedAt: number): Verdict
  /** Restarts the observation with the next state, because the database could not be reached. */
  forget(): void
}

export function createOwnerWatch(now: () => number): OwnerWatch {
  let seen: string | undefined
  let since = 0
  let last = 0
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
      }
      const limit = isLocked || !hasShownItself ? LOCKED : UNLOCKED
      return askedAt - since >= limit ? 'dead' : 'alive'
    },
    forget,
  }
}
