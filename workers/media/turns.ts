/** At most `limit` pieces of work at a time; the others wait in the order they came. */
export function createTurns(limit: number) {
  const waiting: (() => void)[] = []
  let busy = 0

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    // Handed over without being given back: nobody who comes later passes those who wait.
    if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }
}
