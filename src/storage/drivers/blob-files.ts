/**
 * Stores the media of one blob in a file, `<folder>/<owner>/<blob>`, which is flushed when the last piece is written.
 * Until then the name of the file ends with `.tmp`, and backups leave it out. Unfinished files are listed too, so that
 * those of a killed thread are removed.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { defineDriver } from 'unstorage'
import { StorageFailure } from '../../domain/storage-failure.ts'
import type { BlobDriver } from '../blobs/items.ts'
import { type Piece, parsePiece, pieceNames, piecesOf, plainBytes, SEALED_PIECE, sealedBytes } from '../blobs/pieces.ts'
import { DRAFT, syncFolder, writeAll } from '../durable-files.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../private.ts'

export const blobFiles = defineDriver(({ dir }: { dir: string }): BlobDriver => {
  const base = resolve(dir)
  const pathOf = (key: string) => join(base, ...key.split(':'))
  const draftOf = (key: string) => pathOf(key) + DRAFT
  /** Owners whose folder is new: its name is not yet certain to be on disk. */
  const newOwners = new Set<string>()

  /**
   * Creates the file of a blob with its final length, in the same turn of the event loop in which the caller counts its
   * bytes. So if the thread dies, the remaining file has exactly the counted bytes.
   */
  function begin({ key, bytes }: Piece): void {
    makeFolder(ownerOf(key))
    const file = openSync(draftOf(key), 'w', PRIVATE_FILE)
    try {
      ftruncateSync(file, sealedBytes(bytes))
    } finally {
      closeSync(file)
    }
  }

  function makeFolder(owner: string): void {
    if (mkdirSync(join(base, owner), { recursive: true, mode: PRIVATE_FOLDER }) !== undefined) newOwners.add(owner)
  }

  async function write(piece: Piece, sealed: Uint8Array): Promise<void> {
    const { key, index, bytes } = piece
    if (index === 0) begin(piece)
    const isLast = index === piecesOf(bytes) - 1
    const handle = await open(draftOf(key), 'r+')
    try {
      await writeAll(handle, sealed, index * SEALED_PIECE)
      if (isLast) await handle.sync()
    } finally {
      await handle.close()
    }
    if (!isLast) return
    await rename(draftOf(key), pathOf(key))
    await syncFolders(ownerOf(key))
  }

  /**
   * Writes a blob in a folder of its own and then moves the file, because another process may write the same blob. A
   * folder that a kill leaves is removed like the media of an import that has ended.
   */
  async function writeWhole(key: string, sealed: Uint8Array): Promise<void> {
    const owner = ownerOf(key)
    const folder = join(base, `${owner}-${randomBytes(6).toString('hex')}`)
    const draft = join(folder, key.slice(owner.length + 1) + DRAFT)
    try {
      await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })
      await writeFile(draft, sealed, { flag: 'wx', mode: PRIVATE_FILE, flush: true })
      makeFolder(owner)
      await rename(draft, pathOf(key))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    await syncFolders(owner)
  }

  async function syncFolders(owner: string): Promise<void> {
    await syncFolder(join(base, owner))
    if (!newOwners.has(owner)) return
    await syncFolder(base)
    newOwners.delete(owner)
  }

  async function read({ key, index, bytes }: Piece): Promise<Uint8Array | null> {
    const handle = (await unlessGone(open(pathOf(key), 'r'))) ?? (await unlessGone(open(draftOf(key), 'r')))
    if (handle === undefined) return null
    try {
      const sealed = Buffer.alloc(Math.min(SEALED_PIECE, sealedBytes(bytes) - index * SEALED_PIECE))
      const { bytesRead } = await handle.read(sealed, 0, sealed.length, index * SEALED_PIECE)
      return sealed.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  }

  async function namesOf(key: string): Promise<string[]> {
    const found = (await unlessGone(stat(pathOf(key)))) ?? (await unlessGone(stat(draftOf(key))))
    return found?.isFile() ? pieceNames(key, plainBytes(found.size)) : []
  }

  const namesIn = async (folder: string) => (await unlessGone(readdir(folder))) ?? []
  const blobsIn = async (owner: string) =>
    new Set(((await unlessNoFolder(namesIn(join(base, owner)))) ?? []).map((name) => name.replace(DRAFT, '')))

  async function list(prefix = ''): Promise<string[]> {
    const [owner, blob] = prefix.split(':').filter(Boolean)
    if (owner !== undefined && blob !== undefined) return namesOf(`${owner}:${blob}`)
    const found: string[] = []
    for (const each of owner === undefined ? await namesIn(base) : [owner])
      for (const name of await blobsIn(each)) found.push(...(await namesOf(`${each}:${name}`)))
    return found
  }

  async function removeDrafts(): Promise<void> {
    for (const owner of await namesIn(base))
      for (const name of (await unlessNoFolder(namesIn(join(base, owner)))) ?? [])
        if (name.endsWith(DRAFT)) await rm(join(base, owner, name), { force: true })
  }

  return {
    name: 'blob-files',
    hasItem: async (name) => (await namesOf(pieceOf(name).key)).includes(name),
    getItem: async (name) => String(await asOfDisk(read(pieceOf(name)))),
    getItemRaw: (name: string) => asOfDisk(read(pieceOf(name))),
    setItemRaw: (name: string, sealed: Uint8Array) => asOfDisk(write(pieceOf(name), sealed)),
    setWhole: (key, sealed) => asOfDisk(writeWhole(key, sealed)),
    // One file contains all pieces. It is deleted with the first piece, which callers remove last.
    async removeItem(name) {
      const { key, index } = pieceOf(name)
      if (index === 0) for (const path of [pathOf(key), draftOf(key)]) await asOfDisk(rm(path, { force: true }))
    },
    getKeys: (prefix?: string) => asOfDisk(list(prefix)),
    forget: (owner) => asOfDisk(rm(join(base, owner), { recursive: true, force: true })),
    removeDrafts: () => asOfDisk(removeDrafts()),
  }
}) as (options: { dir: string }) => BlobDriver

const ownerOf = (key: string) => key.slice(0, key.indexOf(':'))

function pieceOf(name: string): Piece {
  const piece = parsePiece(name)
  if (piece === undefined) throw new RangeError(`${JSON.stringify(name)} is not the name of a piece of media.`)
  return piece
}

/**
 * Resolves with undefined if the path is not a folder. Other programs may have put files there, for example
 * `.DS_Store`.
 */
const unlessNoFolder = <T>(work: Promise<T>) => unless('ENOTDIR', work)
const unlessGone = <T>(work: Promise<T>) => unless('ENOENT', work)

const unless = <T>(code: string, work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error
    return undefined
  })

/**
 * Converts a failed system call to a storage failure, so that the work is retried. A missing file is handled before,
 * because it means that the blob does not exist.
 */
const asOfDisk = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: NodeJS.ErrnoException) => {
    const { code, syscall } = cause
    if (code === undefined || syscall === undefined) throw cause
    throw new StorageFailure(`A file of stored media could not be used: the system call ${syscall} failed.`, { cause })
  })
