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
