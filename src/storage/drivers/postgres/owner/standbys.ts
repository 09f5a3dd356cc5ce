/**
 * The addresses of the services on a schema. Each puts its port, and its host if set, into the name of its connection, so
 * the others find it without a table. The owner asks its standbys over HTTP whether they can reach the database, and a
 * standby passes requests on to the owner.
 */
import { createHash } from 'node:crypto'
import { get } from 'node:http'
import { isHost, isPort, type StandbyAddress } from '../../../../domain/standby-address.ts'
import type { Question } from '../link.ts'

/** Milliseconds within which a standby must answer. */
export const PATIENCE = 900
const READY = '/health/ready'

/** A short hash of the schema, because PostgreSQL cuts the name of a connection after 63 characters. */
const SCHEMA = 'left(to_hex(hashtext(current_schema())), 5)'

/** The port at which others reach a service, and its host if the operator has named one. */
export interface OwnAddress {
  host: string | undefined
  port: number
}

/** Without a host, the others use the address at which the database sees the connection. */
const nameAs = (role: 'owner' | 'standby', { host, port }: OwnAddress): Question => ({
  text: `SELECT set_config('application_name', concat_ws(' ', 'svc ${role}', $1::int, ${SCHEMA}, $2::text), false)`,
  values: [port, host ?? null],
})

export const nameStandby = (address: OwnAddress): Question => nameAs('standby', address)

/** An owner without an address gets no requests from its standbys. */
export const nameOwner = (address: OwnAddress | undefined): Question =>
  address === undefined ? { text: "SET application_name = 'svc owner'" } : nameAs('owner', address)

/** SQL for the host and port in the name of a connection. A connection without an address comes from the same machine. */
const ADDRESS = `coalesce(nullif(split_part(application_name, ' ', 5), ''), host(client_addr), '127.0.0.1')
  || ' ' || split_part(application_name, ' ', 3)`

/** SQL that returns the address of the connection `a`, as one text, if it is that of an owner that has one. */
export const OWNER_ADDRESS = `CASE WHEN a.application_name LIKE 'svc owner %' THEN ${ADDRESS} END`

/** SQL that returns the addresses of all standbys as one text. */
export const STANDBYS = `(SELECT string_agg(${ADDRESS}, ',')
  FROM pg_stat_activity WHERE application_name LIKE 'svc standby %' AND usename = current_user AND datname = current_database()
  AND split_part(application_name, ' ', 4) = ${SCHEMA})`

/** Any session of the role can give itself such a name, so a text that is no address is left out. */
export const addressesIn = (text: string | null): StandbyAddress[] =>
  (text ?? '')
    .split(',')
    .map((each) => {
      const [host = '', port] = each.split(' ')
      return { host, port: Number(port) }
    })
    .filter(({ host, port }) => isHost(host) && isPort(port))

/** A hash of the owner's random id, so that the public answer of its standby does not contain the id itself. */
export const markOf = (owner: string): string => createHash('sha256').update(owner).digest('hex').slice(0, 16)

const AWAY: ReadonlySet<unknown> = new Set(['database', 'stopping'])
const REASONS: ReadonlySet<unknown> = new Set(['standby', ...AWAY])

/** An answer of the standby of another owner counts as no answer. */
export function standbyQuestions(owner: string) {
  const mark = markOf(owner)
  async function reasonOf(standby: StandbyAddress): Promise<unknown> {
    const { reason, active } = await detailsOf(standby)
    return active === mark ? reason : undefined
  }
  return {
    /**
     * Whether the standby answers that it cannot reach the database, or stops, and so does not take over. A standby that
     * gives no answer may be about to take over.
     */
    isAway: async (standby: StandbyAddress): Promise<boolean> => AWAY.has(await reasonOf(standby)),
    /** Whether a standby answers as the standby of this owner. */
    isReached: async (standby: StandbyAddress): Promise<boolean> => REASONS.has(await reasonOf(standby)),
  }
}

interface Details {
  reason?: unknown
  active?: unknown
}

/**
 * Resolves with the details in the answer of the standby; with an empty object if there are none or the standby does
 * not answer in time.
 */
function detailsOf({ host, port }: StandbyAddress): Promise<Details> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: READY, signal: AbortSignal.timeout(PATIENCE) }, async (response) => {
      const bytes = await response.toArray().catch(() => [])
      resolve(detailsIn(Buffer.concat(bytes as Buffer[]).toString()))
    })
    request.on('error', () => resolve({}))
  })
}

function detailsIn(text: string): Details {
  try {
    const body = JSON.parse(text) as Details & { error?: { details?: Details } }
    // A standby that passes requests on is ready, and gives no error.
    return body.error?.details ?? body
  } catch {
    return {}
  }
}
