/**
 * The backends that can store `state:` (all records of the service). The tests of the store run once with each of them.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shareRows } from '../../src/storage/drivers/memory/shared-rows.ts'
import { createSortedRows } from '../../src/storage/drivers/memory/sorted-rows.ts'
import { noPostgres, startCluster } from '../harness/postgres.ts'

export interface Backend {
  /**
   * Returns the URL of a store with this name (letters, digits and `_`). Opening the URL for the first time creates the
   * store.
   */
  url(name: string): string
  stop(): Promise<void>
}

interface Row {
  name: string
  /** Reason to skip the tests of the backend, or false if it can be tested. */
  skip: string | false
  /** True if the store is in memory. Then only threads of this process can open it, and nothing is on a disk. */
  isOfProcess?: boolean
  start(): Promise<Backend>
}

/**
 * Creates a backend whose stores are in the memory of this thread. Other threads open them by name, as the threads of a
 * service do.
 */
function memoryStores(): Backend {
  const own = randomUUID()
  const ends = new Map<string, () => void>()
  return {
    url(name) {
      if (!ends.has(name)) ends.set(name, shareRows(`${own}-${name}`, createSortedRows()))
      return `memory:${own}-${name}`
    },
    async stop() {
      for (const end of ends.values()) end()
    },
  }
}

export const BACKENDS: readonly Row[] = [
  {
    name: 'lmdb',
    skip: false,
    async start() {
      const dir = await mkdtemp(join(tmpdir(), 'svc-state-'))
      return { url: (name) => `lmdb:${join(dir, name)}`, stop: () => rm(dir, { recursive: true }) }
    },
  },
  { name: 'memory', skip: false, isOfProcess: true, start: async () => memoryStores() },
  { name: 'postgres', skip: noPostgres, start: () => startCluster() },
]
