/** A source of data that can be stopped. Its owner waits for the stop before it closes what the source reads. */

export interface Stoppable<T> extends AsyncIterable<T> {
  /** Nothing is read from the source after the promise has resolved, even if a reader requests more. */
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
