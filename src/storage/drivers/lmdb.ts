/**
 * unstorage driver over lmdb that can do what `state:` needs: atomic batches and ordered ranges (contract.ts).
 *
 * One environment is opened by the main thread and every shard at once: lmdb serialises writers with a lock shared between threads and
 * readers never wait. Writes of one thread are grouped into one transaction by lmdb-js, in the order they were asked for.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as nextTimer, setImmediate as nextTurn } from 'node:timers/promises'
import { type Database, open } from 'lmdb'
import type { Driver } from 'unstorage'
import { isDiskFull, StorageFailure } from '../../domain/storage-failure.ts'
import { ownedBytes } from '../../lib/owned-bytes.ts'
import {
  type Batch,
  type CountOptions,
  checkOps,
  checkRecordKey,
  KEY_LIMIT,
  type RangeOptions,
  type StateStore,
} from '../contract.ts'
import { closeFile, PRIVATE_FOLDER } from '../private.ts'
import { removeAll } from '../remove-all.ts'
import { type Claims, checkRoom, createRoom, type Look, makeLockFile, type Shape } from './lmdb-room.ts'

/** Entries read per step of a range. Between two steps no read transaction is held, so a slow reader does not keep old pages alive. */
const RANGE_STEP = 128
/** One slot per thread with an open read transaction, in all processes together (a backup, a probe). */
const MAX_READERS = 512
/**
 * Addresses for the file's pages, which cost nothing before they are read. By default lmdb-js begins with 128 KB and maps the whole file anew at each
 * doubling, at another place; the maps before stay, and with them their pages: in memory a growing store was there twice. Beyond this it grows so.
 */
const MAP_BYTES = 16 * 1_024 ** 3

export interface LmdbDriver extends Driver, Pick<StateStore, 'get' | 'commit' | 'range' | 'count'> {
  options: { dir: string }
  /** Whether the disk has room for a commit. */
  hasRoom(): boolean
  /** A copy of one moment, in a folder that is there, also while others write: without what lmdb keeps free. */
  copyTo(dir: string): Promise<void>
  dispose(): Promise<void>
}

/** First string after every key that begins with the prefix. Keys are printable ASCII, so the last character can always be raised. */
const after = (prefix: string) => `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`

function bounds(prefix: string, from: string | undefined, reverse: boolean) {
  if (!reverse) {
    const inside = from !== undefined && from >= prefix
    const start = inside ? from : prefix === '' ? undefined : prefix
    return { start, exclusiveStart: inside, end: prefix === '' ? undefined : after(prefix) }
  }
  // In reverse lmdb starts at the higher key; `end` is inclusive there only when asked for, and the prefix itself may be a key.
  const top = prefix === '' ? undefined : after(prefix)
  const inside = from !== undefined && (top === undefined || from < top)
  return { start: inside ? from : top, exclusiveStart: true, end: prefix === '' ? undefined : prefix, inclusiveEnd: true }
}

/**
 * After these failures (EIO) nothing of lmdb can be used in this process any more, also when the disk works again; a new one begins with what is on
 * the disk. As of lmdb 3.5.6:
 *
 * - `MDB_PANIC`: it could not write which of its trees is the newest, and refuses everything from then on, reads as well. And lmdb-js then keeps a
 *   lock of its own that even `process.exit` waits for (`WriteWorker::Write` returns without unlocking).
 * - A page could not be written: the description has overrun its buffer (`lmdb-room.ts`), and the heap of the process is damaged.
 */
const OVER = /MDB_PANIC|Attempting to write page/

const isOver = (error: unknown): boolean => error instanceof Error && (OVER.test(error.message) || isOver(error.cause))

/** lmdb-js rejects with "Commit failed" and hands the reason over in a second promise, which must not stay without a listener. */
async function commitFailure(error: unknown): Promise<Error> {
  const reason = (error as { commitError?: Promise<never> }).commitError
  if (reason === undefined) return new StorageFailure('state: the commit failed', { cause: error })
  const cause = await Promise.race([reason.catch((found: unknown) => found), nextTurn(error)])
  return new StorageFailure('state: the commit failed; nothing of it was stored', { cause })
}

/** Commits between two looks at how deep the tree is: one level more takes as many records again as there are, a dozen times over. */
const DEPTH_EVERY = 1_000

/** The part of its file that lmdb uses. `getStats` begins a transaction and reads the list of free pages, which is too much for every commit. */
function createLook(db: Database<Uint8Array, string>): Look {
  const { env } = db as unknown as { env: { info(): { lastPageNumber: number } } }
  let known = db.getStats() as Shape
  let looks = 0
  return {
    shape() {
      if (++looks % DEPTH_EVERY === 0) known = db.getStats() as Shape
      // One more than it was: it may have grown since.
      return { pageSize: known.pageSize, treeDepth: known.treeDepth + 1 }
    },
    lastPageNumber: () => env.info().lastPageNumber,
  }
}

export const noStore = (dir: string) => `There is no store in ${dir}; start the service once, or name its folder in SVC_DATA_DIR.`

export interface LmdbOptions {
  dir: string
  /** Refuses where there is no store, and makes nothing. */
  mustExist?: boolean | undefined
  /** Shared by all threads that open the store. Absent: this one is the only one in its process. */
  claims?: Claims | undefined
  /** Called with the end of every commit that lmdb was asked for. */
  onCommit?: ((isStored: boolean) => void) | undefined
  /** The store takes and gives nothing any more before this process has ended. */
  onOver?: ((cause: unknown) => void) | undefined
}

