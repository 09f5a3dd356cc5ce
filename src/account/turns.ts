/** One at a time per name: what decides on a record and then writes it must not be overtaken in between. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>()

  return {
    take<T>(name: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(name) ?? Promise.resolve()
      // The failure of the one before belongs to its caller; the next one starts all the same.
      const turn = before.then(work, work)
      last.set(name, turn)
      const leave = () => {
        if (last.get(name) === turn) last.delete(name)
      }
      turn.then(leave, leave)
      return turn
    },
    /** Resolves when every turn taken so far has ended. */
    async idle(): Promise<void> {
      await Promise.allSettled([...last.values()])
    },
  }
}

export type Turns = ReturnType<typeof createTurns>
