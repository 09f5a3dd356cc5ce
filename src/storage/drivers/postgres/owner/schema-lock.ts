/**
 * The advisory lock of the service that owns a schema, or of the members of a cluster, which share it. The server releases
 * it when the connection ends, even after a kill.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Turn } from '../../../store-backend.ts'
import type { Link } from '../link.ts'

/** The right to own the schema, with the connection that holds the lock. */
export interface SchemaTurn extends Turn {
  link: Link
}

/** First half of the number of the advisory lock; it is arbitrary. The second half identifies the schema. */
export const OWNING = 7_632_142
const TAKE = { text: `SELECT pg_try_advisory_lock(${OWNING}, hashtext(current_schema()))` }
/** Takes the lock until the end of the transaction. */
const RESERVE = { text: `SELECT pg_try_advisory_xact_lock(${OWNING}, hashtext(current_schema()))` }

/** SQL that is true if the row of `pg_locks` is a granted advisory lock whose number has this first half. */
export const isLock = (row: string, first: number) =>
  `${row}.locktype = 'advisory' AND ${row}.granted AND ${row}.objsubid = 2 AND ${row}.classid = ${first}
  AND ${row}.database = (SELECT oid FROM pg_database WHERE datname = current_database())`
/** SQL that is true if the row `l` of `pg_locks` is a lock of this schema. */
export const OF_SCHEMA = 'l.objid = hashtext(current_schema())::oid'
/**
 * Reads whether the lock is free, without taking it: a service that starts at the same moment must be able to get it.
 */
const IS_FREE = { text: `SELECT NOT EXISTS (SELECT FROM pg_locks l WHERE ${isLock('l', OWNING)} AND ${OF_SCHEMA})` }

/** Milliseconds within which the server should detect that the former owner was killed. */
const PATIENCE = 2_000
export const SILENCE = 3_000

export const isGranted = async (link: Link): Promise<boolean> => (await link.ask(TAKE, SILENCE)).rows[0]![0] as boolean

export const isFree = async (link: Link): Promise<boolean> => (await link.ask(IS_FREE, SILENCE)).rows[0]![0] as boolean

/** Tries to take the lock until the end of the transaction. Resolves with false if another process has it. */
export const isReserved = async (link: Link): Promise<boolean> => (await link.ask(RESERVE, SILENCE)).rows[0]![0] as boolean

/** Tries to take the lock for up to 2 s. Resolves with false if another process keeps it. */
export const isGrantedSoon = (link: Link): Promise<boolean> => isSoon(() => isGranted(link))

/**
 * Repeats a query until its answer is true, because the server needs some time to release the lock of an ended process.
 * Resolves with false if the answer is still false after `withinMs`.
 */
export async function isSoon(isTrue: () => Promise<boolean>, withinMs = PATIENCE): Promise<boolean> {
  const until = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > until) return false
    await pause(50)
  }
  return true
}
