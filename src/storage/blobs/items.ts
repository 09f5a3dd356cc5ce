/**
 * The encrypted pieces of media, stored by any driver of unstorage. This module decrypts nothing and does not know the
 * budget.
 */
import type { Driver, Storage } from 'unstorage'
import { type Piece, parsePiece, pieceName, pieceNames, plainBytes, SEALED_PIECE, sealedBytes } from './pieces.ts'

export interface BlobDriver extends Driver {
  /**
   * Stores all pieces of a blob at once, even while another process stores the same blob. Absent if the driver stores
   * each piece by itself, because two processes then write the same pieces.
   */
  setWhole?(key: string, sealed: Uint8Array): Promise<void>
  forget?(owner: string): Promise<void>
  /** Removes unfinished files. Absent if the driver stores each piece by itself and has no such files. */
  removeDrafts?(): Promise<void>
}

export interface BlobItems
  extends Pick<Storage, 'getItemRaw' | 'setItemRaw' | 'removeItem' | 'getKeys'>,
    Pick<BlobDriver, 'setWhole'> {
  forget(owner: string): Promise<void>
  /** Removes files that a killed process left unfinished. Must be called only while no other process writes blobs. */
  removeDrafts(): Promise<void>
}

export const STAGED = 'import-'

const piecesUnder = async (items: BlobItems, prefix: string): Promise<Piece[]> =>
  (await items.getKeys(prefix)).flatMap((name) => parsePiece(name) ?? [])

/** Returns the first piece of each blob of an owner, of one blob, or of all blobs if the prefix is empty. */
export const blobsUnder = async (items: BlobItems, prefix: string): Promise<Piece[]> =>
  (await piecesUnder(items, prefix)).filter(({ index }) => index === 0)

/**
 * Returns the keys of all blobs under a prefix, also of a blob that has lost its first piece. A bucket may store a
 * piece after the service has given up waiting for it, and has removed the blob.
 */
export const blobKeysUnder = async (items: BlobItems, prefix: string): Promise<Set<string>> =>
  new Set((await piecesUnder(items, prefix)).map(({ key }) => key))

export async function getPiece(items: BlobItems, piece: Piece): Promise<Uint8Array> {
  const sealed = await items.getItemRaw<Uint8Array>(pieceName(piece))
  if (sealed === null) throw new Error(`The media ${piece.key} are no longer stored, or no longer complete.`)
  return sealed
}

/** Removes the blobs under a prefix. Resolves with the number of encrypted bytes that were removed. */
export async function removeBlobs(items: BlobItems, prefix: string): Promise<number> {
  const found = await piecesUnder(items, prefix)
  found.sort((one, other) => other.index - one.index)
  for (const piece of found) await items.removeItem(pieceName(piece))
  return sum(found.filter(({ index }) => index === 0))
}

/**
 * Removes the blobs of an owner, and the owner's folder if the driver has folders. Resolves with the number of
 * encrypted bytes that were removed.
 */
export async function removeOwner(items: BlobItems, owner: string): Promise<number> {
  const bytes = await removeBlobs(items, owner)
  await items.forget(owner)
  return bytes
}

export async function ownersOfBlobs(items: BlobItems): Promise<Set<string>> {
  return new Set([...(await blobKeysUnder(items, ''))].map((key) => key.split(':')[0]!))
}

/** Returns the number of encrypted bytes of all blobs that are not staged. */
export async function measureBlobs(items: BlobItems): Promise<number> {
  return sum((await blobsUnder(items, '')).filter(({ key }) => !key.startsWith(STAGED)))
}

/**
 * Corrects the counter of encrypted bytes, because other services also store and remove blobs. A blob that this service
 * stores in the meantime may count twice until the next correction.
 */
export async function recountBlobs(items: BlobItems, counter: BigInt64Array): Promise<void> {
  const before = Atomics.load(counter, 0)
  Atomics.add(counter, 0, BigInt(await measureBlobs(items)) - before)
}

export async function* sealedBlobs(items: BlobItems, owner: string): AsyncGenerator<[name: string, sealed: Uint8Array]> {
  for (const { key, bytes } of await blobsUnder(items, owner)) {
    const pieces: Uint8Array[] = []
    for (let index = 0; index < pieceNames(key, bytes).length; index++) pieces.push(await getPiece(items, { key, index, bytes }))
    yield [key.slice(owner.length + 1), Buffer.concat(pieces)]
  }
}

/**
 * Stores a blob whose bytes are already encrypted. The blob is durable when the promise resolves. Two services that
 * import the same archive may store it at the same time.
 */
export async function putSealedBlob(items: BlobItems, key: string, sealed: Uint8Array): Promise<void> {
  if (items.setWhole !== undefined) return items.setWhole(key, sealed)
  for (const [index, name] of pieceNames(key, plainBytes(sealed.byteLength)).entries())
    await items.setItemRaw(name, sealed.subarray(index * SEALED_PIECE, (index + 1) * SEALED_PIECE))
}

/**
 * Copies the blobs of an owner to another owner. The copy can be repeated. Resolves with the number of encrypted bytes
 * that the target did not have before.
 */
export async function copyBlobs(items: BlobItems, from: string, to: string): Promise<number> {
  const before = sum(await blobsUnder(items, to))
  for (const { key, bytes } of await blobsUnder(items, from)) {
    const copy = to + key.slice(from.length)
    for (const [index, name] of pieceNames(copy, bytes).entries())
      await items.setItemRaw(name, await getPiece(items, { key, index, bytes }))
  }
  return sum(await blobsUnder(items, to)) - before
}

const sum = (blobs: readonly Piece[]) => blobs.reduce((total, { bytes }) => total + sealedBytes(bytes), 0)
