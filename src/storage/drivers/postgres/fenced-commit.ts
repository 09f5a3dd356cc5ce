/**
 * The SQL statements of one commit. They change something only if the number of the commit follows the number in its
 * writer's row of `svc_writer`.
 */
import type { Batch, Op } from '../../contract.ts'
import { blobs, type bytesOf, texts, uuids } from './arrays.ts'
import type { Answer, Question } from './link.ts'
import { type Place, placeOf } from './places.ts'

const FENCE = 'UPDATE svc_writer SET seq = $2 WHERE id = $1 AND seq = $2 - 1 AND generation = $3 AND NOT is_over RETURNING 1'
const remove = (keys: string, condition: string) =>
  `DELETE FROM svc_state s USING unnest(${keys}) AS k(scope, key) WHERE s.scope = k.scope AND s.key = k.key COLLATE "C"${condition}`
const insert = (rows: string, condition: string) =>
  `INSERT INTO svc_state AS s SELECT k.scope, k.key, k.value FROM unnest(${rows}) AS k(scope, key, value)${condition} ON CONFLICT (scope, key) DO UPDATE SET value = EXCLUDED.value`

const COMMIT = `WITH w AS (${FENCE}),
d AS (${remove('$4::uuid[], $5::text[]', ' AND EXISTS (SELECT FROM w)')}),
i AS (${insert('$6::uuid[], $7::text[], $8::bytea[]', ' WHERE EXISTS (SELECT FROM w)')})
SELECT count(*) FROM w`

const TAKE = 'INSERT INTO svc_state (scope, key, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
const LOCK = 'SELECT value FROM svc_state WHERE scope = $1 AND key = $2 FOR UPDATE'

export interface FencedCommit {
  writer: string
  number: number
  generation: number
  guard?: Batch['guard'] | undefined
  ops: Sorted
}

type Ask = (question: Question) => Promise<Answer>

/**
 * Resolves with `refused` if another writer has replaced this one, and with false if the condition of the batch is not
 * met. In both cases nothing was stored.
 */
export const carryOut = (ask: Ask, commit: FencedCommit): Promise<boolean | 'refused'> =>
  commit.guard === undefined ? inOneStatement(ask, commit) : inTransaction(ask, commit, commit.guard)

async function inOneStatement(
  ask: Ask,
  { writer, number, generation, ops: { removed, put } }: FencedCommit,
): Promise<true | 'refused'> {
  const values = [writer, number, generation, uuids(removed.map(scopeOf)), texts(removed.map(restOf)), ...rowsOf(put)]
  const { rows } = await ask({ name: 'commit', text: COMMIT, values })
  return rows[0]![0] === 1 || 'refused'
}

/**
 * The row of the condition's key is locked before it is compared. If the key has no row, one is inserted and locked.
 */
async function inTransaction(
  ask: Ask,
  { writer, number, generation, ops: { removed, put } }: FencedCommit,
  guard: NonNullable<Batch['guard']>,
): Promise<boolean | 'refused'> {
  await ask({ text: 'BEGIN' })
  const { rowCount } = await ask({ name: 'fence', text: FENCE, values: [writer, number, generation] })
  if (rowCount !== 1) return 'refused'
  if (!(await holds(guard, ask))) {
    await ask({ text: 'ROLLBACK' })
    return false
  }
  const place = placeOf(guard.key)
  const isMarked = guard.equals === null && !put.some(([each]) => isSame(each, place))
  const gone = isMarked && !removed.some((each) => isSame(each, place)) ? [...removed, place] : removed
  await ask({ text: remove('$1::uuid[], $2::text[]', ''), values: [uuids(gone.map(scopeOf)), texts(gone.map(restOf))] })
  await ask({ text: insert('$1::uuid[], $2::text[], $3::bytea[]', ''), values: rowsOf(put) })
  await ask({ text: 'COMMIT' })
  return true
}

async function holds({ key, equals }: NonNullable<Batch['guard']>, ask: Ask): Promise<boolean> {
  const place = placeOf(key)
  if (equals === null) return (await ask({ text: TAKE, values: [place.scope, place.key, Buffer.alloc(0)] })).rowCount === 1
  const [row] = (await ask({ text: LOCK, values: [place.scope, place.key] })).rows
  return row !== undefined && Buffer.compare(row[0] as ReturnType<typeof bytesOf>, equals) === 0
}

export interface Sorted {
  removed: readonly Place[]
  put: readonly (readonly [Place, Uint8Array])[]
}

/** Sorts the operations by key, so that all writers lock rows in the same order. */
export function sort(ops: readonly Op[]): Sorted {
  const last = [...new Map(ops)].sort(([one], [other]) => (one < other ? -1 : 1))
  const removed: Place[] = []
  const put: [Place, Uint8Array][] = []
  for (const [key, value] of last) {
    if (value === null) removed.push(placeOf(key))
    else put.push([placeOf(key), value])
  }
  return { removed, put }
}

const scopeOf = ({ scope }: Place) => scope
const restOf = ({ key }: Place) => key
const isSame = (one: Place, other: Place) => one.scope === other.scope && one.key === other.key
const rowsOf = (put: Sorted['put']) => [
  uuids(put.map(([{ scope }]) => scope)),
  texts(put.map(([{ key }]) => key)),
  blobs(put.map(([, value]) => value)),
]
