/** The store as a command sees it: opened with the service's own key, beside the service if it runs; never made. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, sandboxed } from '../config.ts'
import { refuseDamaged } from '../storage/check.ts'
import { type OpenStore, openStore, storeDirOf } from '../storage/open.ts'
import { createSealer, type Sealer } from '../storage/seal.ts'
import { checkKey, loadSecretKey } from '../storage/secret-key.ts'

export interface Stored {
  store: OpenStore
  sealer: Sealer
}

/** Before the first start there is no workspace, and it is the service's to make: nobody would have the key of one that it finds. */
export const NO_WORKSPACE = 'The store has no workspace yet; start the service once.'

export async function withStore<T>(config: Config, work: (stored: Stored) => Promise<T>): Promise<T> {
  await refuseDamaged(storeDirOf(config.storeUrl), () => {})
  const store = await openStore(config.storeUrl, { mustExist: true }).catch((error: unknown) => {
    throw withHint(error, config)
  })
  try {
    const file = join(config.dataDir, 'secret-key')
    const sealer = createSealer(await loadSecretKey({ secretKey: config.secretKey ?? undefined, file, store, mustExist: true }))
    await checkKey(store, sealer)
    return await work({ store, sealer })
  } finally {
    await store.close()
  }
}

/** Whoever tried the sandbox first looks for its data in the wrong place. */
export function withHint(error: unknown, config: Config): unknown {
  const isThere = existsSync(join(sandboxed(config).dataDir, 'state'))
  if (!(error instanceof Error) || !isThere) return error
  return new Error(`${error.message} The sandbox has one: add --sandbox.`, { cause: error.cause })
}
