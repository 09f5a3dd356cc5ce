/**
 * unstorage driver for PostgreSQL with the methods that `state:` needs: atomic batches and ordered ranges
 * (`contract.ts`).
 *
 * Each thread that opens the store has two connections: one connection commits (`postgres/writer.ts`); the other reads,
 * and sends queries without waiting for earlier answers. Batches that are requested while a commit is under way become
 * one commit together, as with lmdb, so that the disk is flushed once. Reads of one turn of the loop become one query.
 *
 * While the database cannot be reached, reads and commits wait and are then refused; a batch that was not confirmed is
 * not stored, with one exception that ends the writer (`postgres/writer.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { defineDriver } from 'unstorage'
import { isDiskFull, StorageFailure } from '../../domain/storage-failure.ts'
import { ownedBytes } from '../../lib/owned-bytes.ts'
import { type Batch, type CountOptions, checkOps, checkRecordKey, KEY_LIMIT, type Op, type RangeOptions } from '../contract.ts'
import { NoStore, type OpenOptions, type StateDriver } from '../store-backend.ts'
import { texts, uuids } from './postgres/arrays.ts'
import { idsUnder } from './postgres/ids.ts'
import { codeOf, connect, type Link, type Question, UnfitServer } from './postgres/link.ts'
import { type Interval, intervalsOfCount, intervalsOfRange, keyOf, placeOf } from './postgres/places.ts'
import { refusePooling } from './postgres/pooling.ts'
import { isFreeSoon } from './postgres/schema-owner.ts'
import { FORMAT, makeTables, tablesExist } from './postgres/tables.ts'
import { type Target, targetOf } from './postgres/target.ts'
import { type Counts, Fenced, openWriter, type Work } from './postgres/writer.ts'
import { unstorageItems } from './unstorage-items.ts'

/** Number of entries that a range reads per query. The next constant is the number of keys that one query of single reads contains. */
const RANGE_STEP = 128
const READ_STEP = 1_000
/** Number of bytes of keys and values after which no further batch is added to a commit. */
const GROUP_BYTES = 4 * 1_024 * 1_024
/**
 * Number of bytes that may wait for the database in one thread. When more bytes wait, commits are refused, because otherwise an outage of the
 * database would use up the memory.
 */
const WAITING_BYTES = 64 * 1_024 * 1_024
/** Time for which the store counts as full after the disk of the database was full, in ms. */
const FULL_FOR = 5_000
/** Number of bytes that an operation counts in addition to its key and value, so that the number of short operations is limited too. */
const OP_BYTES = 100

export interface PostgresOptions extends OpenOptions {
  url: string
  /** Silence in ms after which a connection counts as broken: three times the duration of a flush on a very slow disk. */
  silenceMs?: number | undefined
  /** Time in ms that a read, or a commit that was not sent yet, waits for the database. */
  patienceMs?: number | undefined
  /** Time in ms within which the result of a commit in doubt must be known. */
  doubtMs?: number | undefined
}

export interface PostgresDriver extends StateDriver {
  /**
   * Id of this thread's row in `svc_writer`. Once the row is removed or marked as over, this thread can commit nothing.
   * A thread that only reads has no row.
   */
  writer: string | undefined
  /** Runs a query whose repetition changes nothing. */
  ask(question: Question): Promise<unknown[][]>
  /** False for a while after the disk of the database was full. */
  hasRoom(): boolean
  /** Returns the number of commits that were in doubt, by their result. */
  doubts(): Readonly<Counts>
}

const GET = `SELECT k.n, s.value FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS k(scope, key, n)
JOIN svc_state s ON s.scope = k.scope AND s.key = k.key COLLATE "C"`
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
}: PostgresOptions): Promise<PostgresDriver> {
  const target = targetOf(url)
  const reads = createReads(target, { silenceMs: Math.max(silenceMs, patienceMs), patienceMs })
  const writer = await openTables(target, mustExist, silenceMs)
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
    // The bytes of a view may change before they are sent, so they are copied.
    const own = ops.map(([key, value]) => [key, value === null ? null : ownedBytes(value)] as const)
    return commits.add({ ops: own, guard: guard && { key: guard.key, equals: guard.equals && ownedBytes(guard.equals) } })
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
      // The rows of instances and the other rows come from two lists, but their keys are mixed in the order of the store. Each of the two lists is
      // complete up to its length.
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
    state: { get: reads.get, commit, range, count, ids: (prefix) => idsUnder(reads.ask, prefix) },
    writer: writer?.id,
    doubts: writer?.counts ?? (() => ({ stored: 0, repeated: 0 })),
    ask: reads.ask,
    hasRoom: () => performance.now() >= fullUntil,
    async dispose() {
      await commits.close()
      await Promise.all([writer?.close(), reads.close()])
    },
  })
}

