/** Opens what the configuration names by URL: `state:` (must be able to commit) and `blobs:` (files). */
import { createStorage, type Driver, type Storage } from 'unstorage'
import type { StateStore } from './contract.ts'
import { type LmdbDriver, type LmdbOptions, lmdbDriver } from './drivers/lmdb.ts'

/** What can keep the state. A second backend is one more line here and the conformance suite (test/contract/storage.test.ts) over it. */
const BACKENDS: Record<string, (rest: string, options: OpenOptions) => LmdbDriver> = {
  lmdb: (dir, options) => lmdbDriver({ dir, ...options }),
}

export type OpenStore = StateStore & {
  /** The same entries through unstorage's own interface, for what may be written one key at a time. */
  storage: Storage
  /** Its folder: every process that can open the store can reach it. */
  dir: string
  /** Whether the disk has room for a commit. */
  hasRoom(): boolean
}

export type OpenOptions = Omit<LmdbOptions, 'dir'>

export async function openStore(url: string, options: OpenOptions = {}): Promise<OpenStore> {
  const colon = url.indexOf(':')
  const scheme = colon < 0 ? url : url.slice(0, colon)
  const rest = url.slice(colon + 1)
  const serving = Object.keys(BACKENDS).map((name) => `${name}:<directory>`)
  const open = Object.hasOwn(BACKENDS, scheme) ? BACKENDS[scheme] : undefined
  if (open === undefined) {
    throw new Error(
      `The state cannot be kept in "${scheme}:", which cannot store several records in one atomic, durable step; SVC_STORE_URL must be ${serving.join(' or ')}.`,
    )
  }
  if (colon < 0 || rest === '')
    throw new Error(`SVC_STORE_URL is "${url}" and names no directory; it must be ${serving.join(' or ')}.`)
  return fromDriver(open(rest, options))
}

function fromDriver(driver: LmdbDriver): OpenStore {
  return {
    get: driver.get,
    commit: driver.commit,
    range: driver.range,
    close: () => driver.dispose(),
    storage: createStorage({ driver: driver as Driver }),
    dir: driver.options.dir,
    hasRoom: driver.hasRoom,
  }
}
