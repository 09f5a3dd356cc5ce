/**
 * Lists the distinct ids that follow a prefix (`instance:<id>:…`). From each id the query goes directly to the first row of the next id, so it reads
 * one row per id, however many rows an id has.
 */
import type { Question } from './link.ts'
import { NO_INSTANCE } from './places.ts'

/** Prefix of keys whose id is stored in the column `scope` of their row (`places.ts`). */
const INSTANCES = 'instance:'

const SCOPES = `WITH RECURSIVE found AS (
  (SELECT scope FROM svc_state WHERE scope > $1::uuid ORDER BY scope LIMIT 1)
  UNION ALL
  SELECT (SELECT s.scope FROM svc_state s WHERE s.scope > found.scope ORDER BY s.scope LIMIT 1) FROM found WHERE found.scope IS NOT NULL
) SELECT scope FROM found WHERE scope IS NOT NULL`

const idIn = (key: string) => `split_part(substr(${key}, length($2::text) + 1), ':', 1)`
/** SQL that lists the ids in keys. The character ";" follows ":" directly in ASCII, so the first key from `<id>;` on belongs to the next id. */
const IDS = `WITH RECURSIVE found AS (
  (SELECT ${idIn('key')} AS id FROM svc_state WHERE scope = $1::uuid AND key >= $2::text AND key < $3::text ORDER BY key LIMIT 1)
  UNION ALL
  SELECT (SELECT ${idIn('s.key')} FROM svc_state s
    WHERE s.scope = $1::uuid AND s.key >= ($2::text || found.id || ';') COLLATE "C" AND s.key < $3::text ORDER BY s.key LIMIT 1)
  FROM found WHERE found.id IS NOT NULL
) SELECT id FROM found WHERE id IS NOT NULL`

/** Returns the ids that follow a prefix, which ends with ":". */
export async function idsUnder(ask: (question: Question) => Promise<unknown[][]>, prefix: string): Promise<string[]> {
  const end = `${prefix.slice(0, -1)};`
  const found = await Promise.all([
    ask({ text: IDS, values: [NO_INSTANCE, prefix, end] }),
    ...(prefix === INSTANCES ? [ask({ text: SCOPES, values: [NO_INSTANCE] })] : []),
  ])
  return found.flat().map(([id]) => id as string)
}