type Opened = Pick<PostgresDriver, 'writer' | 'doubts' | 'ask' | 'hasRoom' | 'dispose'> & {
  state: Pick<PostgresDriver, 'get' | 'commit' | 'range' | 'count' | 'ids'>
}

/** The factory runs after the connections were opened, because unstorage does not wait for an asynchronous factory. */
const postgresDriver = defineDriver(
  ({ state, ...opened }: Opened): PostgresDriver => ({ name: 'postgres', ...opened, ...state, ...unstorageItems(state) }),
) as (opened: Opened) => PostgresDriver

/** The store exists, but this release cannot read it, or not yet. The message is a sentence for the operator. */
class OtherFormat extends Error {}

async function openTables(target: Target, mustExist: boolean, silenceMs: number): Promise<void> {
  const link = await connect(target)
  try {
    // Only the main thread checks for a pooler: the other threads of a service, whose target names its writer, start after it.
    if (target.service === undefined) await refusePooling(link, target)
    const [[hasSchema, hasTables]] = (await link.ask(tablesExist(target.schema), silenceMs)).rows as [[boolean, boolean]]
    if (!hasTables && mustExist) throw new NoStore(`There is no store in ${target.shown}; start the service once.`)
    // The time limit is long, because creating the tables may wait for another thread that creates them.
    const make = () => link.ask(makeTables(target.schema, hasSchema), 10 * silenceMs)
    if (!hasTables) await make()
    const { rows } = await link.ask({ text: "SELECT value FROM svc_meta WHERE key = 'format'" }, silenceMs)
    const format = Number(rows[0]?.[0])
    if (!(format <= FORMAT)) {
      throw new OtherFormat(
        `The store in ${target.shown} has format ${rows[0]?.[0]}, and this release knows ${FORMAT}; use the newer release.`,
      )
    }
    if (format === FORMAT) return
    // The threads that the older release still starts would find tables of a format that they do not know.
    if (!(await isFreeSoon(link)))
      throw new OtherFormat(
        `The service on the store in ${target.shown} is of an older release (format ${format}); stop it before you start this release, also as its standby.`,
      )
    await make()
  } finally {
    await link.end()
  }
}

/** Errors whose message is a sentence for the operator. */
const REFUSALS = [UnfitServer, NoStore, OtherFormat, Fenced]
const OVER = 'PostgreSQL takes no commits of this process any more.'

const DISK_FULL = '53100'

/** Errors with which a server ends a connection: it stops, restarts, or lacks resources other than disk space. */
const ENDING = /^(57P|08|53(?!100))/

interface Waiting {
  batch: Batch
  bytes: number
  until: number
  resolve(isStored: boolean): void
  reject(error: unknown): void
}

const sizeOf = (ops: readonly Op[]) =>
  ops.reduce((sum, [key, value]) => sum + OP_BYTES + key.length + (value?.byteLength ?? 0), 0)

/**
 * Queue of batches. Batches wait while a commit is under way; those that wait together become the next commit. A batch
 * with a guard is a commit by itself.
 */
