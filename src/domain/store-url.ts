/**
 * URL of a store: `<backend>:<place>`. `memory:new` is a new store in memory, which ends with its process. Other
 * threads open it as `memory:<name>`.
 */
const POSTGRES = /^postgres(?:ql)?:\/\//
const SCHEMA = 'svc'

export type StoreUrl =
  | { backend: 'lmdb'; dir: string }
  | { backend: 'postgres'; url: string }
  | { backend: 'memory'; name: string }

export const STORE_URLS = 'lmdb:<directory> or postgres://<user>:<password>@<host>/<database>'

/** Parses a store URL. Returns undefined if the URL is invalid, or names no supported backend. */
export function parseStoreUrl(url: string): StoreUrl | undefined {
  if (POSTGRES.test(url)) return URL.canParse(url) ? { backend: 'postgres', url } : undefined
  const [, name] = /^memory:([\w-]+)$/.exec(url) ?? []
  if (name !== undefined) return { backend: 'memory', name }
  const [, dir] = /^lmdb:(.+)$/s.exec(url) ?? []
  return dir === undefined ? undefined : { backend: 'lmdb', dir }
}

export const schemaOf = (url: string): string => new URL(url).searchParams.get('schema') ?? SCHEMA

export const withSchema = (url: string, schema: string): string => withParameter(url, 'schema', schema)

export function withParameter(url: string, name: string, value: string): string {
  const parts = new URL(url)
  parts.searchParams.set(name, value)
  return parts.href
}
