/**
 * Splits work on large input, so that other work of this thread has its turn in between. By time and not by number: how
 * long one piece takes depends on the machine.
 */
/** In ms, between two turns of the loop. */
const TURN = 8

/** Await it between two pieces: mostly nothing happens, and when the time is up the loop turns. */
export function createTurns(now: () => number = () => performance.now(), ms = TURN): () => Promise<void> | undefined {
  let until = now() + ms

  async function turn() {
    await new Promise((resolve) => setImmediate(resolve))
    until = now() + ms
  }

  return () => (now() < until ? undefined : turn())
}
