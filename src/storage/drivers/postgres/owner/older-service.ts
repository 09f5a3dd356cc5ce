/**
 * Whether a service of an older release still uses a schema. Its lock alone does not show it, because a restart of the
 * server takes the lock away from it for a moment.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Link } from '../link.ts'
import { isFree, isFreeSoon, SILENCE } from './schema-owner.ts'

/** Tables in which the releases have their counters: `svc_node` up to format 5, `svc_service` since then. */
const TABLES = { text: "SELECT t FROM unnest('{svc_node,svc_service}'::text[]) AS t WHERE to_regclass(t) IS NOT NULL" }
const beatsIn = (table: string) => ({ text: `SELECT string_agg(beat::text, ' ' ORDER BY beat) FROM ${table}` })

/** A service that runs raises its counter every second. */
const LOOK_EVERY = 250

/** `silentMs` is the time for which the counters must stay the same if there are any. */
export async function runsOlderService(link: Link, silentMs: number): Promise<boolean> {
  if (!(await isFreeSoon(link))) return true
  const tables = (await link.ask(TABLES, SILENCE)).rows.flat() as string[]
  async function beats(): Promise<string> {
    const found: unknown[] = []
    for (const table of tables) found.push((await link.ask(beatsIn(table), SILENCE)).rows[0]![0])
    return found.filter((each) => each !== null).join()
  }
  const seen = await beats()
  if (seen === '') return false
  const until = performance.now() + silentMs
  while (performance.now() < until) {
    await pause(LOOK_EVERY)
    if ((await beats()) !== seen) return true
  }
  return !(await isFree(link))
}
