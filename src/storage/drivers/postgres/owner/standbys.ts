/**
 * The owner of a schema asks its standbys over HTTP whether they can reach the database. Each standby puts its address
 * into the name of its connection, so that the owner also finds a standby whose row is missing or old, for example
 * because the disk of the database is full.
 */
import { createHash } from 'node:crypto'
import { get } from 'node:http'
import { isHost, isPort, type StandbyAddress } from '../../../../domain/standby-address.ts'
import type { OwnNode } from '../../../store-backend.ts'
import type { Question } from '../link.ts'

/** Milliseconds within which a standby, or another member of a cluster, must answer. */
export const PATIENCE = 900
const READY = '/health/ready'

/** A short hash of the schema, because PostgreSQL cuts the name of a connection after 63 characters. */
const SCHEMA = 'left(to_hex(hashtext(current_schema())), 5)'

/**
 * Query that puts the address of a standby into the name of its connection. Without a host, the owner uses the address
 * at which the database sees the connection.
 */
export const nameStandby = ({ host, port = 0 }: OwnNode): Question => ({
  text: `SELECT set_config('application_name', concat_ws(' ', 'svc standby', $1::int, ${SCHEMA}, $2::text), false)`,
  values: [port, host ?? null],
})

/** SQL for the host and port in the name of a connection. A connection without an address is from the same machine. */
const ADDRESS = `coalesce(nullif(split_part(application_name, ' ', 5), ''), host(client_addr), '127.0.0.1')
  || ' ' || split_part(application_name, ' ', 3)`

/** SQL that returns the addresses of all connected standbys as one text. */
export const CONNECTED = `(SELECT string_agg(${ADDRESS}, ',')
  FROM pg_stat_activity WHERE application_name LIKE 'svc standby %' AND usename = current_user AND datname = current_database()
  AND split_part(application_name, ' ', 4) = ${SCHEMA})`

/**
 * Returns the addresses in the result of `CONNECTED`. Any session of the role can have such a name, so a text that is
 * no address is left out.
 */
export const addressesIn = (text: unknown): StandbyAddress[] =>
  (typeof text === 'string' ? text.split(',') : [])
    .map((each) => {
      const [host = '', port] = each.split(' ')
      return { host, port: Number(port) }
    })
    .filter(({ host, port }) => isHost(host) && isPort(port))

/** A hash of the owner's random id, so that the public answer of its standby does not contain the id itself. */
export const markOf = (owner: string): string => createHash('sha256').update(owner).digest('hex').slice(0, 16)

const NO_TAKEOVER: ReadonlySet<unknown> = new Set(['database', 'stopping'])
const REASONS: ReadonlySet<unknown> = new Set(['standby', ...NO_TAKEOVER])

/** Returns the questions of an owner to its standbys. An answer of another owner's standby counts as no answer. */
export function standbyQuestions(owner: string) {
  const mark = markOf(owner)
  /** Addresses of the standbys whose last answer was that they stop. */
  const stopping = new Set<string>()

  async function reasonOf(standby: StandbyAddress): Promise<unknown> {
    const { reason, active, isRefused } = await detailsOf(standby)
    const address = `${standby.host} ${standby.port}`
    // The standby has ended. A new standby at its address would listen before it could take over.
    if (isRefused && stopping.has(address)) return 'stopping'
    const given = active === mark ? reason : undefined
    if (given === 'stopping') stopping.add(address)
    else if (given !== undefined) stopping.delete(address)
    return given
  }
  return {
    /**
     * Whether the standby has said that it cannot reach the database, or that it stops. A standby that gives no answer
     * may be about to take over.
     */
    doesNotTakeOver: async (standby: StandbyAddress): Promise<boolean> => NO_TAKEOVER.has(await reasonOf(standby)),
    /** Whether a standby answers as the standby of this owner. */
    isReached: async (standby: StandbyAddress): Promise<boolean> => REASONS.has(await reasonOf(standby)),
    /** Whether the standby says that it reaches the database and waits to take over from this owner. */
    waitsForTurn: async (standby: StandbyAddress): Promise<boolean> => (await reasonOf(standby)) === 'standby',
  }
}

interface Details {
  reason?: unknown
  active?: unknown
  /** Whether nothing listens at the address. */
  isRefused?: boolean
}

/**
 * Resolves with the details in the answer of the standby. If there is no answer in time, at most `isRefused` is set.
 */
function detailsOf({ host, port }: StandbyAddress): Promise<Details> {
  return new Promise((resolve) => {
    const request = get({ host, port, path: READY, signal: AbortSignal.timeout(PATIENCE) }, async (response) => {
      const bytes = await response.toArray().catch(() => [])
      resolve(detailsIn(Buffer.concat(bytes as Buffer[]).toString()))
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve({ isRefused: error.code === 'ECONNREFUSED' }))
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
