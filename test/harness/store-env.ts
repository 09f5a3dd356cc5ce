/** Environment variables that say where the store of a service is, for services whose data folder is `dir`. */
import { createHash } from 'node:crypto'
import { withSchema } from '../../src/domain/store-url.ts'

/**
 * URL of the PostgreSQL server that `scripts/test-postgres.mjs` starts for the tests. If it is not set, `storeEnv`
 * leaves each store in the data folder of its service.
 */
const server = process.env.TEST_POSTGRES || undefined

/**
 * The secret key of all stores in PostgreSQL. It must be given, because a service with such a store does not generate
 * one.
 */
export const SECRET_KEY = '5e'.repeat(32)

export const postgresEnv = (url: string, dir: string): Record<string, string> => ({
  SVC_STORE_URL: withSchema(url, `of_${createHash('sha256').update(dir).digest('hex').slice(0, 24)}`),
  SVC_SECRET_KEY: SECRET_KEY,
})

export const storeEnv = (dir: string): Record<string, string> => (server === undefined ? {} : postgresEnv(server, dir))
