/** Pages of a list, which the API counts from 1. */

export interface PageQuery {
  page: number
  page_size: number
}

export interface Page<T> extends PageQuery {
  data: T[]
  /** Number of entries on all pages. */
  total: number
}

/** Returns the entries of one page; empty after the last page. */
export const onPage = <T>(all: readonly T[], { page, page_size }: PageQuery): T[] =>
  all.slice((page - 1) * page_size, page * page_size)

/** Returns one page in the form of the answer. */
export const pageOf = <T, U>(all: readonly T[], { page, page_size }: PageQuery, render: (entry: T) => U): Page<U> => ({
  data: onPage(all, { page, page_size }).map(render),
  page,
  page_size,
  total: all.length,
})
