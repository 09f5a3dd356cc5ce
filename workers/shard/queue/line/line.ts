/** The waiting items of a queue, in the order of their ids, without the item in flight. */

import type { Waiting } from '../item.ts'
import type { Holds } from './holds.ts'

export interface Line {
  readonly items: readonly Waiting[]
  /** The next item to send: the first that others need not overtake. */
  next(): Waiting | undefined
  /** Inserts items by their ids: items before them may have been sent in the meantime, or wait aside. */
  insert(...items: Waiting[]): void
  /** Takes out one item, which is usually the first. */
  take(item: Waiting): void
  remove(gone: readonly Waiting[]): void
}

export function createLine(holds: Pick<Holds, 'of'>): Line {
  let items: Waiting[] = []

  return {
    get items() {
      return items
    },
    next: () => items.find((item) => holds.of(item) === undefined),
    insert(...added) {
      for (const item of added) {
        // Nearly always at the end.
        let at = items.length
        while (at > 0 && items[at - 1]!.svcId > item.svcId) at--
        items.splice(at, 0, item)
      }
    },
    take: (item) => void items.splice(items.indexOf(item), 1),
    remove(gone) {
      const set = new Set(gone)
      items = items.filter((item) => !set.has(item))
    },
  }
}
