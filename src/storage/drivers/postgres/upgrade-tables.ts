/**
 * Changes the tables of an earlier format, unless a service of an older release still uses them. The lock of that
 * service does not show whether the service runs, because a restart of the server takes the lock away from it for a
 * moment.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Link } from './link.ts'
import { endIdle } from './owner/end-services.ts'
import { isReserved, SILENCE } from './owner/schema-lock.ts'
import { type Counter, LOOK_EVERY, risingCounters, UNNAMED } from './rising-counters.ts'

/** Tables in which the releases have their counters: `svc_node` in formats 3 to 5, `svc_service` since then. */
const TABLES = { text: "SELECT t FROM unnest('{svc_node,svc_service}'::text[]) AS t WHERE to_regclass(t) IS NOT NULL" }
const countersIn = (table: string) => ({ text: `SELECT coalesce(name, ''), beat::text FROM ${table}` })
/**
 * Removes the writers of the services of older releases, so that their threads can neither store anything nor begin.
 * One new row replaces these writers: it tells the next owner that a service did not shut down properly.
 */
const END_OLDER = {
  text: `WITH gone AS (DELETE FROM svc_writer WHERE is_service RETURNING 1)
  INSERT INTO svc_writer (id, is_service, is_over) SELECT gen_random_uuid(), true, true WHERE EXISTS (SELECT FROM gone)`,
}

/**
 * Time limit for getting the lock, as a multiple of `silentMs`; 12.5 s by default. If a machine fails, the server
 * releases its lock after eleven seconds.
 */
const LOCK_TIMES = 2.5

export interface UpgradeOptions {
  /** Time in ms for which no counter may change before the tables are changed. */
  silentMs: number
  /** Creates the missing tables and writes the new format. */
  make(): Promise<unknown>
  /** Resolves with true if another service of this release has already changed the tables. */
  isDone(): Promise<boolean>
}

/**
 * Changes the tables. Resolves with the names of other services that use them; empty if the tables are now those of
 * this release. The caller must close the connection, because a transaction may still be open.
 */
export async function upgradeTables(link: Link, { silentMs, make, isDone }: UpgradeOptions): Promise<readonly string[]> {
  const running = await watch(link, silentMs)
  if (running.length > 0) return (await isDone()) ? [] : running
  await link.ask({ text: 'BEGIN' }, SILENCE)
  const until = performance.now() + LOCK_TIMES * silentMs
  // The lock of the owner is taken first, so no service can become the owner until the end of this transaction.
  while (!(await isReserved(link))) {
    if (await isDone()) return []
    if (performance.now() > until) return [UNNAMED]
    await pause(LOOK_EVERY)
  }
  await link.ask(endIdle(), SILENCE)
  await make()
  await link.ask(END_OLDER, SILENCE)
  await link.ask({ text: 'COMMIT' }, SILENCE)
  return []
}

async function watch(link: Link, silentMs: number): Promise<string[]> {
  const tables = (await link.ask(TABLES, SILENCE)).rows.flat() as string[]
  async function read() {
    const found: Counter[] = []
    for (const table of tables) found.push(...((await link.ask(countersIn(table), SILENCE)).rows as unknown as Counter[]))
    return found
  }
  return risingCounters(read, silentMs)
}
