/**
 * Creates one queue of jobs per key. The jobs of a key run one after the other, in the order of the calls, and a failed job does not stop the jobs
 * after it. Signal sessions need this: a job reads the session, changes it and writes it asynchronously, so that two jobs at the same time would lose
 * a step of the ratchet.
 */
export function createLines(): <T>(key: string, job: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>()
  return <T>(key: string, job: () => Promise<T>): Promise<T> => {
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(job, job)
    tails.set(key, mine)
    const leave = () => {
      if (tails.get(key) === mine) tails.delete(key)
    }
    mine.then(leave, leave)
    return mine
  }
}
