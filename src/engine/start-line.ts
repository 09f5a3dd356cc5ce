/**
 * Decides the order in which the waiting starts of one network route are admitted.
 *
 * Starts for which a request came take turns with all others, so that instances without requests are started, too.
 * Among the starts with a request, the workspaces take turns, so that no workspace holds up another.
 */

export interface StartLine<Place> {
  isEmpty(): boolean
  enter(place: Place): void
  /** Moves a place ahead, because a request for this start came. It is moved only if it is then admitted earlier. */
  moveAhead(place: Place, workspace: string): void
  leave(place: Place): void
  /** Removes and returns the place that is admitted next. */
  next(): Place | undefined
  /** Number of places that are admitted before this one, if nothing changes; undefined if it is not in the line. */
  before(place: Place): number | undefined
}

export function createStartLine<Place>(): StartLine<Place> {
  const others = new Set<Place>()
  /** Workspaces in the order of their turns. Each one has at least one place. */
  const requested = new Map<string, Set<Place>>()
  const workspaceOf = new Map<Place, string>()
  let isTurnOfOthers = false

  /**
   * Returns the rank in the whole line of a place with this `rank` in its group. The two groups take turns, so some
   * places of the other group come before.
   */
  const withTurns = (rank: number, otherGroup: number, isOtherFirst: boolean) =>
    rank + Math.min(otherGroup, isOtherFirst ? rank + 1 : rank)

  /** Returns the rank, among the places with a request, of the place at `index` in the queue of its workspace. */
  function rankOfRequested(workspace: string, index: number): number {
    let rank = index
    let isBefore = true
    for (const [other, { size }] of requested) {
      if (other === workspace) isBefore = false
      else rank += Math.min(size, isBefore ? index + 1 : index)
    }
    return rank
  }

  function before(place: Place): number | undefined {
    const workspace = workspaceOf.get(place)
    if (workspace === undefined) {
      const rank = indexIn(others, place)
      return rank < 0 ? undefined : withTurns(rank, workspaceOf.size, !isTurnOfOthers)
    }
    const rank = rankOfRequested(workspace, indexIn(requested.get(workspace)!, place))
    return withTurns(rank, others.size, isTurnOfOthers)
  }

  function removeRequested(place: Place, workspace: string) {
    workspaceOf.delete(place)
    const queue = requested.get(workspace)!
    queue.delete(place)
    if (queue.size === 0) requested.delete(workspace)
  }

  function nextRequested(): Place | undefined {
    const [first] = requested
    if (first === undefined) return undefined
    const [workspace, queue] = first
    const [place] = queue
    requested.delete(workspace)
    requested.set(workspace, queue)
    removeRequested(place!, workspace)
    isTurnOfOthers = true
    return place
  }

  function nextOther(): Place | undefined {
    const [place] = others
    if (place === undefined) return undefined
    others.delete(place)
    isTurnOfOthers = false
    return place
  }

  return {
    isEmpty: () => others.size + workspaceOf.size === 0,
    before,
    enter: (place) => void others.add(place),

    moveAhead(place, workspace) {
      if (!others.has(place)) return
      const queue = requested.get(workspace) ?? new Set()
      const moved = withTurns(rankOfRequested(workspace, queue.size), others.size - 1, isTurnOfOthers)
      if (moved >= before(place)!) return
      others.delete(place)
      requested.set(workspace, queue.add(place))
      workspaceOf.set(place, workspace)
    },

    leave(place) {
      const workspace = workspaceOf.get(place)
      if (workspace === undefined) others.delete(place)
      else removeRequested(place, workspace)
    },

    next: () => (isTurnOfOthers ? (nextOther() ?? nextRequested()) : (nextRequested() ?? nextOther())),
  }
}

function indexIn<T>(set: ReadonlySet<T>, wanted: T): number {
  let index = 0
  for (const each of set) {
    if (each === wanted) return index
    index++
  }
  return -1
}
