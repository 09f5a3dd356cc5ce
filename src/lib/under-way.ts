/** Keeps track of work that has not ended, so that a stop can wait for it. */
export interface UnderWay {
  /** Adds work, and returns it. */
  add<T>(work: Promise<T>): Promise<T>
  /** Resolves when all work that was added so far has ended. */
  ended(): Promise<void>
}

export function createUnderWay(): UnderWay {
  const running = new Set<Promise<unknown>>()
  return {
    add(work) {
      running.add(work)
      const end = () => void running.delete(work)
      work.then(end, end)
      return work
    },
    async ended() {
      await Promise.allSettled([...running])
    },
  }
}
