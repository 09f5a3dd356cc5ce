/**
 * unstorage driver for PostgreSQL, with atomic batches and ordered ranges.
 *
 * Each thread reads on one connection and commits on another one. Batches that are requested during a commit become one
 * commit together if possible, so that the disk is flushed once.
 *
 * While the database cannot be reached, reads and commits wait for a while and are then refused. A commit that rejects
 * has stored nothing, unless the writer ends because this remains unknown (`postgres/writer.ts`).
 */
import { defineDriver } from 'unstorage'
import { isDiskFull, StorageFailure } from '../../domain/storage-failure.ts'
import { ownedBytes } from '../../lib/owned-bytes.ts'
import { type Batch, type CountOptions, checkOps, checkRecordKey, type Op, type RangeOptions } from '../contract.ts'
import type { Homes } from '../homes.ts'
import { NoStore, type OpenOptions, type StateDriver } from '../store-backend.ts'
import { changesSince, versionOf } from './postgres/change-feed.ts'
import { createCommits } from './postgres/commits.ts'
import { codeOf, LOCK_TIMEOUT } from './postgres/error-codes.ts'
import { postgresHomes } from './postgres/homes.ts'
import { idsUnder } from './postgres/ids.ts'
import { connect, type Question, UnfitServer } from './postgres/link.ts'
import { type Interval, intervalsOfCount, intervalsOfRange, keyOf } from './postgres/places.ts'
import { refusePooling } from './postgres/pooling.ts'
import { createReads } from './postgres/reads.ts'
import { FORMAT, makeTables, tablesExist } from './postgres/tables.ts'
import { type Target, targetOf } from './postgres/target.ts'
import { upgradeTables } from './postgres/upgrade-tables.ts'
import { type Counts, Fenced, openWriter, type Work } from './postgres/writer.ts'
import { unstorageItems } from './unstorage-items.ts'

const RANGE_STEP = 128
/** Milliseconds for which the store counts as full after the disk of the database was full. */
const FULL_FOR = 5_000
export interface PostgresOptions extends OpenOptions {
  url: string
  /**
   * Milliseconds after which a silent connection for commits counts as broken: three times the duration of a flush on a
   * very slow disk. For reads, the larger of this value and `patienceMs` counts.
   */
  silenceMs?: number | undefined
  /** Milliseconds that a read, or a commit that was not sent yet, waits for the database. */
  patienceMs?: number | undefined
  /**
   * Milliseconds after which a broken connection ends the writer, if it is still unknown whether the commit was stored.
   */
  doubtMs?: number | undefined
  /** Milliseconds for which a service of an older release must be silent before its tables are changed. */
  olderMs?: number | undefined
}

export interface PostgresDriver extends StateDriver {
  /**
   * Id of this thread's row in `svc_writer`, without which it can commit nothing. Undefined for a thread that only
   * reads.
   */
  writer: string | undefined
  ask(question: Question): Promise<unknown[][]>
  homes: Homes
  /** False for a while after the disk of the database was full. */
  hasRoom(): boolean
  doubts(): Readonly<Counts>
}

const INSIDE = '(scope, key) >= ($1::uuid, $2::text COLLATE "C") AND (scope, key) < ($3::uuid, $4::text COLLATE "C")'
const RANGE = `SELECT scope, key, value FROM svc_state WHERE ${INSIDE} ORDER BY scope, key LIMIT $5`
const REVERSE = `SELECT scope, key, value FROM svc_state WHERE ${INSIDE} ORDER BY scope DESC, key DESC LIMIT $5`
const COUNT = `SELECT count(*) FROM svc_state WHERE ${INSIDE}`

const edges = ({ from, to }: Interval) => [from.scope, from.key, to.scope, to.key]

