/** Limits the rows about sent messages, by age, number and bytes. The oldest are removed. */
import type { Op } from '../../../src/storage/contract.ts'
import { REMOVED_AT_ONCE } from '../../../src/storage/remove-all.ts'
import type { FacetContext } from './facets.ts'
import { timeOf } from './sent-rows.ts'

const SLACK = 1.1

export interface SentLimitsDeps extends Pick<FacetContext, 'store' | 'clock' | 'retention'> {
  prefixes: readonly string[]
  maxMessages: number
  maxBytes: number
  isOld(at: number): boolean
  neededKey(): string
}

export interface SentLimits {
  added(rows: number, bytes: number): void
  cleared(): void
}

export function createSentLimits(deps: SentLimitsDeps): SentLimits {
  const { store, clock, retention, prefixes, maxMessages, maxBytes, isOld, neededKey } = deps
  /** Upper bounds: rows that were replaced or removed since the last sweep are still counted. */
  let count = 0
  let bytes = 0
  const sweepSoon = retention.covers(sweep, 'expired sent messages could not be removed')

  async function sweep(isOver: () => boolean) {
    const found: { key: string; at: number; size: number }[] = []
    count = 0
    bytes = 0
    for (const prefix of prefixes)
      for await (const [key, value] of store.range(prefix))
        found.push({ key, at: Math.min(timeOf(value), clock.now()), size: value.byteLength })
    found.sort((a, b) => b.at - a.at)
    const needed = neededKey()
    let kept = 0
    const gone = found.filter(({ key, at, size }, index) => {
      const isKept = key === needed || (!isOld(at) && index < maxMessages && kept + size <= maxBytes)
      if (isKept) kept += size
      return !isKept
    })
    count += found.length - gone.length
    bytes += kept
    for (let from = 0; from < gone.length && !isOver(); from += REMOVED_AT_ONCE)
      await store.commit({ ops: gone.slice(from, from + REMOVED_AT_ONCE).map(({ key }): Op => [key, null]) })
  }

  return {
    added(rows, size) {
      count += rows
      bytes += size
      if (count > maxMessages * SLACK || bytes > maxBytes * SLACK) sweepSoon()
    },
    cleared() {
      count = 0
      bytes = 0
    },
  }
}
