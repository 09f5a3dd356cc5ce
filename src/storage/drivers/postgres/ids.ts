/**
 * Lists the distinct ids that follow a prefix (`instance:<id>:…`). The query jumps from each id to the next, so it
 * reads one row per id.
 */
import type { Question } from './link.ts'
import { NO_INSTANCE } from './places.ts'

const INSTANCES = 'instance:'

const SCOPES = `WITH RECURSIVE found AS (
  (SELECT scope FROM svc_state WHERE scope > $1::uuid ORDER BY scope LIMIT 1)
  UNION ALL
  SELECT (SELECT s.scope FROM svc_state s WHERE s.scope > found.scope ORDER BY s.scope LIMIT 1) FROM found WHERE found.scope IS NOT NULL
) SELECT scope FROM found WHERE scope IS NOT NULL`

const idIn = (key: string) => `split_part(substr(${key}, length($2::text) + 1), ':', 1)`
/** The character ";" follows ":" directly in ASCII, so the first key from `<id>;` on belongs to the next id. */
const IDS = `WITH RECURSIVE found AS (
  (SELECT ${idIn('key')} AS id FROM svc_state WHERE scope = $1::uuid AND key >= $2::text AND key < $3::text ORDER BY key LIMIT 1)
  UNION ALL
  SELECT (SELECT ${idIn('s.key')} FROM svc_state s
    WHERE s.scope = $1::uuid AND s.key >= ($2::text || found.id || ';') COLLATE "C" AND s.key < $3::text ORDER BY s.key LIMIT 1)
  FROM found WHERE found.id IS NOT NULL
) SELECT id FROM found WHERE id IS NOT NULL`

export async function idsUnder(ask: (question: Question) => Promise<unknown[][]>, prefix: string): Promise<string[]> {
  const end = `${prefix.slice(0, -1)};`
  const found = await Promise.all([
    ask({ text: IDS, values: [NO_INSTANCE, prefix, end] }),
    ...(prefix === INSTANCES ? [ask({ text: SCOPES, values: [NO_INSTANCE] })] : []),
  ])
  return found.flat().map(([id]) => id as string)
}
