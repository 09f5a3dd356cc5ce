/** One at a time per name: what decides on a record and then writes it must not be overtaken in between. */
import { Mutex } from 'async-mutex'

export interface KeyedMutex {
  /** Resolves or rejects as `work` does. The failure of the one before belongs to its caller; the next one starts all the same. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Resolves when everything that was asked for so far has ended. */
  idle(): Promise<void>
}

export function createKeyedMutex(): KeyedMutex {
  /** A name has an entry while somebody holds it or waits for it. */
  const held = new Map<string, { mutex: Mutex; users: number }>()

  return {
    async run(name, work) {
      const entry = held.get(name) ?? { mutex: new Mutex(), users: 0 }
      held.set(name, entry)
      entry.users++
      try {
        return await entry.mutex.runExclusive(work)
      } finally {
        entry.users--
        if (entry.users === 0) held.delete(name)
      }
    },
    async idle() {
      await Promise.all([...held.values()].map(({ mutex }) => mutex.runExclusive(() => {})))
    },
  }
}
