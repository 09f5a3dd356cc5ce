/**
 * Rows of a bounded age and number, which are looked up by their key and never listed: they lie in two generations. A new one begins when
 * the newer is as old as the term or full, and then the older goes: a row stays for one to two terms, or until as many newer ones have
 * come as a generation holds. Only rows that go are ever listed.
 */
import type { Clock } from '../domain/clock.ts'
import type { Op, StateStore } from './contract.ts'

export interface Term {
  ms: number
  /** Of one generation; `Infinity`: it ends by its age alone, and nothing is counted at a start. */
  rows: number
  bytes: number
}

export interface GenerationsOptions extends Term {
  store: StateStore
  clock: Clock
  /** Of all rows; what follows begins with the generation. */
  prefix: string
}

export interface Generations {
  load(): Promise<void>
  /** Where a new row goes. `isNew`: it begins a generation, and an older one has to go. */
  next(hash: string): { key: string; isNew: boolean }
  /** A row of so many bytes is about to be committed. */
  count(size: number): void
  /** Where a row may lie, the newer generation first. */
  keys(hash: string): string[]
  /** At most so many rows of those that have to go, in one commit; false: there are none left. */
  removeOld(limit: number): Promise<boolean>
  /** Everything was removed. */
  forgotten(): void
}

/** 13 digits of epoch ms sort as text until the year 2286. */
const DIGITS = 13

export function createGenerations({ store, clock, prefix, ...term }: GenerationsOptions): Generations {
  /** When the two began, epoch ms. */
  let newer: number | null = null
  let older: number | null = null
  /** Of the newer one; upper bounds, as a commit may fail. */
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
        // Two that begin in the same millisecond would be one.
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
    async removeOld(limit) {
      // A generation that begins meanwhile begins later than now.
      const end = beginOf(Math.min(clock.now(), ...inUse()))
      const ops: Op[] = []
      for await (const [key] of store.range(prefix, { limit })) if (key < end) ops.push([key, null])
      if (ops.length > 0) await store.commit({ ops })
      return ops.length > 0
    },
    forgotten() {
      newer = null
      older = null
      rows = 0
      bytes = 0
    },
  }
}
