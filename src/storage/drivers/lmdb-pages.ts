/**
 * Checks lmdb's data file, because lmdb does not: an invalid page number in it ends the process. Each page in use must
 * be in the file, have the right kind and number, and be used once. Contents of records are not checked, because
 * decryption detects a change.
 *
 * The format is that of lmdb-js 3.5.6 (data version 2, little-endian; `mdb.c`).
 */
import { fstatSync, readSync } from 'node:fs'

const MAGIC = 0xbeefc0de
const DATA_VERSION = 2
const HEADER = 24
const NODE_HEADER = 8
const KIND = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const
const KINDS = 0x0f
const BIG_DATA = 0x01
const NO_PAGE = 0xffff_ffff_ffff_ffffn
/** Maximum depth of a tree. Cursors of lmdb support no deeper one. */
const MAX_DEPTH = 32
const SMALLEST_PAGE = 256
const LARGEST_PAGE = 65_536

export class Damage extends Error {}

export interface Meta {
  pageSize: number
  txnId: bigint
  lastPage: number
  free: Tree
  main: Tree
}

interface Tree {
  depth: number
  root: bigint
}

export interface PageReport {
  records: number
  usedPages: number
  pageSize: number
}

function readAt(fd: number, offset: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  let done = 0
  while (done < size) {
    const count = readSync(fd, bytes, done, size - done, offset + done)
    if (count === 0) throw new Damage('the file ends in the middle of a page')
    done += count
  }
  return bytes
}

const treeOf = (page: Buffer, at: number): Tree => ({ depth: page.readUInt16LE(at + 6), root: page.readBigUInt64LE(at + 40) })

function metaOf(page: Buffer, what: string): Meta {
  if (!(page.readUInt16LE(18) & KIND.meta) || page.readUInt32LE(24) !== MAGIC) throw new Damage(`its ${what} header is damaged`)
  const version = page.readUInt32LE(28)
  if (version !== DATA_VERSION) throw new Damage(`its ${what} header names the format ${version}, not ${DATA_VERSION}`)
  const pageSize = page.readUInt32LE(48)
  const isPower = (pageSize & (pageSize - 1)) === 0
  if (pageSize < SMALLEST_PAGE || pageSize > LARGEST_PAGE || !isPower)
    throw new Damage(`its ${what} header names pages of ${pageSize} bytes`)
  const lastPage = page.readBigUInt64LE(144)
  const mapSize = page.readBigUInt64LE(40)
  // Larger numbers count as damage, because lmdb would map that much memory.
  if (lastPage > 2n ** 40n || mapSize > 2n ** 46n) throw new Damage(`its ${what} header names an impossible size`)
  return {
    pageSize,
    txnId: page.readBigUInt64LE(152),
    lastPage: Number(lastPage),
    free: treeOf(page, 48),
    main: treeOf(page, 96),
  }
}

/** Returns the header of the newest commit. Both headers must be valid, because lmdb reads both. */
export function newestMeta(fd: number): Meta {
  if (fstatSync(fd).size < 2 * SMALLEST_PAGE) throw new Damage('the file is too short for a store')
  const first = metaOf(readAt(fd, 0, SMALLEST_PAGE), 'first')
  if (fstatSync(fd).size < 2 * first.pageSize) throw new Damage('the file is too short for a store')
  const second = metaOf(readAt(fd, first.pageSize, SMALLEST_PAGE), 'second')
  if (second.pageSize !== first.pageSize) throw new Damage('its two headers name different page sizes')
  return second.txnId > first.txnId ? second : first
}

/**
 * Checks all pages that `meta` refers to. The caller must keep a read transaction open, so that these pages are not
 * written during the check.
 */
