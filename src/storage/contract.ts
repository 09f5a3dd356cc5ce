/**
 * Methods that a driver of `state:` must have in addition to those of unstorage, which has no transactions and no ordered listing. All data that must
 * not be lost goes through these methods, and only through them.
 */

/**
 * A write of one record. `null` removes the key. Keys are ASCII, with parts joined by `:`. They have no `/`, `\` and
 * `?`, because unstorage rewrites the slashes and drops the part after `?`.
 */
export type Op = readonly [key: string, value: Uint8Array | null]

export interface Batch {
  /** Condition for the whole batch: the key must have exactly these bytes, or with `null` be absent. Otherwise the batch is refused (`false`). */
  guard?: { key: string; equals: Uint8Array | null }
  ops: readonly Op[]
}

export interface RangeOptions {
  /** Start of the range, exclusive: only keys after this key (in reverse order: before this key). */
  after?: string
  limit?: number
  /** Lists from the last key to the first. */
  reverse?: boolean
}

export interface CountOptions {
  /** Start of the range, inclusive. */
  from?: string | undefined
  /** End of the range, exclusive. */
  before?: string | undefined
}

export interface StateStore {
  get(key: string): Promise<Uint8Array | undefined>
  /**
   * Writes a batch atomically; the batch is durable (it survives a power loss) when the promise resolves. Resolves with
   * false only if the guard refused.
   */
  commit(batch: Batch): Promise<boolean>
  /**
   * Yields the entries whose key begins with `prefix`, in key order, without a full scan. The result is not guaranteed
   * to be a consistent snapshot.
   */
  range(prefix: string, options?: RangeOptions): AsyncIterable<readonly [key: string, value: Uint8Array]>
  /**
   * Returns the number of entries whose key begins with `prefix`. The store itself counts them: a hundred thousand take
   * some milliseconds.
   */
  count(prefix: string, options?: CountOptions): Promise<number>
  /**
   * Makes an empty commit, to check that this service is still the one that may write. Rejects if another service has replaced it as the writer of
   * the store. Absent if only services on one machine could use the store.
   */
  confirm?(): Promise<void>
  /**
   * Returns the distinct ids that follow a prefix which ends with `:`. Absent if a read of each id costs nothing (`ids-under.ts`).
   */
  ids?(prefix: string): Promise<string[]>
  close(): Promise<void>
}

/** Source of records whose state in memory is newer than on disk. Every commit also writes these records. */
export interface Rider {
  /**
   * Returns the operations to add to a commit. It is called in the same turn of the event loop in which the commit is made. So if two commits contain
   * the same record, the later commit has the newer state.
   */
  take(): readonly Op[]
  /**
   * Runs once for each `take` that returned operations, when its commit has ended. `isWritten` is false if the commit
   * failed and none of it is on disk.
   */
  settled(ops: readonly Op[], isWritten: boolean): void
}

/** Longest key in characters. lmdb allows 1,978 bytes; the lower limit leaves room for other backends. */
export const KEY_LIMIT = 1_024

/**
 * Checks that every backend reads the key in the same way: it is not too long, and consists of printable ASCII without the characters that unstorage
 * rewrites. Throws an error that contains the key.
 */
export function checkRecordKey(key: string): void {
  if (key.length === 0 || key.length > KEY_LIMIT) {
    throw new RangeError(`A key of the store has 1 to ${KEY_LIMIT} characters, not ${key.length}: ${key.slice(0, 80)}`)
  }
  if (!/^[!-~]+$/.test(key) || /[/\\?]/.test(key)) {
    throw new RangeError(`A key of the store is printable ASCII without "/", "\\" and "?": ${JSON.stringify(key)}`)
  }
}

/** Checks a whole batch before its first write, so that an invalid operation changes nothing. */
export function checkOps(ops: readonly Op[]): void {
  for (const [key, value] of ops) {
    checkRecordKey(key)
    if (value !== null && !(value instanceof Uint8Array))
      throw new TypeError(`The value of the key ${key} must be bytes or null.`)
  }
}
