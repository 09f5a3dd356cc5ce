/** Environment variables that say where the store of a service is, for services whose data folder is `dir`. */
import { createHash } from 'node:crypto'
import { withSchema } from '../../src/domain/store-url.ts'

/**
 * URL of the PostgreSQL server that `scripts/test-postgres.mjs` gives. Without it, every store is in its data folder.
 */
const server = process.env.TEST_POSTGRES || undefined

/** The secret key for all stores in PostgreSQL. Such a store has no folder in which a generated key could be saved. */
export const SECRET_KEY = '5e'.repeat(32)

/** Returns the variables that place the store in a schema of the PostgreSQL server. */
export const postgresEnv = (url: string, dir: string): Record<string, string> => ({
  SVC_STORE_URL: withSchema(url, `of_${createHash('sha256').update(dir).digest('hex').slice(0, 24)}`),
  SVC_SECRET_KEY: SECRET_KEY,
})

export const storeEnv = (dir: string): Record<string, string> => (server === undefined ? {} : postgresEnv(server, dir))
