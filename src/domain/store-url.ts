/** How the operator names what keeps the state: `<backend>:<directory>`. Backends are those that can commit (storage/contract.ts). */
export const STORE_BACKENDS = ['lmdb'] as const
export type StoreBackend = (typeof STORE_BACKENDS)[number]

/** What a URL may look like, for a sentence. */
export const STORE_URLS = STORE_BACKENDS.map((name) => `${name}:<directory>`).join(' or ')

/** Undefined: it names no backend that serves, or no directory. */
export function parseStoreUrl(url: string): { backend: StoreBackend; dir: string } | undefined {
  const [, name = '', dir = ''] = /^([a-z0-9]+):(.+)$/s.exec(url) ?? []
  const backend = STORE_BACKENDS.find((each) => each === name)
  return backend && { backend, dir }
}
