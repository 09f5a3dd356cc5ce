/**
 * Places rows so that one group cannot evict the rows of all others. Rows belong to groups (chats), and a group has only a small share of a
 * generation. Rows above this share are stored in separate generations for crowded groups. So a flood of messages in one chat evicts only rows of
 * crowded chats.
 */
import { createGenerations, type Generations, type GenerationsOptions } from './generations.ts'

/** Share of a generation for one group: at least 64 flooding groups are needed to evict the rows of a quiet group. */
const SHARE = 1 / 64
/** Number of rows that every group may have, however small a generation is. */
const MIN_ROWS = 8

export interface Place {
  key: string
  /** True if the row begins a generation, so that an older generation must be removed. */
  isNew: boolean
  /** Counts a row of this size, which is about to be committed at this place. */
  count(size: number): void
}

export interface FairGenerations extends Pick<Generations, 'load' | 'keys' | 'removeOld' | 'forgotten'> {
  /** Returns the place (with the key) of a new row of this group. */
  next(hash: string, group: string): Place
}

export interface FairGenerationsOptions extends GenerationsOptions {
  /** Prefix of the rows above the share of their group. */
  crowdPrefix: string
}

export function createFairGenerations({ crowdPrefix, ...options }: FairGenerationsOptions): FairGenerations {
  const quiet = createGenerations(options)
  const crowd = createGenerations({ ...options, prefix: crowdPrefix })
  const both = [quiet, crowd]
  const most = { rows: Math.max(MIN_ROWS, options.rows * SHARE), bytes: options.bytes * SHARE }
  /**
   * Number and bytes of the rows of each group in the newer quiet generation (the one without the rows above a share). This thread counts them, and
   * begins at 0 after a start.
   */
  const shares = new Map<string, { rows: number; bytes: number }>()

  const isCrowded = (group: string) => {
    const { rows, bytes } = shares.get(group) ?? { rows: 0, bytes: 0 }
    return rows >= most.rows || (rows >= MIN_ROWS && bytes >= most.bytes)
  }

  return {
    next(hash, group) {
      if (isCrowded(group)) return { ...crowd.next(hash), count: crowd.count }
      const place = quiet.next(hash)
      if (place.isNew) shares.clear()
      return {
        ...place,
        count(size) {
          quiet.count(size)
          const { rows, bytes } = shares.get(group) ?? { rows: 0, bytes: 0 }
          shares.set(group, { rows: rows + 1, bytes: bytes + size })
        },
      }
    },
    keys: (hash) => both.flatMap((each) => each.keys(hash)),
    async load() {
      await Promise.all(both.map((each) => each.load()))
    },
    async removeOld(isStopped) {
      for (const each of both) await each.removeOld(isStopped)
    },
    forgotten() {
      for (const each of both) each.forgotten()
      shares.clear()
    },
  }
}
