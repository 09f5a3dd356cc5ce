/**
 * unstorage driver for lmdb, with atomic batches and ordered ranges.
 *
 * All threads use the same environment. Writers wait for one lock, and readers never wait.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as nextTimer, setImmediate as nextTurn } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { type Database, open } from 'lmdb'
import { defineDriver } from 'unstorage'
import { isDiskFull, StorageFailure } from '../../domain/storage-failure.ts'
import { ownedBytes } from '../../lib/owned-bytes.ts'
import { type Batch, type CountOptions, checkOps, checkRecordKey, KEY_LIMIT, type RangeOptions } from '../contract.ts'
import type { HoldCommits } from '../opening-turn.ts'
import { closeFile, PRIVATE_FOLDER } from '../private.ts'
import { NoStore, type OpenOptions, type StateDriver } from '../store-backend.ts'
import { type CommitHold, createCommitHold } from './commit-hold.ts'
import { openInTurn } from './lmdb-opening.ts'
import { checkRoom, createLmdbRoom, type Look, makeLockFile, type Shape } from './lmdb-room.ts'
import { unstorageItems } from './unstorage-items.ts'

/**
 * Entries that a range reads per step. No read transaction is open between two steps, so a slow reader does not keep
 * old pages in use.
 */
const RANGE_STEP = 128
/** Maximum number of open read transactions. Each thread of each process needs one. */
const MAX_READERS = 512
/**
 * Address space for the file, which costs nothing until pages are read. By default lmdb-js maps a growing file again
 * and again, and the old maps stay in memory.
 */
const MAP_BYTES = 16 * 1_024 ** 3
/** Maximum number of databases, as lmdb calls the named parts of a file. The records are in the unnamed part. */
const MAX_DBS = 1

export interface LmdbDriver extends StateDriver {
  hasRoom(): boolean
  /**
   * Holds the commits of all processes, from the moment at which the promise resolves until the returned function is
   * called.
   */
  holdCommits: HoldCommits
  /**
   * Copies the records of one point in time into an existing folder, even while other threads write. The copy has no
   * free pages.
   */
  copyTo(dir: string): Promise<void>
}

/**
 * Returns the first string that sorts after all keys with the prefix. Keys are printable ASCII, so the last character
 * can be incremented.
 */
const after = (prefix: string) => `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`

function bounds(prefix: string, from: string | undefined, reverse: boolean) {
  if (!reverse) {
    const inside = from !== undefined && from >= prefix
    const start = inside ? from : prefix === '' ? undefined : prefix
    return { start, exclusiveStart: inside, end: prefix === '' ? undefined : after(prefix) }
  }
  // In reverse order lmdb starts at the higher key, and includes the last key only if that is requested. The prefix
  // itself may also be a key.
  const top = prefix === '' ? undefined : after(prefix)
  const inside = from !== undefined && (top === undefined || from < top)
  return { start: inside ? from : top, exclusiveStart: true, end: prefix === '' ? undefined : prefix, inclusiveEnd: true }
}

/**
 * Failures (EIO) after which lmdb 3.5.6 can no longer be used in this process, even when the disk works again:
 *
 * - `MDB_PANIC`: lmdb could not write which of its trees is the newest, and refuses everything from then on.
 * - A page could not be written: lmdb has overrun a buffer, and the heap of the process is damaged.
 */
const OVER = /MDB_PANIC|Attempting to write page/

const isOver = (error: unknown): boolean => error instanceof Error && (OVER.test(error.message) || isOver(error.cause))

/**
 * Returns the failure of a commit with its reason. lmdb-js rejects with "Commit failed" and gives the reason in a
 * second promise, whose rejection must also be handled.
 */
async function commitFailure(error: unknown): Promise<Error> {
  const reason = (error as { commitError?: Promise<never> }).commitError
  if (reason === undefined) return new StorageFailure('The store could not write the records.', { cause: error })
  const cause = await Promise.race([reason.catch((found: unknown) => found), nextTurn(error)])
  return new StorageFailure('The store could not write the records, and none of them was stored.', { cause })
}

/**
 * Number of calls of `shape` after which the depth of the tree is read again. One more level needs about twelve times
 * as many records.
 */
