/**
 * The keys of a store: one encrypts the main thread's records, one is for links to received files, and each instance
 * has one, which encrypts its data. The secret key encrypts these keys and no records, so it can be changed without
 * changing a record. Destroying the key of an instance makes its data unreadable, also in free pages of the store.
 *
 * The next start finishes a step that a kill interrupted.
 */
import { HOUR } from '../domain/clock.ts'
import type { Steps } from '../domain/steps.ts'
import { StorageFailure } from '../domain/storage-failure.ts'
import type { StateStore } from './contract.ts'
import { claimHomes } from './homes.ts'
import type { KeyFile } from './key-places.ts'
import { keys } from './record-keys.ts'
import { openSealedKeys, type SealedKeys } from './sealed-keys.ts'
import { createSealer, type Sealer } from './sealer.ts'
import { isEmpty } from './secret-key.ts'
import type { OpenParts } from './store-backend.ts'

export interface KeyRing {
  /** Encrypts the configuration records of instances, and the other records that belong to no instance. */
  readonly main: Sealer
  readonly mainKey: Uint8Array
  /** Key for links to received files; 32 bytes. */
  readonly links: Uint8Array
  instances(): string[]
  /** Returns the key of an instance. Throws if the instance has no key. */
  of(instance: string): Uint8Array
  /**
   * Makes this service the home of the instance, and then stores the key of the instance; both are durable when the
   * promise resolves. `key` is the key that the instance had on another server. If it is absent, a new key is created.
   */
  make(instance: string, key?: Uint8Array): Promise<void>
  /** Reads the key of an instance that another service has created. Rejects if it is not in the store. */
  learn(instance: string): Promise<void>
  /** Drops the key of a deleted instance from memory. Another service destroys the key in the store. */
  forget(instance: string): void
  /**
   * Destroys the key of an instance; durable when the promise resolves. If the keys are in a database, copies of the
   * key remain in it for a while (`key-rows.ts`).
   */
  destroy(instance: string): Promise<void>
}

type Store = Pick<StateStore, 'get' | 'commit' | 'range'> & Pick<OpenParts, 'keyTable' | 'shown' | 'homes' | 'members'>

/**
 * Age in ms at which a member of a cluster removes a draft. A key is written within a second, and two clocks may differ
 * by a minute.
 */
const DRAFT_LIFE = HOUR
const MAIN = 'main'
const LINKS = 'links'

const MARK = Buffer.from('this store is read with the right key')

const WRONG_KEY = 'The secret key is not the one this store was written with; start with the original key or use an empty store.'

/** Throws if this is not the secret key of the store. If the store is empty, creates its first keys. */
export async function checkSecretKey(store: Store, secretKey: Uint8Array): Promise<void> {
  if ((await store.get(keys.keyRing)) !== undefined) {
    await openMain(store, secretKey)
    return
  }
  if (!(await isEmpty(store))) {
    // Another service may have made the first records in the meantime.
    if ((await store.get(keys.keyRing)) !== undefined) return void (await openMain(store, secretKey))
    throw new Error(
      'The store has data, but the record that the secret key is checked with is missing; restore the store from a backup.',
    )
  }
  const files = openSealedKeys(store.keyTable, secretKey)
  if ((await files.names()).some((name) => name !== MAIN && name !== LINKS))
    throw new Error(
      `The store is empty, but ${files.where} holds keys of instances; restore the store, or move that folder away.`,
    )
  // If two processes start at the same time, the second uses the key of the first.
  if ((await files.read(MAIN)) === null) throw new Error(WRONG_KEY)
  const main = createSealer(await files.make(MAIN))
  await files.make(LINKS)
  if (!(await store.commit({ guard: { key: keys.keyRing, equals: null }, ops: [[keys.keyRing, main.seal(keys.keyRing, MARK)]] })))
    await openMain(store, secretKey)
}

/** Returns the sealer of the main thread's records; changes nothing, so a command may use it while the service runs. */
export async function openMain(store: Store, secretKey: Uint8Array): Promise<Sealer> {
  if ((await store.get(keys.keyRing)) === undefined) throw new Error('The store is empty; start the service once.')
  const { key } = await needed(openSealedKeys(store.keyTable, secretKey), MAIN)
  const main = createSealer(key)
  await checkRing(store, main)
  return main
}

