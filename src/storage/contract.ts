/**
 * The contract of `state:`. unstorage has no transaction and no ordered listing, so its driver carries these two methods more.
 * Everything that must not be lost goes through them, and only through them.
 */

/** `null` removes the key. Keys are ASCII, parts joined with `:`; unstorage rewrites `/` and drops what follows `?`, so neither is used. */
export type Op = readonly [key: string, value: Uint8Array | null]

export interface Batch {
  /** The whole batch is refused (`false`) unless the key holds exactly these bytes; `null`: unless it is absent. */
  guard?: { key: string; equals: Uint8Array | null }
  ops: readonly Op[]
}

export interface RangeOptions {
  /** Exclusive start: only keys after this one (before it when reversed). */
  after?: string
  limit?: number
  /** From the last key to the first. */
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
  /** Atomic, and durable (survives power loss) when it resolves. Resolves with false only when the guard refused. */
  commit(batch: Batch): Promise<boolean>
  /** Entries whose key begins with `prefix`, in key order, without a full scan. A consistent snapshot is not promised. */
  range(prefix: string, options?: RangeOptions): AsyncIterable<readonly [key: string, value: Uint8Array]>
  /** How many entries that is, counted by the store itself: a hundred thousand take some milliseconds. */
  count(prefix: string, options?: CountOptions): Promise<number>
  close(): Promise<void>
}

/** Records that are in memory ahead of the disk, and are written with the next commit. */
export interface Rider {
  /** Called in the turn of each commit: of two commits with the same record the later one has the newer state. */
  take(): readonly Op[]
  /** The commit that had them is over, once for each `take` that gave any. False: it failed, and nothing of it is on disk. */
  settled(ops: readonly Op[], isWritten: boolean): void
}

/** Longest key, in characters. lmdb takes 1,978 bytes; this leaves other backends room. */
export const KEY_LIMIT = 1_024

/** A key no backend can misread: printable ASCII without what unstorage rewrites. Throws otherwise, naming the key. */
export function checkRecordKey(key: string): void {
  if (key.length === 0 || key.length > KEY_LIMIT) {
    throw new RangeError(`state: a key has 1 to ${KEY_LIMIT} characters, not ${key.length}: ${key.slice(0, 80)}`)
  }
  if (!/^[!-~]+$/.test(key) || /[/\\?]/.test(key)) {
    throw new RangeError(`state: a key is printable ASCII without "/", "\\" and "?": ${JSON.stringify(key)}`)
  }
}

/** Checked before the first write of a batch, so that a bad one changes nothing. */
export function checkOps(ops: readonly Op[]): void {
  for (const [key, value] of ops) {
    checkRecordKey(key)
    if (value !== null && !(value instanceof Uint8Array)) throw new TypeError(`state: the value of ${key} must be bytes or null`)
  }
}
