/** The current page. It is the part of the address after `#`, because the dashboard is a single document. */
import { signal } from '@preact/signals'

export interface Route {
  /** Parts of the path: `#/instances/5f0b…/queue` has `instances`, `5f0b…` and `queue`. */
  path: readonly string[]
  query: URLSearchParams
}

/**
 * Decodes a part of the path. A part that cannot be decoded (`%`, `%zz`) is returned unchanged; the page then reports
 * that it does not exist.
 */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) }
}

export const route = signal<Route>(read())
addEventListener('hashchange', () => {
  route.value = read()
})

export const go = (href: string) => {
  location.hash = href
}

export function to(path: readonly string[], query: Record<string, string | number | undefined> = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = set.length > 0 ? `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}` : ''
  return `#/${path.map(encodeURIComponent).join('/')}${search}`
}

export function setQuery(values: Record<string, string | number | undefined>): void {
  const { path, query } = route.peek()
  history.replaceState(null, '', to(path, { ...Object.fromEntries(query), ...values }))
  route.value = read()
}
