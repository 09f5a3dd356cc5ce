/** The variables that place the store of a service, for services whose data folder is `dir`. */
import { createHash } from 'node:crypto'
import { withSchema } from '../../src/domain/store-url.ts'

/** URL of a PostgreSQL server, as `scripts/test-postgres.mjs` gives it. Without it every store is in its data folder. */
const server = process.env.TEST_POSTGRES || undefined

/** Key of all stores that are in PostgreSQL, which have no folder for a generated one. */
export const SECRET_KEY = '5e'.repeat(32)

/** Variables that place the store in the PostgreSQL server, in a schema of its own. */
export const postgresEnv = (url: string, dir: string): Record<string, string> => ({
  SVC_STORE_URL: withSchema(url, `of_${createHash('sha256').update(dir).digest('hex').slice(0, 24)}`),
  SVC_SECRET_KEY: SECRET_KEY,
})

export const storeEnv = (dir: string): Record<string, string> => (server === undefined ? {} : postgresEnv(server, dir))
