/** The URL by which the operator names the store: `<backend>:<directory>`. Backends are those that can commit (storage/contract.ts). */
const STORE_BACKENDS = ['lmdb'] as const
export type StoreBackend = (typeof STORE_BACKENDS)[number]

/** Form of a URL, for sentences. */
export const STORE_URLS = STORE_BACKENDS.map((name) => `${name}:<directory>`).join(' or ')

/** Parses a store URL. Undefined if it names no supported backend, or no directory. */
export function parseStoreUrl(url: string): { backend: StoreBackend; dir: string } | undefined {
  const [, name = '', dir = ''] = /^([a-z0-9]+):(.+)$/s.exec(url) ?? []
  const backend = STORE_BACKENDS.find((each) => each === name)
  return backend && { backend, dir }
}