function createCommits(
  write: (work: Work) => Promise<boolean>,
  { patienceMs, onCommit }: { patienceMs: number; onCommit: PostgresOptions['onCommit'] },
) {
  const waiting: Waiting[] = []
  let bytesWaiting = 0
  let running: Promise<void> | undefined
  let isClosed = false
  let impatience: NodeJS.Timeout | undefined

  function next(): Waiting[] {
    const group = waiting.splice(0, 1)
    if (group[0]!.batch.guard) return group
    let bytes = group[0]!.bytes
    let more = 0
    while (more < waiting.length && !waiting[more]!.batch.guard && bytes < GROUP_BYTES) bytes += waiting[more++]!.bytes
    return [...group, ...waiting.splice(0, more)]
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const group = next()
      const { guard } = group[0]!.batch
      try {
        const isStored = await write({ guard, ops: group.flatMap(({ batch }) => batch.ops), until: group[0]!.until })
        onCommit?.(true)
        for (const { resolve } of group) resolve(isStored)
      } catch (error) {
        onCommit?.(false)
        for (const { reject } of group) reject(error)
      }
      bytesWaiting -= group.reduce((sum, { bytes }) => sum + bytes, 0)
    }
    running = undefined
    clearTimeout(impatience)
    impatience = undefined
  }

  /**
   * Refuses waiting batches when the commit before them takes too long, for example while it is in doubt. The waiting batches were not sent, so it is
   * certain that nothing of them is stored.
   */
  function refuseImpatient() {
    const now = performance.now()
    while (waiting.length > 0 && waiting[0]!.until <= now) {
      const { bytes, reject } = waiting.shift()!
      bytesWaiting -= bytes
      reject(new StorageFailure('The database did not answer in time, so nothing was stored.'))
    }
    impatience = setTimeout(refuseImpatient, patienceMs / 10)
  }

  return {
    add(batch: Batch): Promise<boolean> {
      const bytes = sizeOf(batch.ops)
      if (isClosed) throw new StorageFailure('The store is closed, so nothing was stored.')
      if (bytesWaiting > 0 && bytesWaiting + bytes > WAITING_BYTES) {
        throw new StorageFailure('Too many records already wait for the database, so nothing was stored.')
      }
      bytesWaiting += bytes
      return new Promise((resolve, reject) => {
        waiting.push({ batch, bytes, until: performance.now() + patienceMs, resolve, reject })
        // Batches that are added in one callback become one commit.
        running ??= Promise.resolve().then(flush)
        impatience ??= setTimeout(refuseImpatient, patienceMs)
      })
    },
    async close() {
      isClosed = true
      await running
    },
  }
}

/** Creates the reads, which use one connection. If the connection breaks, a query is sent again, because it changes nothing. */
function createReads(target: Target, { silenceMs, patienceMs }: { silenceMs: number; patienceMs: number }) {
  let link: Promise<Link> | undefined
  let current: Link | undefined
  let isClosed = false
  let asked: { key: string; resolve(value: Uint8Array | undefined): void; reject(error: unknown): void }[] = []

  function linked(): Promise<Link> {
    if (current?.isUp() === false) link = current = undefined
    link ??= connect(target, { isPipelined: true, name: 'reader' }).then(
      (made) => {
        current = made
        return made
      },
      (error: unknown) => {
        link = undefined
        throw error
      },
    )
    return link
  }

  async function ask(question: Question): Promise<unknown[][]> {
    const until = performance.now() + patienceMs
    for (let wait = 20; ; wait = Math.min(2 * wait, 500)) {
      if (isClosed) throw new StorageFailure('The store is closed.')
      const used = await linked().catch((error: unknown) => ({ error }))
      const answer = 'error' in used ? used : await used.ask(question, silenceMs).catch((error: unknown) => ({ error }))
      if (!('error' in answer)) return answer.rows
      const isBroken = 'error' in used || !used.isUp() || ENDING.test(codeOf(answer.error) ?? '')
      if (isBroken && !('error' in used)) used.drop()
      // The query is not sent again if the error is about the query itself, because the error would occur again.
      if (!isBroken || performance.now() + wait > until) {
        throw new StorageFailure('The database could not carry out a request.', {
          cause: answer.error,
          isFull: codeOf(answer.error) === DISK_FULL,
        })
      }
      await pause(wait)
    }
  }

  function askAll() {
    const all = asked
    asked = []
    for (let from = 0; from < all.length; from += READ_STEP) {
      const these = all.slice(from, from + READ_STEP)
      const places = these.map(({ key }) => placeOf(key))
      ask({
        name: 'get',
        text: GET,
        values: [uuids(places.map(({ scope }) => scope)), texts(places.map(({ key }) => key))],
      }).then(
        (rows) => {
          const found = new Map(rows as [number, Uint8Array][])
          for (const [index, { resolve }] of these.entries()) resolve(found.get(index + 1))
        },
        (error: unknown) => {
          for (const { reject } of these) reject(error)
        },
      )
    }
  }

  return {
    ask,
    async get(key: string): Promise<Uint8Array | undefined> {
      // Such a key cannot exist. These keys occur because parts of keys come from strangers (message ids), who can choose them freely.
      if (key.length === 0 || key.length > KEY_LIMIT || /[^!-~]/.test(key)) return undefined
      return new Promise((resolve, reject) => {
        if (asked.length === 0) setImmediate(askAll)
        asked.push({ key, resolve, reject })
      })
    },
    async close() {
      isClosed = true
      const open = await link?.catch(() => undefined)
      await open?.end()
    },
  }
}
