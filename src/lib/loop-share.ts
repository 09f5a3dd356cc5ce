/**
 * Limits the share of each turn of the event loop that one kind of work may use, for all such work of the thread
 * together. The rest of the work waits for later turns in order, so that sockets, timers and the disk are served in
 * between.
 */

/**
 * Waits until the next piece of work may begin. Callers await the result before each piece; undefined means that the
 * piece may begin immediately.
 */
export type LoopShare = () => Promise<void> | undefined

const SETTLED = Promise.resolve()

export interface LoopShareSize {
  /** Limit per turn in ms. */
  ms: number
  /** Minimum number of pieces that begin per turn, however long they take. */
  least?: number
}

/**
 * Creates a share of the loop. A piece lasts until all promises that it triggers have settled. Pieces run one after another, and a piece that is
 * longer than the share is not divided. `now` returns ms and never steps.
 */
export function createLoopShare({ ms, least = 1 }: LoopShareSize, now: () => number = () => performance.now()): LoopShare {
  /** Time at which the share of this turn is used up; undefined while none of it is used. */
  let until: number | undefined
  let isUnderWay = false
  /** Number of pieces that began in this turn. */
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

  /** Waits until the promises that were triggered so far have settled. (`queueMicrotask` creates an async resource for each.) */
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
