/** Copies the keys of a store to another store, without decrypting them. */
import type { KeyTable, Places } from '../key-table.ts'

/** Resolves with the number of keys and of changes; 0 changes mean that both stores already had equal keys. */
export async function copyKeys(from: KeyTable, to: KeyTable, onCopied: () => void | Promise<void>) {
  if (from.where === to.where) return { keys: (await from.names()).length, changes: 0 }
  const [wanted, existing] = await Promise.all([from.all(), to.all()])
  let changes = 0
  for (const [name, places] of existing) {
    if (isSame(places, wanted.get(name))) continue
    await to.remove(name)
    changes++
  }
  for (const [name, places] of wanted) {
    if (isSame(places, existing.get(name))) continue
    await to.add(name, places)
    changes++
    await onCopied()
  }
  return { keys: wanted.size, changes }
}

const isSame = (one: Places, other: Places | undefined): boolean =>
  other !== undefined && ([0, 1] as const).every((place) => Buffer.compare(one[place] ?? NONE, other[place] ?? NONE) === 0)

const NONE = new Uint8Array()
