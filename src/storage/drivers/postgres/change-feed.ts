/** Reads which records of the main thread have changed (`svc_change`), with their values. */
import type { Changes } from '../../contract.ts'
import type { Question } from './link.ts'
import { NO_INSTANCE } from './places.ts'

const VERSION = { name: 'version', text: 'SELECT version FROM svc_cluster' }
/**
 * Reads the version and the changed records. It is one statement, so that all values are of the moment of the version.
 */
const SINCE = `SELECT c.version, h.version, h.key, s.value FROM svc_cluster c LEFT JOIN svc_change h ON h.version > $1
LEFT JOIN svc_state s ON s.scope = '${NO_INSTANCE}' AND s.key = h.key ORDER BY h.version, h.key`

type Ask = (question: Question) => Promise<unknown[][]>

export const versionOf = async (ask: Ask): Promise<number> => (await ask(VERSION))[0]![0] as number

export async function changesSince(ask: Ask, from: number): Promise<Changes> {
  const rows = (await ask({ name: 'since', text: SINCE, values: [from] })) as [number, number | null, string, Uint8Array | null][]
  const version = rows[0]![0]
  const changed = new Map<string, Uint8Array | undefined>()
  const versions = new Set<number>()
  for (const [, of, key, value] of rows) {
    if (of === null) continue
    versions.add(of)
    changed.set(key, value ?? undefined)
  }
  // Every version has at least one row, unless its rows were pruned.
  return { version, changed: versions.size < version - from ? undefined : changed }
}
