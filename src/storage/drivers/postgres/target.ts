/** The database that a store URL names: `postgres://user:password@host:port/database?schema=svc`. */

export interface Target {
  /** For the client: without the parameters that only we know. */
  url: string
  schema: string
  /** Host, port and database, for messages: never the password. */
  shown: string
}

const SCHEMA = 'svc'
/** A name that is the same with and without quotes, and is no longer than PostgreSQL allows. */
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/

export function targetOf(url: string): Target {
  const parts = new URL(url)
  const schema = parts.searchParams.get('schema') ?? SCHEMA
  if (!IDENTIFIER.test(schema) || schema.startsWith('pg_')) {
    throw new Error(
      'The schema in the store URL must consist of lower-case letters, digits and "_", and must not begin with "pg_".',
    )
  }
  // A Unix socket is named by a parameter.
  const host = parts.searchParams.get('host') ?? parts.host
  for (const own of ['schema', 'folder']) parts.searchParams.delete(own)
  return { url: parts.href, schema, shown: `${host}${parts.pathname}, schema ${schema}` }
}
