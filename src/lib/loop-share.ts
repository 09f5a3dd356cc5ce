/**
 * The part of each turn of a thread's loop that one kind of work may have, for all that do it on the thread together. What comes beyond waits for
 * the next turns, first come first served: answers of sockets, timers and the disk have theirs in between.
 */

/** Await it before each piece of work. Undefined: begin at once. */
export type LoopShare = () => Promise<void> | undefined

const SETTLED = Promise.resolve()

export interface LoopShareSize {
  /** Of one turn. */
  ms: number
  /** Pieces that are begun in a turn, however long they take. */
  least?: number
}

/**
 * A piece is what follows until the promises that it sets off are worked off; the next one begins behind it, and one that is longer than the share is
 * not divided. `now` in ms; does not step.
 */
export function createLoopShare({ ms, least = 1 }: LoopShareSize, now: () => number = () => performance.now()): LoopShare {
  /** When the share of this turn is used up; undefined: none of it is used. */
  let until: number | undefined
  let isUnderWay = false
  /** Pieces begun in this turn. */
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

  /** Until the promises that have been set off by then are worked off. (`queueMicrotask` makes an async resource for each.) */
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
