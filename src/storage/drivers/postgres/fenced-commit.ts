/**
 * The SQL statements of one commit. They change something only if the number of the commit is one higher than the
 * number in its writer's row of `svc_writer`.
 */
import type { Batch, Op } from '../../contract.ts'
import { blobs, type bytesOf, texts, uuids } from './arrays.ts'
import type { Answer, Question } from './link.ts'
import { NO_INSTANCE, type Place, placeOf } from './places.ts'

const fence = (condition: string) =>
  `UPDATE svc_writer SET seq = $2 WHERE id = $1 AND seq = $2 - 1 AND generation = $3 AND NOT is_over${condition} RETURNING 1`
const FENCE = fence('')
const remove = (keys: string, condition: string) =>
  `DELETE FROM svc_state s USING unnest(${keys}) AS k(scope, key) WHERE s.scope = k.scope AND s.key = k.key COLLATE "C"${condition}`
const insert = (rows: string, condition: string) =>
  `INSERT INTO svc_state AS s SELECT k.scope, k.key, k.value FROM unnest(${rows}) AS k(scope, key, value)${condition} ON CONFLICT (scope, key) DO UPDATE SET value = EXCLUDED.value`

const CHANGES = `d AS (${remove('$4::uuid[], $5::text[]', ' AND EXISTS (SELECT FROM w)')}),
i AS (${insert('$6::uuid[], $7::text[], $8::bytea[]', ' WHERE EXISTS (SELECT FROM w)')})`

const COMMIT = `WITH w AS (${FENCE}), ${CHANGES} SELECT count(*) FROM w`

/** SQL that is true if a thread of the service with this id can write. */
export const CAN_WRITE = (service: string) =>
  `EXISTS (SELECT FROM svc_writer o WHERE (o.id = ${service} OR o.service = ${service}) AND NOT o.is_over)`
/**
 * Claims, releases and removes homes. A home can be claimed if it is new, was released, or names a service whose
 * threads can no longer write. A home that was released to a certain service can be claimed by another one only if that
 * service can no longer write, or if the instance is in $13.
 *
 * This is decided on the snapshot of the statement. Another service may claim the home while the statement waits for
 * the lock of the row. So the row is changed only if its writer and its epoch are still those of the snapshot.
 *
 * `taken_over_at` is set if the former service did not release the home, because that service has perhaps only been
 * paused.
 */
const HOMES = `f AS (SELECT k.instance, h.writer, h.epoch FROM unnest($10::uuid[]) AS k(instance) LEFT JOIN svc_home h ON h.instance = k.instance
  WHERE (h.writer IS NULL OR NOT ${CAN_WRITE('h.writer')})
  AND (h.wanted IS NULL OR h.wanted = $9::uuid OR k.instance = ANY ($13::uuid[]) OR NOT ${CAN_WRITE('h.wanted')})),
u AS (UPDATE svc_home h SET writer = $9::uuid, wanted = NULL, epoch = h.epoch + 1,
  taken_over_at = CASE WHEN f.writer IS NULL THEN h.taken_over_at ELSE now() END FROM f
  WHERE h.instance = f.instance AND h.epoch = f.epoch AND h.writer IS NOT DISTINCT FROM f.writer AND EXISTS (SELECT FROM w)),
n AS (INSERT INTO svc_home (instance, writer, epoch) SELECT f.instance, $9::uuid, 1 FROM f WHERE f.epoch IS NULL AND EXISTS (SELECT FROM w) ON CONFLICT DO NOTHING),
r AS (UPDATE svc_home h SET writer = NULL, wanted = nullif(k.wanted, '${NO_INSTANCE}') FROM unnest($11::uuid[], $14::uuid[]) AS k(instance, wanted)
  WHERE h.instance = k.instance AND h.writer = $9::uuid AND EXISTS (SELECT FROM w)),
g AS (DELETE FROM svc_home WHERE instance = ANY ($12::uuid[]) AND writer = $9::uuid AND EXISTS (SELECT FROM w))`
const COMMIT_HOMES = `WITH w AS (${FENCE}), ${CHANGES}, ${HOMES} SELECT count(*) FROM w`

/** Time for which changes stay in `svc_change`. A service that did not read them for longer reads all records again. */
const KEPT = '10 minutes'
/**
 * Commits a batch if the store has the version $9. It is one statement, so that a paused service holds no lock of
 * `svc_cluster`. `FOR UPDATE` waits for a service that is raising the version; the condition is then checked on the new
 * version.
 */
