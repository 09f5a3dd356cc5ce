/**
 * Methods that a driver of records must have in addition to those of unstorage, which has no transactions and no
 * ordered listing.
 */

/**
 * A new value, or `null` to remove the key. Keys are printable ASCII, with parts joined by `:`. They must not contain
 * `/`, `\` or `?`, because unstorage rewrites these characters.
 */
export type Op = readonly [key: string, value: Uint8Array | null]

export interface Batch {
  /** Condition of the whole batch: the key must have exactly these bytes, or be absent for `null`. */
  guard?: { key: string; equals: Uint8Array | null }
  ops: readonly Op[]
}

export interface RangeOptions {
  /** Exclusive start of the range: only keys after this one, or before it in reverse order. */
  after?: string
  limit?: number
  /** Lists from the last key to the first. */
  reverse?: boolean
}

export interface CountOptions {
  from?: string | undefined
  before?: string | undefined
}

/**
 * Changes of the records that each service keeps in memory (`main-records/`). The store counts them: the version is the
 * number of changes so far.
 */
export interface ChangeFeed {
  version(): Promise<number>
  /**
   * Stores a batch that was decided at this version, and raises the version by one. Resolves with false, and stores
   * nothing, if the store has another version. Rejects if the batch was not sent before `until`, a value of
   * `performance.now`.
   */
  commit(version: number, ops: readonly Op[], until?: number): Promise<boolean>
  /** Reads the changes after this version. The whole result is of one moment. */
  since(version: number): Promise<Changes>
}

export interface Changes {
  version: number
  /**
   * The changed keys, each with its present value, or with undefined if the record was removed. The map itself is
   * undefined if the store no longer has all of the changes.
   */
  changed: ReadonlyMap<string, Uint8Array | undefined> | undefined
}

export interface StateStore {
  get(key: string): Promise<Uint8Array | undefined>
  /**
   * Writes a batch atomically. Unless the store is in memory, the batch is on disk when the promise resolves. Resolves
   * with false, and writes nothing, if the condition of the batch is not met.
   */
  commit(batch: Batch): Promise<boolean>
  /** Yields records in key order, without a full scan. The result need not be a consistent snapshot. */
  range(prefix: string, options?: RangeOptions): AsyncIterable<readonly [key: string, value: Uint8Array]>
  /** Counts keys inside the store, so a hundred thousand take only some milliseconds. */
  count(prefix: string, options?: CountOptions): Promise<number>
  /**
   * Makes an empty commit, which rejects if another service has replaced this service. Absent if only this machine can
   * use the store.
   */
  confirm?(): Promise<void>
  /**
   * The changes of the records that every service has in memory. Absent if only the processes of one machine can use
   * the store.
   */
  changes?: ChangeFeed
  /** Lists the distinct ids that follow a prefix, which ends with `:`. Absent if reading the ids one by one is fast. */
  ids?(prefix: string): Promise<string[]>
  close(): Promise<void>
}

/** Adds to the commits of an instance the records that are newer in memory than on disk. */
export interface Rider {
  /**
   * Returns the records to write. Called in the turn of the event loop in which the commit is made, so a later commit
   * has the newer state.
   */
  take(): readonly Op[]
  /**
   * Called after the commit of each `take` that returned operations. `isWritten` is false if none of them is on disk.
   */
  settled(ops: readonly Op[], isWritten: boolean): void
}

/** Maximum length of a key in characters; the limit of lmdb is 1,978 bytes. */
export const KEY_LIMIT = 1_024

/**
 * Printable ASCII without the space, `/`, `?` and `\`. The expression is created only once, because a commit checks
 * dozens of keys.
 */
const VALID_KEY = /^[!-.0->@-[\]-~]+$/

/**
 * Throws an error that shows the key, or its beginning, if the key is not valid. A key must be printable ASCII without
 * the space, not too long, and without the characters that unstorage rewrites.
 */
export function checkRecordKey(key: string): void {
  if (key.length === 0 || key.length > KEY_LIMIT) {
    throw new RangeError(`A key of the store has 1 to ${KEY_LIMIT} characters, not ${key.length}: ${key.slice(0, 80)}`)
  }
  if (!VALID_KEY.test(key)) {
    throw new RangeError(`A key of the store is printable ASCII without "/", "\\" and "?": ${JSON.stringify(key)}`)
  }
}

/**
 * Throws if an operation is invalid. All operations are checked before the first write, so an invalid one changes
 * nothing.
 */
export function checkOps(ops: readonly Op[]): void {
  for (const [key, value] of ops) {
    checkRecordKey(key)
    if (value !== null && !(value instanceof Uint8Array))
      throw new TypeError(`The value of the key ${key} must be bytes or null.`)
  }
}
