/**
 * Decides whether the service that owns a schema has ended, from repeated looks by a standby. Every owner raises a counter of its own in the database.
 * The clocks of two machines are never compared: the standby measures with its own clock how long the counter stands still.
 *
 * Deciding wrongly is safe, because an owner that still runs can store nothing after it was replaced; its accounts are then only connected again.
 */
export interface OwnerLook {
  /** Row that an owner has left in `svc_node`. An owner that ended in order has removed it. */
  node?: { writer: string; beat: number } | undefined
  /** Whether somebody holds the lock of the schema. The server releases the lock of a process that was killed. */
  isLocked: boolean
}

/** `free`: nobody owns the schema. `alive`: its owner runs, or may run. `dead`: the owner did not end in order, and no longer runs. */
export type Verdict = 'free' | 'alive' | 'dead'

interface Still {
  /** Time in ms for which the counter must stand still, and the number of looks in this time. */
  ms: number
  looks: number
}

/** An owner that was paused, or cannot reach the database, still holds the lock. An owner that only lost its connection takes the lock again in a second. */
const LOCKED: Still = { ms: 5_000, looks: 5 }
const UNLOCKED: Still = { ms: 2_000, looks: 3 }
/**
 * Longest time in ms between two looks. After a longer gap this process or the database stood still too, so the owner gets the whole time again.
 */
const LONGEST_GAP = 1_500

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
  return {
    judge({ node, isLocked }, askedAt) {
      if (node === undefined) {
        seen = undefined
        return isLocked ? 'alive' : 'free'
      }
      const at = now()
      const found = `${node.writer} ${node.beat} ${isLocked}`
      if (found !== seen || at - last > LONGEST_GAP) {
        seen = found
        since = at
        looks = 0
      }
      last = at
      looks++
      const still = isLocked ? LOCKED : UNLOCKED
      return askedAt - since >= still.ms && looks >= still.looks ? 'dead' : 'alive'
    },
    forget() {
      seen = undefined
    },
  }
}
