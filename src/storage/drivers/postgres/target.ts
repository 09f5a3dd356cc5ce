/** The database that a store URL names: `postgres://user:password@host:port/database?schema=svc`. */
import { schemaOf, withParameter } from '../../../domain/store-url.ts'

export interface Target {
  /** The URL without the parameters that only this service understands. */
  url: string
  schema: string
  /** Row of the main thread in `svc_writer`; undefined if this is the main thread. */
  service: string | undefined
  /** Host, port and database for messages, never the password. */
  shown: string
}

/** Matches names that mean the same with and without quotes, and are not longer than PostgreSQL allows. */
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/

export function targetOf(url: string): Target {
  const parts = new URL(url)
  const schema = schemaOf(url)
  const service = parts.searchParams.get('service') ?? undefined
  if (!IDENTIFIER.test(schema) || schema.startsWith('pg_')) {
    throw new Error(
      'The schema in the store URL must consist of lower-case letters, digits and "_", and must not begin with "pg_".',
    )
  }
  // If the host is a Unix socket, its path is in the query parameter `host`.
  const host = parts.searchParams.get('host') ?? parts.host
  for (const own of ['schema', 'service']) parts.searchParams.delete(own)
  return { url: parts.href, schema, service, shown: `${host}${parts.pathname}, schema ${schema}` }
}

export const threadUrl = (url: string, writer: string | undefined): string =>
  writer === undefined ? url : withParameter(url, 'service', writer)
