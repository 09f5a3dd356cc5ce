/**
 * Reserves space in lmdb's data file before lmdb writes. On a full disk, lmdb 3.5.6 overruns a buffer
 * (`mdb_page_flush`), which ends the process.
 *
 * Zeros are appended after the last page that lmdb uses; `O_APPEND` makes this safe for several threads and processes.
 * If the disk has no space, the commit is refused before lmdb is called.
 *
 * A file system with copy on write (btrfs, ZFS) writes to new blocks even inside a file, so there the disk must also
 * have free space.
 */
import { type BigIntStatsFs, closeSync, fstatSync, linkSync, openSync, statfsSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StorageFailure } from '../../domain/storage-failure.ts'
import type { Op } from '../contract.ts'
import { PRIVATE_FILE } from '../private.ts'

/**
 * For each thread, the number of bytes that its running commits may need. The number of a thread that died still
 * counts until its successor opens the store.
 */
export interface Claims {
  all: BigInt64Array
  own: number
}

export interface Shape {
  pageSize: number
  treeDepth: number
}

export interface Look {
  /**
   * Returns the page size and the depth of the tree. The values are cached, because lmdb is too slow to compute them
   * for every commit.
   */
  shape(): Shape
  /**
   * Returns the number of the last page. It asks lmdb each time, which is expensive, because lmdb-js creates an object
   * with a dozen numbers for each answer.
   */
  lastPageNumber(): number
}

const HEADROOM = 8 * 1_024 * 1_024
const STEP = 1_024 * 1_024
/**
 * Bytes for the commits of commands in other processes, which mostly write one or two records. The claims of those
 * processes are not visible here.
 */
const OTHERS = 1_024 * 1_024
/**
 * Bytes that are assumed for a usual commit of one or two messages: 60 KB of text, the keys, and the pages that lmdb
 * copies.
 */
const USUAL = 1_024 * 1_024
const FREE_LIST_PAGES = 16
const COPY_ON_WRITE: ReadonlySet<bigint> = new Set([0x9123683en, 0x2fc12fc1n, 0xca451a4en])

const ZEROS = Buffer.alloc(256 * 1_024)
/** Bytes of a slot in lmdb's lock file. The file has a header, and one slot per reader. */
const LOCK_SLOT = 64

export interface Room {
  /**
   * Reserves the space of a commit until the returned function is called. Throws `StorageFailure` if the disk has too
   * little space, or if its free space cannot be read.
   */
  take(ops: readonly Op[]): () => void
  isThere(): boolean
  close(): void
}

export function createLmdbRoom(dir: string, used: Look, claims: Claims): Room {
  const fd = openSync(join(dir, 'data.mdb'), 'a')
  const isCopying = COPY_ON_WRITE.has((statfsSync(dir, { bigint: true }) as BigIntStatsFs).type)
  Atomics.store(claims.all, claims.own, 0n)
  /**
   * Length of the file in bytes when it was last read. Other threads and processes may have made the file longer since.
   */
  let length = fstatSync(fd).size

  function grow(to: number): void {
    length = fstatSync(fd).size
    try {
      while (length < to) length += writeSync(fd, ZEROS, 0, Math.min(ZEROS.length, to - length))
    } catch {
      // A write that failed may have made the file longer, so the length is read again.
    }
    length = fstatSync(fd).size
  }

  const claimed = () => claims.all.reduce((sum, _, slot) => sum + Number(Atomics.load(claims.all, slot)), 0)

  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize
  }

  function has(more: number): boolean {
    const end = (used.lastPageNumber() + 1) * used.shape().pageSize + more
    if (length < end + HEADROOM - STEP) grow(end + HEADROOM)
    return length >= end && (!isCopying || freeBytes() >= more)
  }

  has(0)

  return {
    take(ops) {
      const bytes = BigInt(mostBytes(ops, used.shape()))
      const giveBack = () => void Atomics.sub(claims.all, claims.own, bytes)
      Atomics.add(claims.all, claims.own, bytes)
      try {
        if (has(claimed() + OTHERS)) return giveBack
      } catch (cause) {
        giveBack()
        throw new StorageFailure('The free space of the disk could not be read, so nothing was stored.', { cause })
      }
      giveBack()
      throw new StorageFailure('The disk is full, so nothing was stored.', { isFull: true })
    },
    isThere: () => has(claimed() + OTHERS + USUAL),
    close: () => closeSync(fd),
  }
}

/**
 * Returns an upper bound of the bytes that a commit adds. Each record copies the pages on its path in the tree and, at
 * worst, splits each of them.
 */
function mostBytes(ops: readonly Op[], { pageSize, treeDepth }: Shape): number {
  let pages = FREE_LIST_PAGES
  for (const [, value] of ops) {
    pages += 2 * (treeDepth + 1)
    if (value !== null && value.byteLength > pageSize / 4) pages += Math.ceil((value.byteLength + 64) / pageSize)
  }
  return pages * pageSize
}

/**
 * Throws if the disk has no space for a new store. Called before a store is created, because opening it writes lmdb's
 * first pages without this check.
 */
export function checkRoom(dir: string): void {
  const { bavail, bsize } = statfsSync(dir)
  if (bavail * bsize < HEADROOM)
    throw new StorageFailure(`A new store in ${dir} needs ${HEADROOM} bytes of free disk space.`, { isFull: true })
}

/**
 * Creates lmdb's lock file if it is missing. lmdb would create it with holes and write to it through mapped memory,
 * which ends the process (SIGBUS) on a full disk.
 */
export function makeLockFile(dir: string, readers: number): void {
  const draft = join(dir, `lock-${process.pid}-${Math.random().toString(36).slice(2)}.tmp`)
  const fd = openSync(draft, 'wx', PRIVATE_FILE)
  try {
    const bytes = Buffer.alloc((readers + 4) * LOCK_SLOT)
    let written = 0
    while (written < bytes.length) written += writeSync(fd, bytes, written)
    linkSync(draft, join(dir, 'lock.mdb'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    closeSync(fd)
    unlinkSync(draft)
  }
}
