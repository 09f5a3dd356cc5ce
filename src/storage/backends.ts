/**
 * Maps store URLs to backends. A further backend needs a line here and in `domain/store-url.ts`, and a row in
 * `test/contract/storage-backends.ts`.
 */
import { parseStoreUrl, STORE_URLS, type StoreUrl } from '../domain/store-url.ts'
import { lmdbBackend } from './backends/lmdb-backend.ts'
import type { Backend } from './store-backend.ts'

/**
 * Functions that load and create a backend. A backend other than the default one is loaded only for a URL that names
 * it.
 */
const BACKENDS: { [Name in StoreUrl['backend']]: (url: Extract<StoreUrl, { backend: Name }>) => Promise<Backend> } = {
  lmdb: async ({ dir }) => lmdbBackend(dir),
  memory: async ({ name }) => (await import('./backends/memory-backend.ts')).memoryBackend(name),
  postgres: async ({ url }) => (await import('./backends/postgres-backend.ts')).postgresBackend(url),
}

export async function backendOf(url: string): Promise<Backend> {
  const parts = parseStoreUrl(url)
  if (parts === undefined) throw new Error(`The store URL is ${JSON.stringify(url)}; it must be ${STORE_URLS}.`)
  return (BACKENDS[parts.backend] as (parts: StoreUrl) => Promise<Backend>)(parts)
}
