/** Pages of a list as the API counts them, from 1 (shared/api/auth-and-limits.md, Pagination). */

export interface PageQuery {
  page: number
  page_size: number
}

export interface Page<T> extends PageQuery {
  data: T[]
  /** Of all pages. */
  total: number
}

/** The entries on one page; none past the end. */
export const onPage = <T>(all: readonly T[], { page, page_size }: PageQuery): T[] =>
  all.slice((page - 1) * page_size, page * page_size)

/** One page as the answer has it. */
export const pageOf = <T, U>(all: readonly T[], { page, page_size }: PageQuery, render: (entry: T) => U): Page<U> => ({
  data: onPage(all, { page, page_size }).map(render),
  page,
  page_size,
  total: all.length,
})
