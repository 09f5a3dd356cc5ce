/** A source of data whose end can be awaited, for the owner of what it reads. */

export interface Stoppable<T> extends AsyncIterable<T> {
  /** Nothing is read from the source after this resolves, also if its reader goes on. */
  stop(): Promise<void>
}

export function stoppable<T>(source: AsyncGenerator<T, void>): Stoppable<T> {
  let isStopped = false
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => (isStopped ? { done: true, value: undefined } : source.next()),
      return: async () => source.return(),
    }),
    async stop() {
      isStopped = true
      // A generator queues its calls, so this waits for the read that is running.
      await source.return()
    },
  }
}
