/**
 * Finds the instance that already uses a linked device. Two instances with the same device would be disconnected again
 * and again, and messages would be lost.
 */
import type { StateStore } from '../storage/contract.ts'
import type { KeyRing } from '../storage/key-ring.ts'
import { keys } from '../storage/record-keys.ts'
import { createSealer } from '../storage/sealer.ts'

interface StoredCreds {
  creds: { signedIdentityKey: { public: { data: string } } }
}

export const identityIn = (creds: Uint8Array): string =>
  (JSON.parse(Buffer.from(creds).toString()) as StoredCreds).creds.signedIdentityKey.public.data

type KeyOf = (instance: string) => Promise<Uint8Array | undefined>

export async function instanceWith(
  identity: string,
  store: Pick<StateStore, 'get' | 'range'>,
  keyOf: KeyOf,
): Promise<string | undefined> {
  return instanceAmong(await storedInstances(store), identity, store, keyOf)
}

/**
 * Returns a function that reads the key of an instance, even if another service has just created it. The function
 * resolves with undefined if the instance was deleted.
 */
export const knownKeyOf =
  (keyRing: Pick<KeyRing, 'learn' | 'of'>, store: Pick<StateStore, 'get'>): KeyOf =>
  async (instance) => {
    try {
      await keyRing.learn(instance)
    } catch (error) {
      if (await isThere(store, instance)) throw error
      return undefined
    }
    return keyRing.of(instance)
  }

export async function storedInstances(store: Pick<StateStore, 'range'>): Promise<string[]> {
  const found: string[] = []
  for await (const [key] of store.range(keys.configs)) found.push(key.slice(keys.configs.length))
  return found
}

export async function instanceAmong(
  instances: Iterable<string>,
  identity: string,
  store: Pick<StateStore, 'get'>,
  keyOf: KeyOf,
): Promise<string | undefined> {
  for (const instance of instances) {
    const record = keys.creds(instance)
    const sealed = await store.get(record)
    const ringKey = sealed && (await keyOf(instance))
    if (!sealed || !ringKey) continue
    if (identityIn(createSealer(ringKey).open(record, sealed)) === identity) return instance
  }
  return undefined
}

export const isThere = async (store: Pick<StateStore, 'get'>, id: string): Promise<boolean> =>
  (await store.get(keys.config(id))) !== undefined

export const linkedAs = (instance: string): string => `Instance ${instance} is already linked as this device.`
export const hasItsId = (instance: string): string =>
  `Instance ${instance} exists here already: it is linked as another device, or not linked.`