export function checkPages(fd: number, meta: Meta): PageReport {
  const { pageSize, lastPage } = meta
  const room = pageSize - HEADER
  const inFile = Math.floor(fstatSync(fd).size / pageSize)
  const used = new Uint8Array(Math.max(inFile, 2))
  let usedPages = 2

  function use(page: number, count: number, by: string): void {
    if (!Number.isSafeInteger(page) || page < 2 || page > lastPage || count < 1)
      throw new Damage(`${by} names page ${page}, which is impossible`)
    if (page + count > inFile)
      throw new Damage(`${by} names page ${page + count - 1}, and the file ends after page ${inFile - 1}`)
    for (let each = page; each < page + count; each++) {
      if (used[each]) throw new Damage(`page ${each} is in use twice`)
      used[each] = 1
    }
    usedPages += count
  }

  function read(page: number, kind: number): Buffer {
    const bytes = readAt(fd, page * pageSize, kind === KIND.overflow ? HEADER : pageSize)
    if ((bytes.readUInt16LE(18) & KINDS) !== kind || bytes.readBigUInt64LE(0) !== BigInt(page))
      throw new Damage(`page ${page} is of the wrong kind`)
    return bytes
  }

  /** Yields the nodes of a page. Checks that they and their keys are within the page. */
  function* nodes(page: number, bytes: Buffer): Generator<{ at: number; key: Buffer }> {
    const lower = bytes.readUInt16LE(20)
    const upper = bytes.readUInt16LE(22)
    if (lower % 2 !== 0 || lower < 2 || lower > upper || upper > room) throw new Damage(`page ${page} has a damaged header`)
    for (let index = 0; index < lower / 2; index++) {
      const offset = bytes.readUInt16LE(HEADER + 2 * index)
      const at = HEADER + offset
      if (offset < upper || at + NODE_HEADER > pageSize) throw new Damage(`page ${page} names a record outside the page`)
      const keyEnd = at + NODE_HEADER + bytes.readUInt16LE(at + 6)
      if (keyEnd > pageSize) throw new Damage(`page ${page} has a key that ends outside the page`)
      yield { at, key: bytes.subarray(at + NODE_HEADER, keyEnd) }
    }
  }

  /**
   * Returns the pages directly below a branch page. The function `tree` sorts them, because pages are read faster in
   * the order of the file.
   */
  function branch(page: number): number[] {
    const bytes = read(page, KIND.branch)
    const below: number[] = []
    for (const { at } of nodes(page, bytes)) {
      const child = bytes.readUInt16LE(at) + bytes.readUInt16LE(at + 2) * 2 ** 16 + bytes.readUInt16LE(at + 4) * 2 ** 32
      use(child, 1, `page ${page}`)
      below.push(child)
    }
    return below
  }

  function leaf(page: number, compare: Compare, value?: (bytes: Buffer) => void): number {
    const bytes = read(page, KIND.leaf)
    let count = 0
    let before: Buffer | undefined
    for (const { at, key } of nodes(page, bytes)) {
      if (before && compare(before, key) >= 0) throw new Damage(`page ${page} has its records in the wrong order`)
      before = key
      count++
      const size = bytes.readUInt32LE(at)
      const data = at + NODE_HEADER + key.byteLength
      const isBig = (bytes.readUInt16LE(at + 4) & BIG_DATA) !== 0
      if (data + (isBig ? 24 : size) > pageSize) throw new Damage(`page ${page} has a record that ends outside the page`)
      if (!isBig) {
        value?.(bytes.subarray(data, data + size))
        continue
      }
      const first = bytes.readBigUInt64LE(data)
      const pages = Math.ceil((HEADER + size) / pageSize)
      use(Number(first), pages, `page ${page}`)
      if (read(Number(first), KIND.overflow).readUInt32LE(20) < pages)
        throw new Damage(`page ${first} is shorter than its record`)
      value?.(readAt(fd, Number(first) * pageSize + HEADER, size))
    }
    return count
  }

  function tree({ root, depth }: Tree, what: string, compare: Compare, value?: (bytes: Buffer) => void): number {
    if (root === NO_PAGE) return 0
    if (depth < 1 || depth > MAX_DEPTH) throw new Damage(`its header gives ${what} a depth of ${depth}`)
    use(Number(root), 1, 'its header')
    let level = [Number(root)]
    for (let left = depth; left > 1; left--) level = level.flatMap(branch).sort((a, b) => a - b)
    return level.reduce((count, page) => count + leaf(page, compare, value), 0)
  }

  const records = tree(meta.main, 'the records', Buffer.compare)
  tree(meta.free, 'the free pages', byNumber, (list) => checkFreeList(list, lastPage))
  return { records, usedPages, pageSize }
}

type Compare = (a: Buffer, b: Buffer) => number
/** Compares keys of the list of free pages, which are transaction ids. */
const byNumber: Compare = (a, b) => {
  if (a.byteLength !== 8 || b.byteLength !== 8) throw new Damage('the list of free pages has a damaged key')
  return Number(a.readBigUInt64LE(0) - b.readBigUInt64LE(0))
}

/**
 * Format of `list`: a count, then page numbers. The first page of a run follows the negative length of the run; 0 has
 * no meaning.
 */
function checkFreeList(list: Buffer, lastPage: number): void {
  const count = list.byteLength < 8 ? -1n : list.readBigUInt64LE(0)
  if (count < 0n || count > BigInt(list.byteLength / 8 - 1)) throw new Damage('the list of free pages is damaged')
  for (let index = 1; index <= Number(count); index++) {
    const entry = list.readBigInt64LE(8 * index)
    const page = entry < 0n ? -entry : entry
    if (page > BigInt(lastPage)) throw new Damage(`the list of free pages names page ${page}, which is impossible`)
  }
}
