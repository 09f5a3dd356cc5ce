/**
 * The contract of `state:`. unstorage has no transactions and no ordered listing, so its driver has these additional methods. All data that must not
 * be lost goes through them, and only through them.
 */

/**
 * `null` removes the key. Keys are ASCII, with parts joined by `:`. They have no `/` and `?`, because unstorage rewrites `/` and drops the part after
 * `?`.
 */
export type Op = readonly [key: string, value: Uint8Array | null]

export interface Batch {
  /** The whole batch is refused (`false`) unless the key has exactly these bytes, or with `null` unless the key is absent. */
  guard?: { key: string; equals: Uint8Array | null }
  ops: readonly Op[]
}

export interface RangeOptions {
  /** Exclusive start: only keys after this one (before it if reversed). */
  after?: string
  limit?: number
  /** Lists from the last key to the first. */
  reverse?: boolean
}

export interface CountOptions {
  /** Inclusive start. */
  from?: string | undefined
  /** Exclusive end. */
  before?: string | undefined
}

export interface StateStore {
  get(key: string): Promise<Uint8Array | undefined>
  /** Atomic, and durable (it survives a power loss) when it resolves. Resolves with false only if the guard refused. */
  commit(batch: Batch): Promise<boolean>
  /** Entries whose key begins with `prefix`, in key order, without a full scan. The result is not guaranteed to be a consistent snapshot. */
  range(prefix: string, options?: RangeOptions): AsyncIterable<readonly [key: string, value: Uint8Array]>
  /** Number of such entries, counted by the store itself: a hundred thousand take some milliseconds. */
  count(prefix: string, options?: CountOptions): Promise<number>
  close(): Promise<void>
}

/** Records that are in memory ahead of the disk and that every commit takes along. */
export interface Rider {
  /** Called in the turn of each commit, so the later of two commits with the same record has the newer state. */
  take(): readonly Op[]
  /** Called once for each `take` that returned operations, when its commit has ended. `isWritten` is false if it failed and none of it is on disk. */
  settled(ops: readonly Op[], isWritten: boolean): void
}

/** Longest key in characters. lmdb allows 1,978 bytes; the lower limit leaves room for other backends. */
export const KEY_LIMIT = 1_024

/**
 * Checks that every backend reads the key the same way: printable ASCII without the characters that unstorage rewrites. Otherwise it throws an error
 * with the key.
 */
export function checkRecordKey(key: string): void {
  if (key.length === 0 || key.length > KEY_LIMIT) {
    throw new RangeError(`A key of the store has 1 to ${KEY_LIMIT} characters, not ${key.length}: ${key.slice(0, 80)}`)
  }
  if (!/^[!-~]+$/.test(key) || /[/\\?]/.test(key)) {
    throw new RangeError(`A key of the store is printable ASCII without "/", "\\" and "?": ${JSON.stringify(key)}`)
  }
}

/** Checked before the first write of a batch, so that a bad operation changes nothing. */
export function checkOps(ops: readonly Op[]): void {
  for (const [key, value] of ops) {
    checkRecordKey(key)
    if (value !== null && !(value instanceof Uint8Array))
      throw new TypeError(`The value of the key ${key} must be bytes or null.`)
  }
}
