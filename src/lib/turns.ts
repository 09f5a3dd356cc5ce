/**
 * Splits work on large input, so that other work of this thread can run in between. It is split by time, because the
 * duration of a piece depends on the machine.
 */
/** Milliseconds of work between two turns of the event loop. */
const TURN = 8

/**
 * Returns a function that must be awaited between two pieces of work. It waits for the next turn of the event loop once
 * `ms` are used up.
 */
export function createTurns(now: () => number = () => performance.now(), ms = TURN): () => Promise<void> | undefined {
  let until = now() + ms

  async function turn() {
    await new Promise((resolve) => setImmediate(resolve))
    until = now() + ms
  }

  return () => (now() < until ? undefined : turn())
}
