/**
 * Keeps entries sorted. They are sorted again only after a change. Sorting begins with the previous order, so it is
 * fast.
 */
import { onPage } from '../../../src/domain/page.ts'
import type { Table } from './table.ts'

export interface Page<T> {
  entries: T[]
  total: number
}

export interface Order<T> {
  page(page: number, size: number): Page<T>
}

export function orderOf<T extends object>(
  table: Pick<Table<T>, 'values' | 'has' | 'revision'>,
  compare: (one: T, other: T) => number,
  isShown: (entry: T) => boolean = () => true,
): Order<T> {
  let revision = -1
  let sorted: T[] = []

  function sort() {
    const kept = sorted.filter(table.has)
    const known = new Set(kept)
    for (const entry of table.values()) if (!known.has(entry)) kept.push(entry)
    sorted = kept.sort(compare)
    revision = table.revision
  }

  return {
    page(page, size) {
      if (revision !== table.revision) sort()
      const shown = sorted.filter(isShown)
      return { entries: onPage(shown, { page, page_size: size }), total: shown.length }
    },
  }
}
