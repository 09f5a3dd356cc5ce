/**
 * Splits work on large input, so that other work of this thread can run in between. The work is split by time and not by number of pieces, because
 * the duration of a piece depends on the machine.
 */
/** Longest time between two turns of the loop, in ms. */
const TURN = 8

/**
 * Creates a function to await between two pieces of work. Usually the function does nothing; when the time is used up,
 * it waits for the next turn of the loop.
 */
export function createTurns(now: () => number = () => performance.now(), ms = TURN): () => Promise<void> | undefined {
  let until = now() + ms

  async function turn() {
    await new Promise((resolve) => setImmediate(resolve))
    until = now() + ms
  }

  return () => (now() < until ? undefined : turn())
}