const COMMIT_VERSION = `WITH c AS (SELECT 1 FROM svc_cluster WHERE version = $9 FOR UPDATE),
w AS (${fence(' AND EXISTS (SELECT FROM c)')}),
v AS (UPDATE svc_cluster SET version = $9::bigint + 1 WHERE one AND EXISTS (SELECT FROM w)),
h AS (INSERT INTO svc_change (version, key) SELECT $9::bigint + 1, k.key FROM unnest($10::text[]) AS k(key) WHERE EXISTS (SELECT FROM w)),
p AS (DELETE FROM svc_change WHERE at < now() - interval '${KEPT}' AND EXISTS (SELECT FROM w)),
${CHANGES}
SELECT (SELECT count(*) FROM c), (SELECT count(*) FROM w)`

const TAKE = 'INSERT INTO svc_state (scope, key, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
const LOCK = 'SELECT value FROM svc_state WHERE scope = $1 AND key = $2 FOR UPDATE'

/**
 * Condition of a commit: a key with the bytes that it must have, or the version that the records of the main thread
 * must have.
 */
export type Guard = NonNullable<Batch['guard']> | { version: number }

export const isOfKey = (guard: Guard): guard is NonNullable<Batch['guard']> => 'key' in guard

export interface Release {
  instance: string
  /** The service that may claim the home first; undefined if every service may. */
  wanted: string | undefined
}

/**
 * Instances whose homes change. The commit also succeeds if a claim is not granted, so the caller must then read the
 * homes.
 */
export interface HomeChanges {
  claims?: readonly string[] | undefined
  /** Instances in `claims` that this service claims even if they were released to another one. */
  anybodys?: readonly string[] | undefined
  releases?: readonly Release[] | undefined
  removals?: readonly string[] | undefined
}

export interface FencedCommit {
  writer: string
  /**
   * Id of the writer of the service's main thread. The row that says which service has an instance (its home) contains
   * this id.
   */
  service: string
  number: number
  generation: number
  guard?: Guard | undefined
  homes?: HomeChanges | undefined
  ops: Sorted
}

type Ask = (question: Question) => Promise<Answer>

/**
 * Carries out a commit. Nothing is stored if it resolves with `refused` (the row of the writer is gone or was changed)
 * or with false (the condition of the batch is not met).
 */
export function carryOut(ask: Ask, commit: FencedCommit): Promise<boolean | 'refused'> {
  const { guard } = commit
  if (guard === undefined) return inOneStatement(ask, commit)
  return isOfKey(guard) ? inTransaction(ask, commit, guard) : atVersion(ask, commit, guard.version)
}

const valuesOf = ({ writer, number, generation, ops: { removed, put } }: FencedCommit) => [
  writer,
  number,
  generation,
  uuids(removed.map(scopeOf)),
  texts(removed.map(restOf)),
  ...rowsOf(put),
]

const valuesOfHomes = ({ claims = [], anybodys = [], releases = [], removals = [] }: HomeChanges) => [
  uuids(claims),
  uuids(releases.map(({ instance }) => instance)),
  uuids(removals),
  uuids(anybodys),
  uuids(releases.map(({ wanted = NO_INSTANCE }) => wanted)),
]

async function inOneStatement(ask: Ask, commit: FencedCommit): Promise<true | 'refused'> {
  const { service, homes } = commit
  const changes = homes && [service, ...valuesOfHomes(homes)]
  const { rows } = await ask(
    changes === undefined
      ? { name: 'commit', text: COMMIT, values: valuesOf(commit) }
      : { name: 'commit-homes', text: COMMIT_HOMES, values: [...valuesOf(commit), ...changes] },
  )
  return rows[0]![0] === 1 || 'refused'
}

async function atVersion(ask: Ask, commit: FencedCommit, version: number): Promise<boolean | 'refused'> {
  const { removed, put } = commit.ops
  // Records of instances are not listed as changes, because no main thread has them in memory.
  const changed = [...removed, ...put.map(([place]) => place)].filter(({ scope }) => scope === NO_INSTANCE)
  const values = [...valuesOf(commit), version, texts(changed.map(restOf))]
  const [[isVersion, isStored]] = (await ask({ name: 'commit-version', text: COMMIT_VERSION, values })).rows as [[number, number]]
  if (isVersion === 0) return false
  return isStored === 1 || 'refused'
}

/**
 * Commits a batch whose condition is about one key. The row of the key is locked before its value is compared. If the
 * key must be absent, an empty row is inserted as a lock, and removed before the end.
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
