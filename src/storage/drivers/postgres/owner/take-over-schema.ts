/**
 * A service becomes the owner of a schema: it takes the lock, and removes the writers of the services that owned the
 * schema before.
 */
import { BRAND } from '../../../../domain/brand.ts'
import type { Takeover } from '../../../../domain/nodes.ts'
import type { OwnNode } from '../../../store-backend.ts'
import { type Link, UnfitServer } from '../link.ts'
import { type Counter, risingCounters } from '../rising-counters.ts'
import type { Target } from '../target.ts'
import { endIdle, replaceEarlier } from './end-services.ts'
import { hasMembers } from './member-lock.ts'
import { LOST_AFTER } from './node-rows.ts'
import { isGrantedSoon, type SchemaTurn, SILENCE } from './schema-lock.ts'

export interface TakeoverOptions {
  writer: string
  threads: number
  /** The right that a standby has received, with the connection that already holds the lock. */
  turn?: SchemaTurn | undefined
  node: OwnNode
  /** Called if an earlier service did not shut down properly. */
  onTakenOver(): void
}

const NAME = { text: "SET application_name = 'svc owner'" }
const EVERY_SERVICE = 'true'
const MEMBERS = { text: "SELECT name, beat::text FROM svc_service WHERE state = 'member' AND writer IS NOT NULL" }
/** Smallest of the connection limits of the server, the role and the database. */
const CONNECTIONS = {
  text: `SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
  nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
}

/**
 * Number of connections in addition to the two connections of each thread: for the owner, the log, archives, and one
 * more during the start.
 */
const OTHER_CONNECTIONS = 4

/**
 * Makes this service the owner of the schema. Resolves with the takeover as the list of services shows it; undefined if
 * no service has failed or handed over to this one.
 */
export async function takeOverSchema(link: Link, target: Target, options: TakeoverOptions): Promise<Takeover | undefined> {
  const { writer, node, turn, threads, onTakenOver } = options
  await checkConnections(link, target, { threads })
  await take(link, target)
  await link.ask(NAME, SILENCE)
  await link.ask(endIdle(), SILENCE)
  return replaceEarlier(link, { writer, node, state: 'active', replaced: EVERY_SERVICE, former: turn?.former, onTakenOver })
}

/** Rejects with a sentence for the operator if another service uses the schema. The caller then ends the connection. */
async function take(link: Link, { shown }: Target): Promise<void> {
  const isGranted = await isGrantedSoon(link)
  // The lock alone proves nothing: a restart of the server releases it, and perhaps the members have not taken it again
  // yet.
  if (isGranted ? await doMembersRun(link) : await hasMembers(link))
    throw new Error(
      `Services with SVC_CLUSTER=on use the store in ${shown}. Stop all of them first; a service, but no command, can also run beside them with SVC_CLUSTER=on.`,
    )
  if (!isGranted)
    throw new Error(
      `Another ${BRAND} runs on the store in ${shown}; stop that one, or give this one a schema of its own (?schema= in the URL of the store).`,
    )
}

/**
 * Resolves with true if the counter of a member rises. Takes five seconds if members have ended without removing their
 * rows.
 */
const doMembersRun = async (link: Link): Promise<boolean> =>
  (await risingCounters(async () => (await link.ask(MEMBERS, SILENCE)).rows as unknown as Counter[], LOST_AFTER)).length > 0

export interface ConnectionsNeeded {
  threads: number
  /** Other services that need connections of the same server at the same time. */
  beside?: { count: number; names: string }
}

/** Throws a sentence for the operator if the server allows too few connections. */
export async function checkConnections(link: Link, { shown }: Target, { threads, beside }: ConnectionsNeeded): Promise<void> {
  const allowed = (await link.ask(CONNECTIONS, SILENCE)).rows[0]![0] as number
  const own = 2 * threads + OTHER_CONNECTIONS
  const needed = own * (1 + (beside?.count ?? 0))
  if (allowed >= needed) return
  const whose = needed === own ? 'this service needs' : `this service and ${beside?.names} need`
  throw new UnfitServer(
    `The PostgreSQL server of the store (${shown}) allows ${allowed} connections, and ${whose} ${needed}; raise max_connections or the limit of the role or database, or lower SVC_SHARDS.`,
  )
}
