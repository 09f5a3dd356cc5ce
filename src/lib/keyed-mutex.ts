/**
 * A mutex for each name. A caller locks the name of a record while it decides about a change of the record and writes
 * it.
 */
import { Mutex } from 'async-mutex'

export interface KeyedMutex {
  /**
   * Runs `work` when earlier work of the same name has ended, and settles as `work` does. After a failure the next work
   * still starts.
   */
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /**
   * Runs `work` while all these names are locked. They are locked in alphabetical order, so that two such calls never
   * deadlock. A caller that has locked one of the names must not lock another.
   */
  runAll<T>(names: readonly string[], work: () => Promise<T>): Promise<T>
  /** Resolves when all work that was passed before this call has ended. */
  idle(): Promise<void>
}

export function createKeyedMutex(): KeyedMutex {
  const held = new Map<string, { mutex: Mutex; users: number }>()

  async function acquire(name: string): Promise<() => void> {
    const entry = held.get(name) ?? { mutex: new Mutex(), users: 0 }
    held.set(name, entry)
    entry.users++
    const release = await entry.mutex.acquire()
    return () => {
      release()
      entry.users--
      if (entry.users === 0) held.delete(name)
    }
  }

  return {
    async run(name, work) {
      const release = await acquire(name)
      try {
        return await work()
      } finally {
        release()
      }
    },
    async runAll(names, work) {
      const releases: (() => void)[] = []
      try {
        for (const name of [...new Set(names)].sort()) releases.push(await acquire(name))
        return await work()
      } finally {
        for (const release of releases) release()
      }
    },
    async idle() {
      await Promise.all([...held.values()].map(({ mutex }) => mutex.runExclusive(() => {})))
    },
  }
}
