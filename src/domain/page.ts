export interface PageQuery {
  page: number
  page_size: number
}

export interface Page<T> extends PageQuery {
  data: T[]
  total: number
}

/** The first page is page 1. Returns an empty list for a page after the last one. */
export const onPage = <T>(all: readonly T[], { page, page_size }: PageQuery): T[] =>
  all.slice((page - 1) * page_size, page * page_size)

export const pageOf = <T, U>(all: readonly T[], { page, page_size }: PageQuery, render: (entry: T) => U): Page<U> => ({
  data: onPage(all, { page, page_size }).map(render),
  page,
  page_size,
  total: all.length,
})
