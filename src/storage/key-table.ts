/** Keys in a table, each with the two places that a key file has (`key-files.ts`). Each step may be repeated. */
import { randomBytes } from 'node:crypto'
import type { KeyFiles } from './key-files.ts'
import { type KeyFile, openKeyPlaces, sealPlace } from './key-places.ts'
import { createSealer, RING_KEY_BYTES } from './sealer.ts'

export interface KeyTable {
  /** Name of the table in sentences. */
  where: string
  names(): Promise<string[]>
  get(name: string): Promise<readonly [Uint8Array | undefined, Uint8Array | undefined] | undefined>
  /** Adds a row with its first place filled. Does nothing if the row exists. */
  add(name: string, first: Uint8Array): Promise<void>
  set(name: string, place: 0 | 1, value: Uint8Array | undefined): Promise<void>
  remove(name: string): Promise<void>
}

export function openKeyTable(table: KeyTable, secretKey: Uint8Array): KeyFiles {
  const sealer = createSealer(secretKey)
  const whereIs = (name: string) => `${name} in ${table.where}`

  async function read(name: string): Promise<KeyFile | null | undefined> {
    const places = await table.get(name)
    return places && openKeyPlaces(sealer, name, places)
  }

  async function found(name: string): Promise<KeyFile> {
    const row = await read(name)
    if (!row) throw new Error(`The key ${whereIs(name)} cannot be opened.`)
    return row
  }

  async function writeOther(name: string, value: Uint8Array | undefined): Promise<void> {
    const { place } = await found(name)
    await table.set(name, place === 0 ? 1 : 0, value)
  }

  return {
    where: table.where,
    whereIs,
    read,
    names: table.names,
    async make(name, key = Uint8Array.from(randomBytes(RING_KEY_BYTES))) {
      await table.add(name, sealPlace(sealer, name, key))
      // An existing key is never replaced, because records that are sealed with it would be lost.
      return (await found(name)).key
    },
    async sealAlso(name, nextKey) {
      const { key } = await found(name)
      await writeOther(name, sealPlace(createSealer(nextKey), name, key))
    },
    clearOther: (name) => writeOther(name, undefined),
    destroy: table.remove,
    // A row is written as a whole, so there are no drafts.
    removeDrafts: async () => {},
  }
}
