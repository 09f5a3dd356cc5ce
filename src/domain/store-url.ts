/**
 * The URL by which the operator names the store: `<backend>:<directory>`. Backends are those that can commit (storage/contract.ts).
 *
 * `postgres://…` is accepted in tests only (`SVC_TEST_STORE_URL`), until everything that needs a folder beside the store has a form without one. Until then
 * the URL has that folder as a parameter.
 */
const STORE_BACKENDS = ['lmdb'] as const
const POSTGRES = /^postgres(?:ql)?:\/\//
export type StoreBackend = (typeof STORE_BACKENDS)[number] | 'postgres'

/** Form of a URL, for sentences. */
export const STORE_URLS = STORE_BACKENDS.map((name) => `${name}:<directory>`).join(' or ')

/** Parses a store URL. Undefined if it names no supported backend, or no directory. */
export function parseStoreUrl(url: string): { backend: StoreBackend; dir: string } | undefined {
  if (POSTGRES.test(url))
    return URL.canParse(url) ? { backend: 'postgres', dir: new URL(url).searchParams.get('folder') ?? '' } : undefined
  const [, name = '', dir = ''] = /^([a-z0-9]+):(.+)$/s.exec(url) ?? []
  const backend = STORE_BACKENDS.find((each) => each === name)
  return backend && { backend, dir }
}

/** Returns the URL of another store in the database of `url`: with another schema, or with another folder beside it. */
export function postgresUrl(url: string, change: { schema?: string; folder?: string }): string {
  const parts = new URL(url)
  for (const [name, value] of Object.entries(change)) parts.searchParams.set(name, value)
  return parts.href
}
