/**
 * Decides whether the service that owns a schema has ended, from repeated looks by a standby. Every owner raises a counter of its own in the database.
 * The clocks of two machines are never compared: the standby measures with its own clock how long the counter stands still.
 *
 * Deciding wrongly is safe, because an owner that still runs can store nothing after it was replaced; its accounts are then only connected again.
 */
export interface OwnerLook {
  /** Row that an owner has left in `svc_node`. An owner that ended in order has removed it. */
  node?: { writer: string; beat: number } | undefined
  /** Id of the connection that holds the lock of the schema. The server releases the lock of a process that was killed. */
  holder?: string | undefined
}

/** `free`: nobody owns the schema. `alive`: its owner runs, or may run. `dead`: the owner did not end in order, and no longer runs. */
export type Verdict = 'free' | 'alive' | 'dead'

interface Still {
  /** Time in ms for which the counter must stand still, and the number of looks in this time. */
  ms: number
  looks: number
}

/**
 * An owner that was paused, or cannot reach the database, still holds the lock. An owner that only lost its connection takes the lock again in a second.
 * This says nothing after a failover: the new server never had the lock, and the owner needs longer to find it. So a missing lock counts only if this
 * watch has seen the owner with it, or at work, since the database could be asked.
 */
const LOCKED: Still = { ms: 5_000, looks: 5 }
const UNLOCKED: Still = { ms: 2_000, looks: 3 }
/**
 * Longest time in ms between two looks. After a longer gap this process or the database stood still too, so the owner gets the whole time again.
 */
export const LONGEST_GAP = 1_500

export interface OwnerWatch {
  /** Judges a look. `askedAt` is the time on the clock of the watch at which the look began. */
  judge(look: OwnerLook, askedAt: number): Verdict
  /** Begins again from the next look, because the database could not be asked. */
  forget(): void
}

export function createOwnerWatch(now: () => number): OwnerWatch {
  let seen: string | undefined
  let since = 0
  let last = 0
  let looks = 0
  let owner: OwnerLook['node']
  let hasShownItself = false

  /** Notes whether the owner was seen with its lock, or at work. */
  function noteOwner(node: NonNullable<OwnerLook['node']>, isLocked: boolean) {
    if (owner?.writer !== node.writer) hasShownItself = isLocked
    else if (isLocked || owner.beat !== node.beat) hasShownItself = true
    owner = node
  }

  return {
    judge({ node, holder }, askedAt) {
      const isLocked = holder !== undefined
      if (node === undefined) {
        seen = undefined
        return isLocked ? 'alive' : 'free'
      }
      noteOwner(node, isLocked)
      const at = now()
      const found = `${node.writer} ${node.beat} ${holder}`
      if (found !== seen || at - last > LONGEST_GAP) {
        seen = found
        since = at
        looks = 0
      }
      last = at
      looks++
      const still = isLocked || !hasShownItself ? LOCKED : UNLOCKED
      return askedAt - since >= still.ms && looks >= still.looks ? 'dead' : 'alive'
    },
    forget() {
      seen = undefined
      owner = undefined
    },
  }
}
