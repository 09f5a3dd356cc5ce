/** Copies the media of a store to another store, without decrypting them. */
import { type BlobItems, blobsUnder } from '../blobs/items.ts'
import { parsePiece, pieceNames } from '../blobs/pieces.ts'

/**
 * Resolves with the number of media and of changes; 0 changes mean that both stores already had equal media. Incomplete
 * media are not copied, because no record names them.
 */
export async function copyMedia(from: BlobItems, to: BlobItems, onCopied: () => void | Promise<void>) {
  // An incomplete file of a killed copy may have all bytes and count as equal, although it is not flushed to the disk.
  await to.removeDrafts()
  const stored = new Set(await from.getKeys(''))
  const wanted = (await blobsUnder(from, ''))
    .map(({ key, bytes }) => pieceNames(key, bytes))
    .filter((names) => names.every((name) => stored.has(name)))
  let changes = await removeOthers(to, new Set(wanted.flat()))
  for (const names of wanted) {
    if (await areSame(from, to, names)) continue
    // If one piece differs, all are written again, because a driver for files begins a new file with the first piece.
    for (const name of names) await to.setItemRaw(name, await pieceOf(from, name))
    changes++
    await onCopied()
  }
  return { media: wanted.length, changes }
}

async function removeOthers(items: BlobItems, wanted: ReadonlySet<string>): Promise<number> {
  const others = (await items.getKeys('')).filter((name) => !wanted.has(name))
  const indexOf = (name: string) => parsePiece(name)?.index ?? 0
  for (const name of others.toSorted((one, other) => indexOf(other) - indexOf(one))) await items.removeItem(name)
  return others.length
}

async function areSame(from: BlobItems, to: BlobItems, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const existing = await to.getItemRaw<Uint8Array>(name)
    if (existing === null || Buffer.compare(existing, await pieceOf(from, name)) !== 0) return false
  }
  return true
}

async function pieceOf(items: BlobItems, name: string): Promise<Uint8Array> {
  const piece = await items.getItemRaw<Uint8Array>(name)
  if (piece === null) throw new Error(`The stored media ${name} were removed while they were copied.`)
  return piece
}