const DEPTH_EVERY = 1_000

/**
 * Reads the shape of the store and caches it. `getStats` begins a transaction and reads the list of free pages, which
 * is too expensive for every commit.
 */
function createLook(db: Database<Uint8Array, string>): Look {
  const { env } = db as unknown as { env: { info(): { lastPageNumber: number } } }
  let known = db.getStats() as Shape
  let looks = 0
  return {
    shape() {
      if (++looks % DEPTH_EVERY === 0) known = db.getStats() as Shape
      // One more than the known depth, because the tree may have grown since the last check.
      return { pageSize: known.pageSize, treeDepth: known.treeDepth + 1 }
    },
    lastPageNumber: () => env.info().lastPageNumber,
  }
}

export const noStore = (dir: string) => `There is no store in ${dir}; start the service once, or name its folder in SVC_DATA_DIR.`

export interface LmdbOptions extends OpenOptions {
  dir: string
}

const OVER_SENTENCE = 'The disk failed in a way after which the store can no longer be read or written.'

/** Creates the folder and the lock file of the store if they are missing. */
function prepareFolder({ dir, mustExist = false }: LmdbOptions): void {
  const isNew = !existsSync(join(dir, 'data.mdb'))
  if (mustExist && isNew) throw new NoStore(noStore(dir))
  try {
    // lmdb creates files that other users can read, so the folder must be private.
    mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER })
    if (!existsSync(join(dir, 'lock.mdb'))) makeLockFile(dir, MAX_READERS)
    if (isNew) checkRoom(dir)
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause
    throw new StorageFailure(`The store in ${dir} has no free space: the disk is full.`, { cause, isFull: true })
  }
}

function openEnvironment(dir: string): Database<Uint8Array, string> {
  const db: Database<Uint8Array, string> = open<Uint8Array, string>({
    path: dir,
    noSubdir: false,
    encoding: 'binary',
    maxDbs: MAX_DBS,
    maxReaders: MAX_READERS,
    mapSize: MAP_BYTES,
    // With overlapping sync, the default of lmdb, a commit would resolve before its fsync. No loss of speed was
    // measured.
    overlappingSync: false,
    // If lmdb-js grouped the writes of a turn, it would create a promise without a handler, whose rejection would end
    // the process when a commit fails.
    eventTurnBatching: false,
  })
  for (const file of ['data.mdb', 'lock.mdb']) closeFile(join(dir, file))
  return db
}

const CLOSED = 'The store is closed.'

function createReads(
  db: Database<Uint8Array, string>,
  onOver: LmdbOptions['onOver'],
  isClosing: () => boolean,
): Pick<LmdbDriver, 'get' | 'range' | 'count'> {
  /**
   * True if the read transaction was renewed in this callback of the event loop. The transaction does not show later
   * commits of other threads, so the next callback must renew it.
   */
  let isOfNow = false
  function readOfNow() {
    if (isClosing()) throw new StorageFailure(CLOSED)
    if (isOfNow) return
    isOfNow = true
    process.nextTick(() => {
      isOfNow = false
    })
    ;(db as unknown as { resetReadTxn(): void }).resetReadTxn()
  }

  return {
    async get(key) {
      // No record has so long a key, and lmdb would throw for one above its own limit. Such keys are asked for, because
      // other people choose parts of keys (message ids).
      if (key.length > KEY_LIMIT) return undefined
      try {
        readOfNow()
        return db.getBinary(key)
      } catch (cause) {
        if (isOver(cause)) onOver?.(cause, OVER_SENTENCE)
        throw new StorageFailure('The store could not read a record.', { cause })
      }
    },
    async *range(prefix, { after: from, limit = Number.POSITIVE_INFINITY, reverse = false }: RangeOptions = {}) {
      let last = from
      for (let left = limit; left > 0; ) {
        const step = Math.min(left, RANGE_STEP)
        readOfNow()
        const page = [...db.getRange({ ...bounds(prefix, last, reverse), reverse, limit: step })]
        for (const { key, value } of page) yield [key, value] as const
        if (page.length < step) return
        left -= page.length
        last = page.at(-1)!.key
        await nextTurn()
      }
    },
    async count(prefix, { from, before }: CountOptions = {}) {
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
    },
  }
}

