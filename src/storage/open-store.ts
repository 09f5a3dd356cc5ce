/** Opens the stores that the configuration names by URL: `state:` (which must support commits) and `blobs:` (files). */
import { resolve } from 'node:path'
import { createStorage, type Driver, type Storage } from 'unstorage'
import { parseStoreUrl, STORE_URLS, type StoreBackend } from '../domain/store-url.ts'
import type { StateStore } from './contract.ts'
import { type LmdbDriver, type LmdbOptions, lmdbDriver } from './drivers/lmdb.ts'
import type { PostgresDriver } from './drivers/postgres.ts'

/** Backends for the state. Another one needs one more line here, and a row in test/contract/storage-backends.ts for the conformance suite. */
const BACKENDS: Record<StoreBackend, (parts: { dir: string; url: string }, options: OpenOptions) => Promise<OpenStore>> = {
  lmdb: async ({ dir }, options) => ofLmdb(lmdbDriver({ dir, ...options })),
  // Loaded for this backend only.
  postgres: async ({ dir, url }, options) => {
    const { postgresDriver } = await import('./drivers/postgres.ts')
    return ofPostgres(await postgresDriver({ url, ...options }), dir)
  },
}

export type OpenStore = StateStore & {
  /** Interface of unstorage over the entries of this store, for records that may be written one key at a time. */
  storage: Storage
  /** Folder of the store: every process that can open the store can access it. */
  dir: string
  /** Whether the disk has space for a commit. */
  hasRoom(): boolean
  /** Copies one point in time into an existing folder, even while others write. */
  copyTo(dir: string): Promise<void>
}

export type OpenOptions = Omit<LmdbOptions, 'dir'>

export { noStore } from './drivers/lmdb.ts'

/** The folder in the URL of a store. */
export const storeDirOf = (url: string) => resolve(parsed(url).dir)

export async function openStore(url: string, options: OpenOptions = {}): Promise<OpenStore> {
  const { backend, dir } = parsed(url)
  return BACKENDS[backend]({ dir, url }, options)
}

function parsed(url: string) {
  const parts = parseStoreUrl(url)
  if (parts === undefined) throw new Error(`The store URL is ${JSON.stringify(url)}; it must be ${STORE_URLS}.`)
  return parts
}

const ofDriver = (driver: Pick<StateStore, 'get' | 'commit' | 'range' | 'count'> & { dispose(): Promise<void> }) => ({
  get: driver.get,
  commit: driver.commit,
  range: driver.range,
  count: driver.count,
  close: () => driver.dispose(),
  storage: createStorage({ driver: driver as unknown as Driver }),
})

const ofLmdb = (driver: LmdbDriver): OpenStore => ({
  ...ofDriver(driver),
  dir: driver.options.dir,
  hasRoom: driver.hasRoom,
  copyTo: driver.copyTo,
})

const ofPostgres = (driver: PostgresDriver, dir: string): OpenStore => ({
  ...ofDriver(driver),
  dir,
  // The disk is the database's; it reports a full one with the commit.
  hasRoom: () => true,
  copyTo: async () => {
    throw new Error("A store in PostgreSQL is copied with PostgreSQL's own programs: pg_basebackup or pg_dump.")
  },
})
