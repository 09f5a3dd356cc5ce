/**
 * Places rows so that the rows of one group (a chat) cannot displace those of all other groups. A group has a small
 * share of a generation of rows. Its further rows are stored in separate generations.
 */
import { createGenerations, type Generations, type GenerationsOptions } from './generations.ts'

const SHARE = 1 / 64
/** Number of rows that every group may have in a generation, even if its share is smaller. */
const MIN_ROWS = 8

export interface Place {
  key: string
  isNew: boolean
  count(size: number): void
}

export interface FairGenerations extends Pick<Generations, 'load' | 'keys' | 'removeOld' | 'forgotten'> {
  next(hash: string, group: string): Place
}

export interface FairGenerationsOptions extends GenerationsOptions {
  crowdPrefix: string
}

export function createFairGenerations({ crowdPrefix, ...options }: FairGenerationsOptions): FairGenerations {
  const quiet = createGenerations(options)
  const crowd = createGenerations({ ...options, prefix: crowdPrefix })
  const both = [quiet, crowd]
  const most = { rows: Math.max(MIN_ROWS, options.rows * SHARE), bytes: options.bytes * SHARE }
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
