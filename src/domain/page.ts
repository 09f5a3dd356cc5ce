export interface PageQuery {
  page: number
  page_size: number
}

export interface Page<T> extends PageQuery {
  data: T[]
  total: number
}

/** Returns the entries of a page. The first page is page 1. The list is empty for a page after the last one. */
export const onPage = <T>(all: readonly T[], { page, page_size }: PageQuery): T[] =>
  all.slice((page - 1) * page_size, page * page_size)

export const pageOf = <T, U>(all: readonly T[], { page, page_size }: PageQuery, render: (entry: T) => U): Page<U> => ({
  data: onPage(all, { page, page_size }).map(render),
  page,
  page_size,
  total: all.length,
})
