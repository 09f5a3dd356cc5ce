/**
 * Positions between the ids of rows, so that a read skips removed rows:
 *   gone        no row up to this id is left on disk
 *   passed      every row on disk from `gone` to this id is aside, taken, or in memory because it was committed late
 *   known       every waiting row up to this id is in memory
 */

const END = '~'

/** Returns a text that sorts before this id and after nearly all smaller ids. */
const before = (id: string) => id.slice(0, -1)

export interface LinePositions {
  readonly gone: string
  readonly known: string
  readonly isAllKnown: boolean
  /** Records that every waiting row up to this id is in memory, or all waiting rows if the id is undefined. */
  knownUpTo(id: string | undefined): void
  /** Records that the rows with these ids were dropped from memory, so that the next read begins before them. */
  readAgain(ids: readonly string[]): void
  stored(id: string): void
  passedBy(id: string): void
  aside(id: string): void
  noneAside(): void
  /** Records that the row has ended. Call this only if no earlier row waits in memory or is taken. */
  ended(id: string): void
  oldest(id: string): void
}

export function createLinePositions(): LinePositions {
  let gone = ''
  let passed = ''
  let known = ''
  /** Lower bound: no row that is aside has a smaller id. */
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