export async function openPostgres({
  url,
  mustExist = false,
  isReader = false,
  claims: { own: thread } = { all: new BigInt64Array(1), own: 0 },
  onCommit,
  onOver = () => {},
  silenceMs = 3_000,
  patienceMs = 10_000,
  doubtMs = 60_000,
  olderMs = 5_000,
}: PostgresOptions): Promise<PostgresDriver> {
  const target = targetOf(url)
  const reads = createReads(target, { silenceMs: Math.max(silenceMs, patienceMs), patienceMs })
  const writer = await openTables(target, { mustExist, isReader, silenceMs, olderMs })
    .then(() =>
      isReader
        ? undefined
        : openWriter({
            connect: () => connect(target),
            silenceMs,
            doubtMs,
            service: target.service,
            thread,
            onOver: (cause) => onOver(cause, OVER),
          }),
    )
    .catch((cause: unknown) => {
      if (REFUSALS.some((refusal) => cause instanceof refusal)) throw cause
      throw new StorageFailure(
        `The PostgreSQL server of the store (${target.shown}) cannot be used: ${(cause as Error).message}`,
        {
          cause,
        },
      )
    })
  let fullUntil = 0
  async function write(work: Work): Promise<boolean> {
    if (writer === undefined) throw new Error('This thread opened the store only for reading.')
    try {
      return await writer.write(work)
    } catch (error) {
      if (isDiskFull(error)) fullUntil = performance.now() + FULL_FOR
      throw error
    }
  }
  const commits = createCommits(write, { patienceMs, onCommit })

  async function commit({ guard, ops }: Batch): Promise<boolean> {
    checkOps(ops)
    if (guard) checkRecordKey(guard.key)
    if (ops.length === 0 && guard === undefined) return true
    return commits.add({ ops: owned(ops), guard: guard && { key: guard.key, equals: guard.equals && ownedBytes(guard.equals) } })
  }

  async function* range(prefix: string, { after, limit = Number.POSITIVE_INFINITY, reverse = false }: RangeOptions = {}) {
    let last = after
    for (let left = limit; left > 0; ) {
      const step = Math.min(left, RANGE_STEP)
      const parts = intervalsOfRange(prefix, { reverse, ...(last === undefined ? {} : { after: last }) })
      const found = await Promise.all(
        parts.map((part) =>
          reads.ask({ name: reverse ? 'reverse' : 'range', text: reverse ? REVERSE : RANGE, values: [...edges(part), step] }),
        ),
      )
      const rows = (found.flat() as [string, string, Buffer][]).map(
        ([scope, key, value]) => [keyOf({ scope, key }), value] as const,
      )
      // The rows of instances and the other rows are read separately. In the order of the store they alternate, so they
      // are sorted here.
      if (parts.length > 1) rows.sort(([one], [other]) => (one < other === reverse ? 1 : -1))
      const page = rows.slice(0, step)
      yield* page
      if (page.length < step) return
      left -= step
      last = page.at(-1)![0]
    }
  }

  async function count(prefix: string, options: CountOptions = {}): Promise<number> {
    const found = await Promise.all(
      intervalsOfCount(prefix, options).map((part) => reads.ask({ name: 'count', text: COUNT, values: edges(part) })),
    )
    return found.reduce((sum, rows) => sum + (rows[0]![0] as number), 0)
  }

  return postgresDriver({
    state: {
      get: reads.get,
      commit,
      range,
      count,
      ids: (prefix) => idsUnder(reads.ask, prefix),
      confirm: async () => void (await commits.add({ ops: [] })),
      changes: {
        version: () => versionOf(reads.ask),
        since: (version) => changesSince(reads.ask, version),
        async commit(version, ops, until) {
          checkOps(ops)
          return commits.add({ ops: owned(ops), guard: { version } }, until)
        },
      },
    },
    writer: writer?.id,
    doubts: writer?.counts ?? (() => ({ stored: 0, repeated: 0 })),
    ask: reads.ask,
    homes: postgresHomes({
      service: target.service ?? writer?.id,
      commit: (homes) => commits.add({ ops: [], homes }),
      ask: reads.ask,
    }),
    hasRoom: () => performance.now() >= fullUntil,
    async dispose() {
      await commits.close()
      await Promise.all([writer?.close(), reads.close()])
    },
  })
}

