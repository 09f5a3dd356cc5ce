/**
 * Chooses the keys of rows with a bounded age and number, in a newer and an older generation. When the newer generation
 * is too old or full, the next row begins another one, and the rows of the former older generation are removed.
 */
import type { Clock } from '../domain/clock.ts'
import type { StateStore } from './contract.ts'
import { removeBefore } from './remove-all.ts'
import type { Sweep } from './retention.ts'

export interface Term {
  ms: number
  /**
   * Maximum number of rows in a generation. If `rows` and `bytes` are both `Infinity`, a generation ends only by age.
   */
  rows: number
  bytes: number
}

export interface GenerationsOptions extends Term {
  store: StateStore
  clock: Clock
  prefix: string
}

export interface Generations {
  load(): Promise<void>
  /**
   * Returns the key for a new row. If `isNew` is true, the row begins a generation, and the caller must have outdated
   * rows removed.
   */
  next(hash: string): { key: string; isNew: boolean }
  /** Counts a row of this size in bytes. Must be called before the row is committed. */
  count(size: number): void
  /** Possible keys of a row; the key in the newer generation is first. */
  keys(hash: string): string[]
  /** Removes outdated rows, a bounded number in each commit. */
  removeOld: Sweep
  /** Starts again without any generation. Must be called after other code has removed all rows. */
  forgotten(): void
}

/**
 * Number of digits of a time in epoch ms. With 13 digits, the order as text is the order in time until the year 2286.
 */
const DIGITS = 13

export function createGenerations({ store, clock, prefix, ...term }: GenerationsOptions): Generations {
  /** Start of the newer generation in epoch ms. */
  let newer: number | null = null
  let older: number | null = null
  /**
   * Number of rows in the newer generation, and (`bytes`) their size, if one of them is limited. Both are upper bounds,
   * because a commit may fail.
   */
  let rows = 0
  let bytes = 0

  const beginOf = (since: number) => `${prefix}${String(since).padStart(DIGITS, '0')}:`
  const inUse = () => [newer, older].filter((since) => since !== null).filter((since) => clock.now() - since < 2 * term.ms)

  const isCounted = Number.isFinite(term.rows) || Number.isFinite(term.bytes)

  async function last(before?: string): Promise<number | null> {
    for await (const [key] of store.range(prefix, { reverse: true, limit: 1, ...(before ? { after: before } : {}) }))
      return Number(key.slice(prefix.length, prefix.length + DIGITS))
    return null
  }

  const isFull = (now: number) => newer === null || now - newer >= term.ms || rows >= term.rows || bytes >= term.bytes

  return {
    async load() {
      newer = await last()
      if (newer === null) return
      older = await last(beginOf(newer))
      if (!isCounted) return
      for await (const [, value] of store.range(beginOf(newer))) {
        rows++
        bytes += value.byteLength
      }
    },
    next(hash) {
      const now = clock.now()
      const isNew = isFull(now)
      if (isNew) {
        older = newer
        // The rows of two generations that begin in the same millisecond would have the same prefix.
        newer = Math.max(now, (newer ?? 0) + 1)
        rows = 0
        bytes = 0
      }
      return { key: beginOf(newer!) + hash, isNew }
    },
    count(size) {
      rows++
      bytes += size
    },
    keys: (hash) => inUse().map((since) => beginOf(since) + hash),
    // A generation that begins during the removal begins after the time that was read here, so it is not removed.
    removeOld: (isStopped) => removeBefore(store, prefix, () => beginOf(Math.min(clock.now(), ...inUse())), isStopped),
    forgotten() {
      newer = null
      older = null
      rows = 0
      bytes = 0
    },
  }
}
