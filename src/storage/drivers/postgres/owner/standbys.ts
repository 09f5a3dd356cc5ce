/**
 * The standbys of a schema. Each standby puts its port into the name of its connection. So the owner finds the address of each standby without a
 * table, and asks it over HTTP whether it can reach the database.
 */
import { get } from 'node:http'
import type { Question } from '../link.ts'

export interface StandbyAddress {
  host: string
  port: number
}

/** Time limit of an answer, in ms. */
const PATIENCE = 900
const READY = '/health/ready'

/** Names the connection of a standby that listens on this port. */
export const nameStandby = (port: number): Question => ({
  text: "SELECT set_config('application_name', concat_ws(' ', 'svc standby', $1::int, hashtext(current_schema())), false)",
  values: [port],
})

/** SQL that returns the addresses of all standbys of the schema as one text. A connection without an address comes from the same machine. */
export const STANDBYS = `(SELECT string_agg(coalesce(host(client_addr), '127.0.0.1') || ' ' || split_part(application_name, ' ', 3), ',')
  FROM pg_stat_activity WHERE application_name LIKE 'svc standby %' AND usename = current_user AND datname = current_database()
  AND split_part(application_name, ' ', 4) = hashtext(current_schema())::text)`

/** Parses the text of `STANDBYS`. */
export const standbysIn = (text: string | null): StandbyAddress[] =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((each) => {
      const [host, port] = each.split(' ')
      return { host: host!, port: Number(port) }
    })

/**
 * Asks a standby. Resolves with true only if it answers that it cannot reach the database. A standby that gives no answer may be about to take over.
 */
export function isAway({ host, port }: StandbyAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: READY, signal: AbortSignal.timeout(PATIENCE) }, async (response) => {
      const bytes = await response.toArray().catch(() => [])
      resolve(isAwayIn(Buffer.concat(bytes as Buffer[]).toString()))
    })
    request.on('error', () => resolve(false))
  })
}

function isAwayIn(text: string): boolean {
  try {
    const { error } = JSON.parse(text) as { error?: { details?: { reason?: unknown } } }
    return error?.details?.reason === 'database'
  } catch {
    // The answer is not that of a standby, so another program uses this address.
    return false
  }
}
