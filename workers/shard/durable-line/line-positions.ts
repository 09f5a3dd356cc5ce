/**
 * The positions in a durable line. Each position is the id of a row, or a text that sorts before or after all ids. A read begins after `known`, the
 * last of them, so it never ranges over removed rows:
 *
 *   gone        no row up to this id is left on disk
 *   passed      every row on disk from `gone` to this id is aside, taken, or in memory because it was committed late
 *   known       every waiting row up to this id is in memory
 *
 * A row can be committed after a row with a higher id, if their commits run at the same time, and a removed row can be added again under its old id.
 * In both cases `gone` moves back before this row. When a row is removed and no earlier row is left, `gone` moves forward to its id.
 */

/** Text that sorts after every id. */
const END = '~'

/** Returns a text that sorts before this id and after nearly all smaller ids. */
const before = (id: string) => id.slice(0, -1)

export interface LinePositions {
  readonly gone: string
  readonly known: string
  /** True if every waiting row is in memory. */
  readonly isAllKnown: boolean
  /** Reports that every waiting row up to this id is in memory now; without an id, that every waiting row is. */
  knownUpTo(id: string | undefined): void
  /** Reports that the rows in memory were dropped. The next read begins before these rows, and before all others that may have been in memory. */
  readAgain(ids: readonly string[]): void
  /** Reports that the row was written to disk, perhaps later than a row with a higher id. */
  stored(id: string): void
  /** Reports that this row is aside now. It was the first of the waiting rows. */
  passedBy(id: string): void
  /** Reports that the row is aside: it stays on disk, and later rows overtake it. */
  aside(id: string): void
  /** Reports that all rows that were aside wait again. */
  noneAside(): void
  /** Reports that the row has ended, and that no earlier row waits in memory or is taken. */
  ended(id: string): void
  /** Reports that this row is the oldest one on disk. */
  oldest(id: string): void
}

export function createLinePositions(): LinePositions {
  let gone = ''
  let passed = ''
  let known = ''
  /** Lower bound of the ids of the rows that are aside: no such row has a smaller id. */
  let firstAside = END

  function aside(id: string) {
    if (id < firstAside) firstAside = id
  }

  return {
    get gone() {
      return gone
    },
    get known() {
      return known
    },
    get isAllKnown() {
      return known === END
    },
    knownUpTo(id = END) {
      known = id
    },
    readAgain(ids) {
      for (const id of ids) if (id <= passed) passed = before(id)
      known = passed
    },
    stored(id) {
      if (id <= gone) gone = before(id)
    },
    passedBy(id) {
      if (id > passed) passed = id
      aside(id)
    },
    aside,
    noneAside() {
      passed = gone
      firstAside = END
    },
    ended(id) {
      if (id > known) return
      if (id > passed) passed = id
      if (id > gone && id <= firstAside) gone = id
    },
    oldest(id) {
      if (before(id) > gone) gone = before(id)
      if (gone > passed) passed = gone
      if (passed > known) known = passed
    },
  }
}
