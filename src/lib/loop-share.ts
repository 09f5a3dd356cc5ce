/**
 * Limits the share of each turn of the event loop that one kind of work may use, so that sockets, timers and the disk
 * are served between its pieces.
 */

/** Called and awaited before each piece of work. Undefined means that the piece may begin immediately. */
export type LoopShare = () => Promise<void> | undefined

const SETTLED = Promise.resolve()

export interface LoopShareSize {
  /** Milliseconds of work per turn of the event loop. */
  ms: number
  /** Minimum number of pieces of work that may begin per turn, even if they take longer than `ms`. */
  least?: number
}

/** Creates a share for one kind of work. A piece of work lasts until the microtasks that it triggers have run. */
export function createLoopShare({ ms, least = 1 }: LoopShareSize, now: () => number = () => performance.now()): LoopShare {
  /** Time at which the `ms` of this turn are used up; undefined while no work has begun in it. */
  let until: number | undefined
  let isUnderWay = false
  let begun = 0
  const waiting: (() => void)[] = []

  const isUsedUp = () => begun >= least && now() >= until!

  function beginTurn() {
    until = now() + ms
    begun = 0
    setImmediate(turn)
  }

  function turn() {
    until = undefined
    if (waiting.length === 0) return
    beginTurn()
    next()
  }

  function next() {
    waiting.shift()!()
    mark()
  }

  /**
   * Waits until the queue of microtasks is empty. (`queueMicrotask` is not used, because it creates an async resource
   * for each call.)
   */
  function mark() {
    isUnderWay = true
    begun++
    void SETTLED.then(behindPromises)
  }

  const behindPromises = () => process.nextTick(after)

  function after() {
    isUnderWay = false
    if (waiting.length > 0 && until !== undefined && !isUsedUp()) next()
  }

  return () => {
    if (until === undefined) beginTurn()
    if (isUnderWay || waiting.length > 0 || isUsedUp()) return new Promise((resolve) => waiting.push(resolve))
    mark()
    return undefined
  }
}
