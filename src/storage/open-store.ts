/** Opens the stores that the configuration names by URL: `state:` (which must support commits) and `blobs:` (files). */
import { resolve } from 'node:path'
import { createStorage, type Driver, type Storage } from 'unstorage'
import { parseStoreUrl, STORE_URLS, type StoreBackend } from '../domain/store-url.ts'
import type { StateStore } from './contract.ts'
import { type LmdbDriver, type LmdbOptions, lmdbDriver } from './drivers/lmdb.ts'

/** Backends for the state. A second one needs one more line here, and the conformance suite (test/contract/storage.test.ts) for it. */
const BACKENDS: Record<StoreBackend, (dir: string, options: OpenOptions) => LmdbDriver> = {
  lmdb: (dir, options) => lmdbDriver({ dir, ...options }),
}

export type OpenStore = StateStore & {
  /** The same entries through the interface of unstorage, for records that may be written one key at a time. */
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
  return fromDriver(BACKENDS[backend](dir, options))
}

function parsed(url: string) {
  const parts = parseStoreUrl(url)
  if (parts === undefined) throw new Error(`The store URL is ${JSON.stringify(url)}; it must be ${STORE_URLS}.`)
  return parts
}

function fromDriver(driver: LmdbDriver): OpenStore {
  return {
    get: driver.get,
    commit: driver.commit,
    range: driver.range,
    count: driver.count,
    close: () => driver.dispose(),
    storage: createStorage({ driver: driver as Driver }),
    dir: driver.options.dir,
    hasRoom: driver.hasRoom,
    copyTo: driver.copyTo,
  }
}