/** Copies the values, because the bytes of a view may change before they are sent. */
const owned = (ops: readonly Op[]) => ops.map(([key, value]) => [key, value === null ? null : ownedBytes(value)] as const)

type Opened = Pick<PostgresDriver, 'writer' | 'doubts' | 'ask' | 'homes' | 'hasRoom' | 'dispose'> & {
  state: Pick<PostgresDriver, 'get' | 'commit' | 'range' | 'count' | 'ids' | 'confirm' | 'changes'>
}

/**
 * Creates the driver from connections that are already open, because unstorage does not wait for an asynchronous
 * factory.
 */
const postgresDriver = defineDriver(
  ({ state, ...opened }: Opened): PostgresDriver => ({ name: 'postgres', ...opened, ...state, ...unstorageItems(state) }),
) as (opened: Opened) => PostgresDriver

/**
 * Error for tables with a format that is newer than this release can read, or that cannot be upgraded yet. The message
 * is a sentence for the operator.
 */
class OtherFormat extends Error {}

function refuseLocked(cause: unknown, { shown }: Target): never {
  if (codeOf(cause) !== LOCK_TIMEOUT) throw cause
  throw new OtherFormat(
    `Another connection uses a table of the store in ${shown} for a long time, for example pg_dump, so this release cannot add a column that it needs; start it again when that has ended.`,
    { cause },
  )
}

const STORED_FORMAT = { text: "SELECT value FROM svc_meta WHERE key = 'format'" }

async function openTables(
  target: Target,
  {
    mustExist,
    isReader,
    silenceMs,
    olderMs,
  }: Required<Pick<PostgresOptions, 'mustExist' | 'isReader' | 'silenceMs' | 'olderMs'>>,
): Promise<void> {
  const link = await connect(target)
  try {
    if (target.service === undefined) await refusePooling(link, target)
    const [[hasSchema, hasTables, isWhole]] = (await link.ask(tablesExist(target.schema), silenceMs)).rows as [
      [boolean, boolean, boolean],
    ]
    if (!hasTables && mustExist) throw new NoStore(`There is no store in ${target.shown}; start the service once.`)
    // Another thread may be creating the tables at this moment; this thread then waits for the other one.
    const make = () =>
      link.ask(makeTables(target.schema, hasSchema), 10 * silenceMs).catch((cause) => refuseLocked(cause, target))
    if (!hasTables) await make()
    const readFormat = async () => Number((await link.ask(STORED_FORMAT, silenceMs)).rows[0]?.[0])
    const format = await readFormat()
    if (!(format <= FORMAT)) {
      throw new OtherFormat(
        `The store in ${target.shown} has format ${format}, and this release knows ${FORMAT}; use the newer release.`,
      )
    }
    if (format === FORMAT) {
      // An earlier build made the same format without the table `svc_home`, or without a column of it or of
      // `svc_service`, so what is missing is added. A thread or a command that only reads does not need it, and perhaps
      // has no right to add it.
      if (hasTables && !isWhole && !isReader) await make()
      return
    }
    if (isReader && mustExist)
      throw new OtherFormat(
        `The store in ${target.shown} has format ${format}, and this release has ${FORMAT}; start the service of this release, which changes it.`,
      )
    // An older release that still runs could start threads that do not know the new format, so the tables are changed
    // only if none runs.
    const isDone = async () => (await readFormat()) === FORMAT
    const running = await upgradeTables(link, { silentMs: olderMs, make, isDone })
    if (running.length === 0) return
    throw new OtherFormat(
      `Another service (${running.join(', ')}) uses the store in ${target.shown}, whose format is ${format}; this release has ${FORMAT}. Stop the other one first; this release cannot be its standby either.`,
    )
  } finally {
    await link.end()
  }
}

const REFUSALS = [UnfitServer, NoStore, OtherFormat, Fenced]
const OVER = 'PostgreSQL no longer accepts commits of this process.'
