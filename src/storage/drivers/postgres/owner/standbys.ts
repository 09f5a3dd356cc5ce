/**
 * The standbys of a schema. Each standby puts its port into the name of its connection. So the owner finds the address of each standby without a
 * table, and asks it over HTTP whether it can reach the database.
 */
import { get } from 'node:http'
import { isIP } from 'node:net'
import type { Question } from '../link.ts'

export interface StandbyAddress {
  host: string
  port: number
}

/** Time limit of an answer, in ms. */
export const PATIENCE = 900
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

/** Parses the text of `STANDBYS`. Any session of the role can give itself such a name, so what is no address is left out. */
export const standbysIn = (text: string | null): StandbyAddress[] =>
  (text ?? '')
    .split(',')
    .map((each) => {
      const [host = '', port] = each.split(' ')
      return { host, port: Number(port) }
    })
    .filter(({ host, port }) => isIP(host) !== 0 && Number.isInteger(port) && port > 0 && port < 65_536)

/** Whether a standby answers that it cannot reach the database. One that gives no answer may be about to take over. */
export const isAway = async (standby: StandbyAddress): Promise<boolean> => (await reasonOf(standby)) === 'database'

/** Whether a standby answers as one. */
export const isReached = async (standby: StandbyAddress): Promise<boolean> =>
  ['standby', 'database'].includes((await reasonOf(standby)) as string)

/** Asks a standby why it is not ready. Resolves with undefined if it gives no such answer in time. */
function reasonOf({ host, port }: StandbyAddress): Promise<unknown> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: READY, signal: AbortSignal.timeout(PATIENCE) }, async (response) => {
      const bytes = await response.toArray().catch(() => [])
      resolve(reasonIn(Buffer.concat(bytes as Buffer[]).toString()))
    })
    request.on('error', () => resolve(undefined))
  })
}

function reasonIn(text: string): unknown {
  try {
    const { error } = JSON.parse(text) as { error?: { details?: { reason?: unknown } } }
    return error?.details?.reason
  } catch {
    // The answer is not that of a standby, so another program uses this address.
    return undefined
  }
}