export async function checkRing(store: Pick<Store, 'get' | 'shown'>, main: Sealer): Promise<void> {
  const mark = await store.get(keys.keyRing)
  if (mark === undefined || !opens(main, keys.keyRing, mark))
    throw new Error(`The keys of the store in ${store.shown} are not those of its records; restore both from one backup.`)
}

/** Decrypts all keys, for the process that owns the store. Finishes an interrupted rotation of the secret key. */
export async function openKeyRing(store: Store, secretKey: Uint8Array): Promise<KeyRing> {
  const files = openSealedKeys(store.keyTable, secretKey)
  await checkSecretKey(store, secretKey)
  // Another member of the cluster may be creating an instance, even a member that has just joined. So the drafts of the
  // last hour stay.
  await files.removeDrafts(store.members === undefined ? 0 : DRAFT_LIFE)
  const { key: mainKey } = await needed(files, MAIN)
  const { key: links } = await needed(files, LINKS)
  const held = await settle(store, secretKey)
  held.delete(MAIN)
  held.delete(LINKS)
  return {
    main: createSealer(mainKey),
    mainKey,
    links: links.subarray(0, 32),
    instances: () => [...held.keys()],
    of(instance) {
      const key = held.get(instance)
      if (key === undefined)
        throw new Error(`The key of instance ${instance} is missing in ${files.where}; restore it from the backup of the store.`)
      return key
    },
    async make(instance, key) {
      // If the key were stored before the home, a service that starts would take the key for a leftover.
      if (!(await claimHomes(store.homes, [instance])).has(instance))
        throw new StorageFailure(`Another service on the store in ${store.shown} has the instance ${instance}.`)
      try {
        held.set(instance, await files.make(instance, key))
      } catch (error) {
        // Another service may then claim the home, and erases what was already stored for the instance.
        await store.homes?.release([instance]).catch(() => {})
        throw error
      }
    },
    async learn(instance) {
      if (!held.has(instance)) held.set(instance, (await needed(files, instance)).key)
    },
    forget: (instance) => void held.delete(instance),
    async destroy(instance) {
      await files.destroy(instance)
      held.delete(instance)
      // The deletion is already complete. If this fails, a later start removes the home.
      await store.homes?.remove(instance).catch(() => {})
    },
  }
}

/**
 * Returns all keys by name. Decrypts every key first, and only then removes copies under other secret keys, because
 * these copies might be needed until then.
 */
async function settle(store: Store, secretKey: Uint8Array, steps: Steps = () => {}): Promise<Map<string, Uint8Array>> {
  const files = openSealedKeys(store.keyTable, secretKey)
  const found = new Map<string, KeyFile>()
  for (const [name, file] of await files.readAll()) found.set(name, file ?? (await needed(files, name)))
  for (const [name, { isOtherUsed }] of found) {
    if (!isOtherUsed) continue
    await files.clearOther(name)
    steps('rotate:cleared')
  }
  return new Map([...found].map(([name, { key }]) => [name, key]))
}

/**
 * Replaces the secret key. Only the process that owns the store may call this. `replace` must make the new secret key
 * durable and resolve with true. If it resolves with false, every key can be opened with both secret keys until the
 * next start.
 */
export async function rotateSecretKey(
  store: Store,
  secretKey: Uint8Array,
  next: Uint8Array,
  { replace, steps }: { replace(): Promise<boolean>; steps: Steps },
): Promise<void> {
  const names = [...(await settle(store, secretKey)).keys()]
  const files = openSealedKeys(store.keyTable, secretKey)
  for (const name of names) {
    await files.sealAlso(name, next)
    steps('rotate:sealed')
  }
  const isReplaced = await replace()
  steps('rotate:replaced')
  if (isReplaced) await settle(store, next, steps)
}

async function needed(files: SealedKeys, name: string): Promise<KeyFile> {
  const file = await files.read(name)
  if (file) return file
  // If the main key cannot be opened either, the secret key is wrong. Otherwise this key is damaged.
  if (file === null && (name === MAIN || !(await files.read(MAIN)))) throw new Error(WRONG_KEY)
  const path = files.whereIs(name)
  if (file === null)
    throw new Error(
      `The key ${path} cannot be decrypted with the secret key, but other keys can. Restore it from a backup, or move it away to continue without that instance.`,
    )
  throw new Error(`The key ${path} is missing, and the store cannot be read without it; restore it from the backup of the store.`)
}

function opens(sealer: Sealer, recordKey: string, sealed: Uint8Array): boolean {
  try {
    return sealer.open(recordKey, sealed).equals(MARK)
  } catch {
    return false
  }
}
