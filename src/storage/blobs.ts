/**
 * Stores the inline media of queued messages, encrypted and under one budget. A blob is durable before the record that
 * names it is committed.
 *
 * A blob is a sequence of pieces. Each is encrypted with its index and the number of pieces, so that a missing, moved
 * or changed piece is detected.
 */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Through } from '../domain/bytes.ts'
import { isStorageFailure, StorageFailure } from '../domain/storage-failure.ts'
import { type BlobItems, blobKeysUnder, blobsUnder, getPiece, measureBlobs, removeBlobs, removeOwner } from './blobs/items.ts'
import { PIECE, type Piece, pieceName, piecesOf, sealedBytes } from './blobs/pieces.ts'
import { checkRecordKey } from './contract.ts'
import type { Sealer } from './sealer.ts'

export interface Blobs {
  /**
   * Stores a blob, which is durable when the promise resolves. Resolves with false, and stores nothing, if the budget
   * is exhausted.
   */
  put(key: string, bytes: Uint8Array): Promise<boolean>
  has(key: string): Promise<boolean>
  get(key: string): Promise<Uint8Array | undefined>
  copyTo(key: string, path: string, part: BlobPart, through?: Through): Promise<void>
  remove(key: string): Promise<void>
  /** Returns the keys under a prefix, also of blobs that are incomplete and can only be removed. */
  list(prefix: string): Promise<string[]>
  used(): number
}

export interface BlobPart {
  offset: number
  size: number
}

export interface AllBlobs {
  of(sealer: Sealer): Blobs
  erase(instance: string): Promise<void>
}

export interface BlobsOptions {
  budgetBytes: number
  /** Counter of stored bytes that all threads share. If it is absent, this thread uses a counter of its own. */
  counter?: BigInt64Array | undefined
}

export async function openBlobs(mounted: BlobItems, { budgetBytes, counter }: BlobsOptions): Promise<AllBlobs> {
  const items = failingAsStorage(mounted)
  const count = counter ?? new BigInt64Array([BigInt(await measureBlobs(items))])
  const add = (bytes: number) => Number(Atomics.add(count, 0, BigInt(bytes))) + bytes
  const used = () => Number(Atomics.load(count, 0))

  async function remove(key: string): Promise<number> {
    const bytes = await removeBlobs(items, key)
    add(-bytes)
    return bytes
  }

  async function takeBack(key: string, bytes: number, hasFirst: boolean): Promise<void> {
    const removed = await remove(key).catch((error: unknown) => {
      if (hasFirst) throw error
      return 0
    })
    if (removed === 0) add(-bytes)
  }

  const of = (sealer: Sealer): Blobs => ({
    used,
    remove: async (key) => void (await remove(key)),
    has: async (key) => (await blobsUnder(items, key)).length > 0,
    async put(key, bytes) {
      checkRecordKey(key)
      const size = sealedBytes(bytes.byteLength)
      if (used() + size > budgetBytes) return false
      const write = (index: number) => {
        const piece = { key, index, bytes: bytes.byteLength }
        return items.setItemRaw(pieceName(piece), sealPiece(sealer, piece, bytes.subarray(index * PIECE, (index + 1) * PIECE)))
      }
      let hasFirst = false
      try {
        const first = write(0)
        // The bytes are counted in the same turn of the event loop in which the driver creates the file. So if the
        // thread dies later, its file is already counted.
        const isWithin = add(size) <= budgetBytes
        await first
        hasFirst = true
        if (isWithin) for (let index = 1; index < piecesOf(bytes.byteLength); index++) await write(index)
        else await remove(key)
        return isWithin
      } catch (error) {
        await takeBack(key, size, hasFirst)
        throw error
      }
    },
    async get(key) {
      const [blob] = await blobsUnder(items, key)
      if (blob === undefined) return undefined
      const parts: Buffer[] = []
      for await (const part of read(items, blob, { offset: 0, size: blob.bytes }, sealer)) parts.push(part)
      return Buffer.concat(parts)
    },
    async copyTo(key, path, part, through = (bytes) => bytes) {
      const [blob] = await blobsUnder(items, key)
      if (blob === undefined) throw new Error(`The media ${key} are no longer stored.`)
      await pipeline(through(read(items, blob, part, sealer)), createWriteStream(path))
    },
    list: async (prefix) => [...(await blobKeysUnder(items, prefix))],
  })

  return {
    of,
    async erase(instance) {
      add(-(await removeOwner(items, instance)))
    },
  }
}

async function* read(
  items: BlobItems,
  { key, bytes }: Piece,
  { offset, size }: BlobPart,
  sealer: Sealer,
): AsyncGenerator<Buffer> {
  const end = offset + size
  for (let index = Math.floor(offset / PIECE); index * PIECE < end; index++) {
    const piece = { key, index, bytes }
    const plain = sealer.open(sealedAs(piece), await getPiece(items, piece))
    yield plain.subarray(Math.max(0, offset - index * PIECE), end - index * PIECE)
  }
}

const sealPiece = (sealer: Sealer, piece: Piece, bytes: Uint8Array) => sealer.seal(sealedAs(piece), bytes)

const sealedAs = ({ key, index, bytes }: Piece) => `${key}#${index}/${piecesOf(bytes)}`

/** Converts every error of a driver to a storage failure, so that the work is retried. */
function failingAsStorage(items: BlobItems): BlobItems {
  const asked =
    <A extends unknown[], T>(ask: (...input: A) => Promise<T>) =>
    (...input: A): Promise<T> =>
      ask(...input).catch((cause: unknown) => {
        if (isStorageFailure(cause)) throw cause
        throw new StorageFailure('The stored media could not be used.', { cause, isOfMedia: true })
      })
  return {
    getItemRaw: asked(items.getItemRaw) as BlobItems['getItemRaw'],
    setItemRaw: asked(items.setItemRaw),
    removeItem: asked(items.removeItem),
    getKeys: asked(items.getKeys),
    forget: asked(items.forget),
    removeDrafts: asked(items.removeDrafts),
  }
}