/**
 * Creates the function that commits. If the disk has no space for a commit, the commit is refused before it reaches
 * lmdb.
 */
function createCommit(
  db: Database<Uint8Array, string>,
  room: Pick<ReturnType<typeof createLmdbRoom>, 'take'>,
  { onCommit, onOver }: LmdbOptions,
  hold: CommitHold,
  isClosing: () => boolean,
): LmdbDriver['commit'] {
  const ownOps = (ops: Batch['ops']) => ops.map(([name, value]) => [name, value === null ? null : ownedBytes(value)] as const)

  function write(ops: Batch['ops']): true {
    for (const [key, value] of ops) {
      if (value === null) db.remove(key)
      // The bytes of a view may change before the write thread reads them.
      else db.put(key, ownedBytes(value))
    }
    return true
  }

  /**
   * Uses a child transaction, because only a child transaction is undone if its function throws an error. The function
   * runs later, so the bytes are copied first.
   */
  function writeIf({ key, equals }: NonNullable<Batch['guard']>, ops: Batch['ops']): Promise<boolean> {
    const own = ownOps(ops)
    return db.childTransaction(() => same(db.getBinary(key), equals) && write(own))
  }

  return async ({ guard, ops }: Batch) => {
    checkOps(ops)
    if (guard) checkRecordKey(guard.key)
    if (ops.length === 0 && guard === undefined) return true
    if (isClosing()) throw new StorageFailure(CLOSED)
    const giveBack = room.take(ops)
    try {
      const held = hold.isHeld() ? ownOps(ops) : undefined
      if (held !== undefined) await hold.end()
      const given = held ?? ops
      const isStored = guard === undefined ? await db.batch(() => write(given)).then(() => true) : await writeIf(guard, given)
      onCommit?.(true)
      return isStored
    } catch (error) {
      const failure = await commitFailure(error)
      onCommit?.(false)
      if (isOver(failure)) onOver?.(failure, OVER_SENTENCE)
      throw failure
    } finally {
      giveBack()
    }
  }
}

const lmdbDriver = defineDriver((options: LmdbOptions): LmdbDriver => {
  const { dir, claims = { all: new BigInt64Array(1), own: 0 } } = options
  const db = openEnvironment(dir)
  const room = createLmdbRoom(dir, createLook(db), claims)
  const hold = createCommitHold(db)
  let isClosing = false
  const refusing = () => isClosing
  const state = { ...createReads(db, options.onOver, refusing), commit: createCommit(db, room, options, hold, refusing) }
  return {
    name: 'lmdb',
    hasRoom: room.isThere,
    holdCommits: hold.begin,
    async copyTo(to) {
      await db.backup(to, true)
      closeFile(join(to, 'data.mdb'))
    },
    ...state,
    ...unstorageItems(state),
    async dispose() {
      // A read of lmdb-js sets a timer that releases its transaction. After `db.close`, the timer would throw an error
      // that nobody can catch. So no new reads begin, and the timers of earlier reads run first.
      isClosing = true
      await nextTimer(1)
      await db.close()
      room.close()
    },
  }
}) as (options: LmdbOptions) => LmdbDriver

function same(found: Uint8Array | undefined, expected: Uint8Array | null): boolean {
  if (found === undefined || expected === null) return found === undefined && expected === null
  return Buffer.compare(found, expected) === 0
}

/** Opens the store. The other threads use the environment that the main thread has opened, so they need no turn. */
export async function openLmdb(options: LmdbOptions): Promise<LmdbDriver> {
  prepareFolder(options)
  if (!isMainThread) return lmdbDriver(options)
  const { dir } = options
  const opening = await openInTurn(dir, { maxDbs: MAX_DBS, maxReaders: MAX_READERS, mapSize: MAP_BYTES })
  try {
    const driver = lmdbDriver(options)
    opening.mayHold(driver.holdCommits)
    return { ...driver, dispose: () => opening.end(driver.dispose) }
  } catch (error) {
    await opening.end(async () => {})
    throw error
  }
}
