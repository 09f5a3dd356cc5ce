/**
 * What `state:` must be able to do: unstorage has no transaction and no ordered listing, so its driver carries these two methods more.
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

export interface StateStore {
  get(key: string): Promise<Uint8Array | undefined>
  /** Atomic, and durable (survives power loss) when it resolves. Resolves with false only when the guard refused. */
  commit(batch: Batch): Promise<boolean>
  /** Entries whose key begins with `prefix`, in key order, without a full scan. A consistent snapshot is not promised. */
  range(prefix: string, options?: RangeOptions): AsyncIterable<readonly [key: string, value: Uint8Array]>
  close(): Promise<void>
}
