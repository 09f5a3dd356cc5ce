import type { Places } from './key-table.ts'
import { RING_KEY_BYTES, SEAL_BYTES, type Sealer } from './sealer.ts'

export interface KeyFile {
  key: Uint8Array
  place: 0 | 1
  isOtherUsed: boolean
}

export const PLACE_BYTES = SEAL_BYTES + RING_KEY_BYTES

const recordKey = (name: string) => `key:${name}`

export const sealPlace = (sealer: Sealer, name: string, key: Uint8Array): Buffer => sealer.seal(recordKey(name), key)

/** Decrypts a key from one of its two copies. Returns null if this secret key decrypts neither copy. */
export function openKeyPlaces(sealer: Sealer, name: string, places: Places): KeyFile | null {
  for (const place of [0, 1] as const) {
    const sealed = places[place]
    const key = sealed && opened(sealer, name, sealed)
    if (key) return { key, place, isOtherUsed: places[place === 0 ? 1 : 0] !== undefined }
  }
  return null
}

function opened(sealer: Sealer, name: string, sealed: Uint8Array): Uint8Array | undefined {
  try {
    return Uint8Array.from(sealer.open(recordKey(name), sealed))
  } catch {
    return undefined
  }
}
