/** Opens the service's store for a command, with the service's own key. The store must exist. */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { sandboxed } from '../config-places.ts'
import { backendOf } from '../storage/backends.ts'
import { openMain } from '../storage/key-ring.ts'
import { refuseMarked } from '../storage/moving/marks.ts'
import { openStore } from '../storage/open-store.ts'
import { openSealedKeys } from '../storage/sealed-keys.ts'
import type { Sealer } from '../storage/sealer.ts'
import { loadSecretKey } from '../storage/secret-key.ts'
import { NoStore, type OpenStore } from '../storage/store-backend.ts'

export interface Stored {
  store: OpenStore
  sealer: Sealer
  keyOf(instance: string): Promise<Uint8Array | undefined>
}

export interface OwnStore extends Stored {
  secretKey: Uint8Array
  file: string
}

/**
 * Message for a store without a workspace. Only the service may create the first workspace: if a command created it,
 * the service would not print an admin key.
 */
export const NO_WORKSPACE = 'The store has no workspace yet; start the service once.'

/**
 * Opens the store for a command that may run while the service or `store copy` runs. `store copy` may move the store in
 * the meantime, so this is checked again after the work of the command.
 */
export const withStore = <T>(config: Config, work: (stored: Stored) => Promise<T>): Promise<T> =>
  opened(config, refuseMarked, async (stored) => {
    const done = await work(stored)
    await refuseMarked(stored.store).catch((error: Error) => {
      throw new Error(
        `The store was moved while this command ran, so the new store may lack what the command has written; run it again there. ${error.message}`,
      )
    })
    return done
  })

/**
 * Opens the store for a command that owns it. The command is refused while the service runs, and the service does not
 * start while the command runs.
 */
export const withOwnStore = <T>(config: Config, work: (stored: OwnStore) => Promise<T>): Promise<T> =>
  owned(config, refuseMarked, work)

export const withMovedStore = <T>(config: Config, work: (stored: OwnStore) => Promise<T>): Promise<T> =>
  owned(config, async () => {}, work)

type Check = typeof refuseMarked

const owned = <T>(config: Config, check: Check, work: (stored: OwnStore) => Promise<T>): Promise<T> =>
  opened(config, check, async (stored, atEnd) => {
    atEnd(await stored.store.own())
    // The store may have been moved before this command became its owner.
    await check(stored.store)
    return work(stored)
  })

async function opened<T>(
  config: Config,
  check: Check,
  work: (stored: OwnStore, atEnd: (step: () => Promise<void>) => void) => Promise<T>,
): Promise<T> {
  const backend = await backendOf(config.storeUrl)
  await backend.refuseDamaged(() => {})
  const store = await openStore(config.storeUrl, { mustExist: true, keysDir: config.keysDir ?? undefined }).catch(
    withHint(config),
  )
  let last: (() => Promise<void>) | undefined
  try {
    await check(store)
    const file = join(config.dataDir, 'secret-key')
    const secretKey = await loadSecretKey({
      secretKey: config.secretKey ?? undefined,
      file,
      store,
      mustExist: true,
      isGivenOnly: backend.needsSecretKey,
    })
    const sealer = await openMain(store, secretKey)
    const files = openSealedKeys(store.keyTable, secretKey)
    const keyOf = async (instance: string) => (await files.read(instance))?.key
    return await work({ store, sealer, keyOf, secretKey, file }, (step) => {
      last = step
    })
  } finally {
    await store.close()
    await last?.()
  }
}

/** Adds a hint for an operator who tried the sandbox first and looks for its data in the wrong store. */
export const withHint =
  (config: Config) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof NoStore)) throw error
    const sandbox = await backendOf(sandboxed(config).storeUrl)
    if (!(await sandbox.exists())) throw error
    throw new Error(`${error.message} There is a store of the sandbox; add --sandbox to use it.`)
  }
