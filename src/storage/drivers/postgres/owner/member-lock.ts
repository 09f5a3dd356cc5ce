/**
 * The locks of a member of a cluster, which it holds on one connection. All members share the lock of the schema, so
 * that no service can own the schema alone. Each member also has a lock of its own, which shows that its connection
 * exists.
 *
 * The numbers are hashes of 32 bits, so a service may be refused because of a lock with the same number, in one of four
 * thousand million cases. Numbers of 64 bits would be other locks, which members of an older release do not see.
 */
import type { Link } from '../link.ts'
import type { NodeLook } from './node-watch.ts'
import { isLock, isSoon, OF_SCHEMA, OWNING, SILENCE } from './schema-lock.ts'

/** First half of the number of a member's own lock; it is arbitrary. The second half identifies the member. */
const MEMBER = 7_632_143
const numberOf = (writer: string) => `hashtext(${writer}::text)`

const JOIN = `SELECT pg_try_advisory_lock_shared(${OWNING}, hashtext(current_schema())), pg_try_advisory_lock(${MEMBER}, ${numberOf('$1')})`

/**
 * Tries to take both locks. Resolves with false if another service owns the schema alone, or the former connection of
 * the member still exists.
 */
export async function isJoined(link: Link, writer: string): Promise<boolean> {
  const [isShared, isOwn] = (await link.ask({ text: JOIN, values: [writer] }, SILENCE)).rows[0] as [boolean, boolean]
  return isShared && isOwn
}

export const isJoinedSoon = (link: Link, writer: string): Promise<boolean> => isSoon(() => isJoined(link, writer))

/**
 * SQL that returns the connections of the members. Each `id` includes the start time, because process numbers are
 * reused.
 */
const CONNECTIONS = `SELECT l.objid, l.pid, concat(l.pid, ' ', a.backend_start) AS id, a.query_start, a.usename
  FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid WHERE ${isLock('l', MEMBER)}`

/** SQL that is true if the connection of the member with the writer `w` exists. */
export const IS_CONNECTED = `EXISTS (SELECT FROM pg_locks l WHERE ${isLock('l', MEMBER)} AND l.objid = ${numberOf('w.id')}::oid)`

/**
 * SQL that returns all services that can write, as one JSON text. The `beat` of a service includes the time of the last
 * query on its connection, because a database whose disk is full stores no counter.
 */
export const SERVICES = `(WITH c AS MATERIALIZED (${CONNECTIONS})
  SELECT json_agg(json_build_object('id', w.id, 'beat', concat(n.beat, ' ', c.query_start), 'connection', c.id))
  FROM svc_writer w LEFT JOIN svc_service n ON n.writer = w.id LEFT JOIN c ON c.objid = ${numberOf('w.id')}::oid WHERE w.is_service)`

export const servicesIn = (text: unknown): NodeLook[] =>
  typeof text === 'string'
    ? (JSON.parse(text) as (NodeLook & { connection: string | null })[]).map((each) => ({
        ...each,
        connection: each.connection ?? undefined,
      }))
    : []

/** Ends the connections with these ids, except connections of another role, which the server would refuse to end. */
export const END_CONNECTIONS = `SELECT pg_terminate_backend(c.pid) FROM (${CONNECTIONS}) AS c
  WHERE c.id = ANY ($1::text[]) AND c.usename = current_user`

/** SQL that is true if members of a cluster use the schema. */
export const HAS_MEMBERS = `EXISTS (SELECT FROM pg_locks l JOIN pg_locks m ON m.pid = l.pid
  WHERE ${isLock('l', OWNING)} AND l.mode = 'ShareLock' AND ${OF_SCHEMA} AND ${isLock('m', MEMBER)})`

export const hasMembers = async (link: Link): Promise<boolean> =>
  (await link.ask({ text: `SELECT ${HAS_MEMBERS}` }, SILENCE)).rows[0]![0] as boolean
