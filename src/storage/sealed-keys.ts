/** Reads and writes the keys of a store, which are encrypted with a secret key. */
import { randomBytes } from 'node:crypto'
import { type KeyFile, openKeyPlaces, sealPlace } from './key-places.ts'
import type { KeyTable } from './key-table.ts'
import { createSealer, RING_KEY_BYTES } from './sealer.ts'

export interface SealedKeys extends Pick<KeyTable, 'where' | 'whereIs' | 'names' | 'removeDrafts'> {
  /**
   * Resolves with undefined if the key does not exist, and with null if this secret key decrypts neither of its two
   * copies.
   */
  read(name: string): Promise<KeyFile | null | undefined>
  /** Reads all keys by name. A value is null if this secret key decrypts neither copy of the key. */
  readAll(): Promise<Map<string, KeyFile | null>>
  /** Creates a key, which is durable when the promise resolves. Resolves with the existing key if there is one. */
  make(name: string, key?: Uint8Array): Promise<Uint8Array>
  /** Adds the second copy of the key, encrypted with another secret key. */
  sealAlso(name: string, nextKey: Uint8Array): Promise<void>
  /** Removes the copy of the key that is encrypted with another secret key. */
  clearOther(name: string): Promise<void>
  destroy(name: string): Promise<void>
}

export function openSealedKeys(table: KeyTable, secretKey: Uint8Array): SealedKeys {
  const { where, whereIs, names, removeDrafts } = table
  const sealer = createSealer(secretKey)

  async function read(name: string): Promise<KeyFile | null | undefined> {
    const places = await table.get(name)
    return places && openKeyPlaces(sealer, name, places)
  }

  async function found(name: string): Promise<KeyFile> {
    const key = await read(name)
    if (!key) throw new Error(`The key ${whereIs(name)} cannot be opened.`)
    return key
  }

  async function writeOther(name: string, value: Uint8Array | undefined): Promise<void> {
    const { place } = await found(name)
    await table.set(name, place === 0 ? 1 : 0, value)
  }

  return {
    where,
    whereIs,
    names,
    removeDrafts,
    read,
    async readAll() {
      return new Map([...(await table.all())].map(([name, places]) => [name, openKeyPlaces(sealer, name, places)]))
    },
    async make(name, key = Uint8Array.from(randomBytes(RING_KEY_BYTES))) {
      // An existing key is never replaced, because records that are encrypted with it would be lost.
      await table.add(name, [sealPlace(sealer, name, key), undefined])
      return (await found(name)).key
    },
    async sealAlso(name, nextKey) {
      const { key } = await found(name)
      await writeOther(name, sealPlace(createSealer(nextKey), name, key))
    },
    clearOther: (name) => writeOther(name, undefined),
    destroy: table.remove,
  }
}
