/**
 * Room in lmdb's data file, taken before lmdb is asked to write.
 *
 * lmdb must not meet a full disk: when the system refuses to make its file longer, lmdb 3.5.6 describes the failed write in a buffer of
 * 100 bytes that the description does not fit into (`mdb_page_flush`), and the process ends a moment later with a damaged heap. So the
 * file is always longer than what lmdb uses of it, by more than the commits under way can need. What is appended are zeros beyond the last
 * page, which lmdb neither reads nor minds: it writes at places of its own. `O_APPEND` makes that safe beside writers of other threads and
 * processes, because the kernel finds the end of the file and writes there in one step. When the disk does not give the room, the commit is
 * refused before lmdb is called, with nothing of it stored. The room is also what the service can still use when others have filled
 * the disk.
 *
 * Where a file system writes to new blocks even inside a file (copy on write: btrfs, ZFS), the room promises nothing; there some of the
 * disk must be free besides.
 */
import { type BigIntStatsFs, closeSync, fstatSync, linkSync, openSync, statfsSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StorageFailure } from '../../domain/storage-failure.ts'
import type { Op } from '../contract.ts'
import { PRIVATE_FILE } from '../private.ts'

/** Bytes that the commits under way may need, a slot for each thread that has the store open, so that one that dies takes its own along. */
export interface Claims {
  all: BigInt64Array
  own: number
}

/** As lmdb reports them. */
export interface Shape {
  pageSize: number
  treeDepth: number
}

export interface Look {
  /** Remembered. */
  shape(): Shape
  /** Asked for: lmdb-js makes an object of a dozen numbers each time. */
  lastPageNumber(): number
}

/** How much longer than needed the file is kept, and how much of that may be gone before it is made longer again. */
const HEADROOM = 8 * 1_024 * 1_024
const STEP = 1_024 * 1_024
/** For writers in other processes, whose claims are not seen: an operator's command writes a record or two. */
const OTHERS = 1_024 * 1_024
/** The most that a message or two usually need: 60 KB of text, and the keys. */
const USUAL = 1_024 * 1_024
/** Of a commit besides its records: the list of free pages. */
const FREE_LIST_PAGES = 16
/** `f_type` of file systems that copy on write. */
const COPY_ON_WRITE: ReadonlySet<bigint> = new Set([0x9123683en, 0x2fc12fc1n, 0xca451a4en])

const ZEROS = Buffer.alloc(256 * 1_024)
/** Size of lmdb's lock file: a head, and a slot of 64 bytes for each reader. */
const LOCK_SLOT = 64

export interface Room {
  /** Throws `StorageFailure` when the disk does not have it. Call what it returns when the commit is over. */
  take(ops: readonly Op[]): () => void
  /** Whether the usual commits would be taken now. */
  isThere(): boolean
  close(): void
}

export function createRoom(dir: string, used: Look, claims: Claims): Room {
  const fd = openSync(join(dir, 'data.mdb'), 'a')
  const isCopying = COPY_ON_WRITE.has((statfsSync(dir, { bigint: true }) as BigIntStatsFs).type)
  Atomics.store(claims.all, claims.own, 0n)
  /** Only ever grows; others make it longer, too. */
  let length = fstatSync(fd).size

  function grow(to: number): void {
    length = fstatSync(fd).size
    try {
      while (length < to) length += writeSync(fd, ZEROS, 0, Math.min(ZEROS.length, to - length))
    } catch {
      // Its progress before the error counts.
    }
    length = fstatSync(fd).size
  }

  const claimed = () => claims.all.reduce((sum, _, slot) => sum + Number(Atomics.load(claims.all, slot)), 0)

  function freeBytes(): number {
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize
  }

  /** The file as it is must hold this much beyond what lmdb uses. */
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
        throw new StorageFailure('state: the free space of the disk is unknown; nothing was stored', { cause })
      }
      giveBack()
      throw new StorageFailure('state: the disk is full; nothing was stored', { isFull: true })
    },
    isThere: () => has(claimed() + OTHERS + USUAL),
    close: () => closeSync(fd),
  }
}

/**
 * The most a commit can add to the file, in bytes: each record copies the pages on the way to it, and splits each of them at worst; a long
 * value has pages of its own.
 */
function mostBytes(ops: readonly Op[], { pageSize, treeDepth }: Shape): number {
  let pages = FREE_LIST_PAGES
  for (const [, value] of ops) {
    pages += 2 * (treeDepth + 1)
    if (value !== null && value.byteLength > pageSize / 4) pages += Math.ceil((value.byteLength + 64) / pageSize)
  }
  return pages * pageSize
}

/** Before a store is made: opening it writes lmdb's first pages, without a check of ours. */
export function checkRoom(dir: string): void {
  const { bavail, bsize } = statfsSync(dir)
  if (bavail * bsize < HEADROOM) throw new StorageFailure(`state: ${HEADROOM} bytes must be free in ${dir}`, { isFull: true })
}

/**
 * lmdb makes its lock file with holes and writes to it through memory, where a full disk is no error but the end of the process (SIGBUS).
 * So it finds one without holes. Put into place in one step: one that is there may be in use, and is not touched.
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