export function lmdbDriver(options: LmdbOptions): LmdbDriver {
  const { dir, mustExist = false, claims = { all: new BigInt64Array(1), own: 0 }, onCommit, onOver } = options
  const isNew = !existsSync(join(dir, 'data.mdb'))
  if (mustExist && isNew) throw new Error(noStore(dir))
  try {
    // lmdb makes its files readable for everybody; where the folder was there before, they would be.
    mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER })
    if (!existsSync(join(dir, 'lock.mdb'))) makeLockFile(dir, MAX_READERS)
    if (isNew) checkRoom(dir)
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new StorageFailure(`The store in ${dir} has no free space: the disk is full.`, { cause, isFull: true })
  }
  const db: Database<Uint8Array, string> = open<Uint8Array, string>({
    path: dir,
    noSubdir: false,
    encoding: 'binary',
    maxDbs: 1,
    maxReaders: MAX_READERS,
    mapSize: MAP_BYTES,
    // A commit resolves after its fsync. (With overlapping sync, lmdb's default, it resolves before; measured no slower here.)
    overlappingSync: false,
    // Each batch states what belongs together. (The library's own grouping per turn makes a promise nobody holds: when a commit fails, on
    // a full disk say, its rejection would end the process.)
    eventTurnBatching: false,
  })
  for (const file of ['data.mdb', 'lock.mdb']) closeFile(join(dir, file))
  const room = createRoom(dir, createLook(db), claims)

  /**
   * A kept read transaction does not see what another thread has committed since. That it has is told by a message, and no message comes while
   * the promises of one callback are worked off: what they read is of one moment. (Each reset is followed by a timer of lmdb-js.)
   */
  let isOfNow = false
  function readOfNow() {
    if (isOfNow) return
    isOfNow = true
    process.nextTick(() => {
      isOfNow = false
    })
    ;(db as unknown as { resetReadTxn(): void }).resetReadTxn()
  }

  const read = (key: string) => {
    // It cannot have been written, and lmdb throws: parts of keys come from strangers (message ids), who can make them as long as they like.
    if (key.length > KEY_LIMIT) {
      return undefined
    }
    try {
      readOfNow()
      return db.getBinary(key)
    } catch (cause) {
      if (isOver(cause)) onOver?.(cause)
      throw new StorageFailure('state: a read failed', { cause })
    }
  }

  async function commit({ guard, ops }: Batch): Promise<boolean> {
    checkOps(ops)
    if (guard) checkRecordKey(guard.key)
    // Before the write thread reads them, the bytes of a view may have changed.
    const writes = ops.map(([key, value]) => [key, value === null ? null : ownedBytes(value)] as const)
    const write = () => {
      for (const [key, value] of writes) {
        if (value === null) db.remove(key)
        else db.put(key, value)
      }
      return true
    }
    if (writes.length === 0 && guard === undefined) return true
    const giveBack = room.take(ops)
    try {
      // A child transaction, because only that one is undone when something throws half-way.
      const isStored =
        guard === undefined
          ? await db.batch(write).then(() => true)
          : await db.childTransaction(() => same(db.getBinary(guard.key), guard.equals) && write())
      onCommit?.(true)
      return isStored
    } catch (error) {
      const failure = await commitFailure(error)
      onCommit?.(false)
      if (isOver(failure)) onOver?.(failure)
      throw failure
    } finally {
      giveBack()
    }
  }

  async function* range(prefix: string, { after: from, limit = Number.POSITIVE_INFINITY, reverse = false }: RangeOptions = {}) {
    let last = from
    for (let left = limit; left > 0; ) {
      const step = Math.min(left, RANGE_STEP)
      readOfNow()
      const page = [...db.getRange({ ...bounds(prefix, last, reverse), reverse, limit: step })]
      for (const { key, value } of page) yield [key, value] as const
      if (page.length < step) return
      left -= page.length
      last = page.at(-1)!.key
      // A long listing must not hold the event loop.
      await nextTurn()
    }
  }

  async function count(prefix: string, { from, before }: CountOptions = {}): Promise<number> {
    readOfNow()
    const { start, end } = bounds(prefix, undefined, false)
    const later = [start, from]
      .filter((key) => key !== undefined)
      .sort()
      .at(-1)
    const earlier = [end, before].filter((key) => key !== undefined).sort()[0]
    if (later !== undefined && earlier !== undefined && later >= earlier) return 0
    return db.getKeysCount({
      ...(later === undefined ? {} : { start: later }),
      ...(earlier === undefined ? {} : { end: earlier }),
    })
  }

  return {
    name: 'lmdb',
    options: { dir },
    hasRoom: room.isThere,
    async copyTo(to) {
      await db.backup(to, true)
      closeFile(join(to, 'data.mdb'))
    },
    get: async (key) => read(key),
    commit,
    range,
    count,
    hasItem: (key) => read(key) !== undefined,
    getItem: (key) => read(key)?.toString('utf8') ?? null,
    getItemRaw: (key: string) => read(key) ?? null,
    setItem: async (key, value) => void (await commit({ ops: [[key, Buffer.from(value)]] })),
    setItemRaw: async (key: string, value: Uint8Array) => void (await commit({ ops: [[key, value]] })),
    removeItem: async (key) => void (await commit({ ops: [[key, null]] })),
    async getKeys(base = '') {
      const found: string[] = []
      for await (const [key] of range(base)) found.push(key)
      return found
    },
    clear: (base = '') => removeAll({ range, commit }, base),
    async dispose() {
      // A read leaves a timer that lets its transaction go; on a closed environment it throws where nobody can catch it.
      await nextTimer(1)
      await db.close()
      room.close()
    },
  }
}

function same(found: Uint8Array | undefined, expected: Uint8Array | null): boolean {
  if (found === undefined || expected === null) return found === undefined && expected === null
  return Buffer.compare(found, expected) === 0
}
