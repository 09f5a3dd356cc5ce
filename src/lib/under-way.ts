/** Keeps track of work that has not ended, so that a stop can wait for it. */
export interface UnderWay {
  add<T>(work: Promise<T>): Promise<T>
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
