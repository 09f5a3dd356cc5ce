/**
 * Writes the commits of one thread, which are numbered and sent in sequence on one connection. The row of this writer in `svc_writer` is the fence:
 * only a writer with a valid row can store commits.
 *
 * - Every commit is one statement (or, with a guard, one transaction). It either raises the writer's number by exactly one and applies the operations,
 *   or does neither. A writer that was marked as over changes nothing from then on, however late its statement arrives.
 * - When a connection breaks, is silent for too long, or gives a doubtful notice while a commit is under way, it is unknown whether the commit was
 *   carried out. The writer then checks it. On a new connection it ends the old process of the server and raises the writer's generation, which waits
 *   for locks that the old process still holds. If the stored number is that of the commit, the commit was stored. If it is the number before, the
 *   commit is sent again under the new generation; if the original still arrives, it has the old generation and changes nothing.
 * - This check is itself a write, so that with a synchronous standby the state that it found is on the standby, too. Each check sets a higher
 *   generation than all earlier checks instead of adding one: a check that arrives late changes nothing either.
 * - No other number can be found unless the database was restored or a standby without the newest commits took over. Then the writer ends.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import type { Batch, Op } from '../../contract.ts'
import { blobs, type bytesOf, texts, uuids } from './arrays.ts'
import { type Answer, codeOf, type Link, type Question } from './link.ts'
import { type Place, placeOf } from './places.ts'

/**
 * The writer was marked as over: another writer may serve its instances. Nothing of the commit was stored, and no later
 * commit of the writer will be stored.
 */
export class Fenced extends StorageFailure {}

/**
 * Removes the writer of an earlier run of the thread and adds the new writer. A thread that ended may have left a
 * commit that the server is still carrying out. Removing its writer waits for that commit, or makes the server refuse
 * it, so what the new run reads afterwards stays true.
 */
const BEGIN = `WITH former AS (DELETE FROM svc_writer WHERE service = $2 AND thread = $3)
INSERT INTO svc_writer (id, service, thread) VALUES ($1, $2, $3)`
const FENCE = 'UPDATE svc_writer SET seq = $2 WHERE id = $1 AND seq = $2 - 1 AND generation = $3 AND NOT is_over RETURNING 1'
const remove = (keys: string, condition: string) =>
  `DELETE FROM svc_state s USING unnest(${keys}) AS k(scope, key) WHERE s.scope = k.scope AND s.key = k.key COLLATE "C"${condition}`
const insert = (rows: string, condition: string) =>
  `INSERT INTO svc_state AS s SELECT k.scope, k.key, k.value FROM unnest(${rows}) AS k(scope, key, value)${condition} ON CONFLICT (scope, key) DO UPDATE SET value = EXCLUDED.value`

const COMMIT = `WITH w AS (${FENCE}),
d AS (${remove('$4::uuid[], $5::text[]', ' AND EXISTS (SELECT FROM w)')}),
i AS (${insert('$6::uuid[], $7::text[], $8::bytea[]', ' WHERE EXISTS (SELECT FROM w)')})
SELECT count(*) FROM w`

/** Codes of errors after which the same statement may succeed later: a deadlock, a conflict, a lock, too many connections. Nothing was stored. */
const PASSING: ReadonlySet<string | undefined> = new Set(['40P01', '40001', '55P03', '53300'])
/**
 * Code of the error of a server that accepts no writes because it is now a standby. Another connection may lead to the server that accepts writes.
 */
const READ_ONLY = '25006'
const DISK_FULL = '53100'
/** Code of the error if the row of the main thread's writer was removed (`schema-owner.ts`). */
const NO_SUCH_SERVICE = '23503'

/** Shortest and longest pause between two attempts to connect, in ms. */
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000

export interface WriterOptions {
  connect(): Promise<Link>
  /** Silence in ms after which a connection counts as broken. */
  silenceMs: number
  /** Time in ms within which the result of a commit in doubt must be known; afterwards the writer ends. */
  doubtMs: number
  /** Id of the main thread's writer in this process. Absent if this is the main thread. */
  service: string | undefined
  /** Number of this thread in its service. */
  thread: number
  onOver(cause: unknown): void
}

export interface Work {
  guard?: Batch['guard'] | undefined
  ops: readonly Op[]
  /** Value of `performance.now` until which work that was not sent yet waits for a connection. */
  until: number
}

export interface Writer {
  id: string
  /** Writes a commit, one at a time. Resolves with false only if the guard refused. */
  write(work: Work): Promise<boolean>
  isOver(): boolean
  /** Removes the writer, so that none of its commits can be stored later. */
  close(): Promise<void>
  counts(): Readonly<Counts>
}

/** Numbers of commits that were in doubt, by their result. */
export interface Counts {
  stored: number
  repeated: number
}

export async function openWriter({ connect, silenceMs, doubtMs, service, thread, onOver }: WriterOptions): Promise<Writer> {
  const id = randomUUID()
  let link = await connect()
  await link.ask({ text: BEGIN, values: [id, service, thread] }, silenceMs).catch(async (cause: unknown) => {
    await link.end()
    throw codeOf(cause) === NO_SUCH_SERVICE
      ? new Fenced('The database has no entry of this service as its writer: somebody removed it.', { cause })
      : cause
  })
  let seq = 0
  let generation = 0
  let highest = 0
  let over: StorageFailure | undefined
  let isClosing = false
  const counts: Counts = { stored: 0, repeated: 0 }
  /** Processes of the server that may still work for this writer. */
  let former: Link['backend'][] = []

  function end(failure: StorageFailure): StorageFailure {
    if (over === undefined) {
      over = failure
      link.drop()
      onOver(failure)
    }
    return over
  }

  const wentBack = (found: unknown) =>
    end(
      new StorageFailure(
        `The database went back in time: this writer's last commit is number ${seq}, and the database knows number ${found}. It was restored, or a standby without the newest commits took over.`,
      ),
    )
  const fenced = () => end(new Fenced('Another process has replaced this one as the writer of the store, so nothing was stored.'))

  /** Reads the row of this writer on the current connection. */
  async function look(): Promise<{ number: number; isOver: boolean } | undefined> {
    const { rows } = await link.ask(
      { name: 'look', text: 'SELECT seq, is_over FROM svc_writer WHERE id = $1', values: [id] },
      silenceMs,
    )
    const [row] = rows as [number, boolean][]
    return row && { number: row[0], isOver: row[1] }
  }

  /**
   * Ends the statements that earlier connections may still run, and returns the number of the last stored commit. Retries until this succeeds or the
   * time is over.
   */
  async function takeBack(until: () => number): Promise<number> {
    for (let wait = FIRST_PAUSE; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
      if (over) throw over
      try {
        link.drop()
        // During an outage no attempt gets a new connection, so the last connection is recorded only once.
        if (!former.includes(link.backend)) former.push(link.backend)
        link = await connect()
        const [pids, starts] = [former.map(([pid]) => pid), former.map(([, startedAt]) => startedAt)]
        await link.ask({ text: TERMINATE, values: [pids, starts] }, silenceMs)
        const doubts = link.doubts()
        const { rows } = await link.ask({ text: RAISE, values: [id, ++highest] }, silenceMs)
        if (link.doubts() !== doubts)
          throw new StorageFailure('The standby of the database has not yet confirmed a record that was just read.')
        if (rows.length === 0) throw await refusal()
        generation = highest
        former = []
        return rows[0]![0] as number
      } catch (error) {
        // The higher generation may already be stored in the database, although no answer came. The connection is dropped, so that the next commit
        // raises the generation again.
        link.drop()
        if (over) throw over
        if (performance.now() + wait > until() || isClosing) throw error
        await pause(wait)
      }
    }
  }

  /** Returns the reason why the fence refused a commit. */
  async function refusal(): Promise<StorageFailure> {
    const found = await look()
    return found === undefined || found.isOver ? fenced() : wentBack(found.number)
  }

  async function inOneStatement(number: number, { removed, put }: Sorted): Promise<boolean> {
    const values = [id, number, generation, uuids(removed.map(scopeOf)), texts(removed.map(restOf)), ...rowsOf(put)]
    const { rows } = await link.ask({ name: 'commit', text: COMMIT, values }, silenceMs)
    if (rows[0]![0] !== 1) throw await refusal()
    return true
  }

  /**
   * Writes a commit with a guard. The row of the key is locked before it is compared, so that no other transaction changes it before the end. If the
   * key is absent, a row is inserted and locked.
   */
  async function inTransaction(number: number, guard: NonNullable<Batch['guard']>, { removed, put }: Sorted): Promise<boolean> {
    const ask = (question: Question): Promise<Answer> => link.ask(question, silenceMs)
    await ask({ text: 'BEGIN' })
    const { rowCount } = await ask({ name: 'fence', text: FENCE, values: [id, number, generation] })
    if (rowCount !== 1) throw await refusal()
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

  /**
   * Sends a commit once. The result is true or false as in `write`. It is `again` if it is certain that nothing was stored, so that the commit may be
   * sent again, and `doubt` in all other cases.
   */
  async function attempt(number: number, work: Work, sorted: Sorted): Promise<boolean | 'again' | 'doubt'> {
    const doubts = link.doubts()
    try {
      const done = work.guard ? await inTransaction(number, work.guard, sorted) : await inOneStatement(number, sorted)
      return link.doubts() === doubts ? done : 'doubt'
    } catch (error) {
      if (over) throw over
      const code = codeOf(error)
      // The server may report an error and end although the commit is already in its log. It is certain that the transaction was rolled back only if
      // the connection still works and the stored number is still the number before the commit.
      if (code === undefined || !(await isUndone(work.guard !== undefined))) return 'doubt'
      if (code === READ_ONLY) link.drop()
      if (code === READ_ONLY || PASSING.has(code)) return 'again'
      const full = { cause: error, isFull: true }
      if (code === DISK_FULL) throw new StorageFailure('The disk of the database is full, so nothing was stored.', full)
      throw new StorageFailure(`The database refused to write the records (${code}), so nothing was stored.`, { cause: error })
    }
  }

  async function isUndone(isTransaction: boolean): Promise<boolean> {
    try {
      if (isTransaction) await link.ask({ text: 'ROLLBACK' }, silenceMs)
      const found = await look()
      return found?.number === seq
    } catch {
      return false
    }
  }

  async function write(work: Work): Promise<boolean> {
    if (over) throw over
    const number = seq + 1
    const sorted = sort(work.ops)
    let isInDoubt = false
    let doubtEnds = 0
    for (let tries = 0; ; tries++) {
      if (isInDoubt || !link.isUp()) {
        const found = await takeBack(() => (isInDoubt ? doubtEnds : work.until)).catch((cause: unknown) => {
          if (over) throw over
          const message = isInDoubt
            ? 'The connection to the database was lost during a commit, and it is unknown whether the records were stored.'
            : 'The database cannot be reached, so nothing was stored.'
          const failure = new StorageFailure(message, { cause })
          // A commit that is still in doubt must end the writer. Otherwise other code would continue as if the commit was not stored, although it may
          // be.
          throw isInDoubt ? end(failure) : failure
        })
        if (found === number && isInDoubt) {
          counts.stored++
          seq = number
          return true
        }
        if (found !== seq) throw wentBack(found)
        if (isInDoubt) {
          counts.repeated++
          // The commit was blocked for too long. It may be refused, because it is certain that the original statement changes nothing.
          if (performance.now() > work.until)
            throw new StorageFailure('The database did not answer in time, so nothing was stored.')
        }
        isInDoubt = false
      }
      const result = await attempt(number, work, sorted)
      if (result === 'doubt') {
        isInDoubt = true
        doubtEnds = performance.now() + doubtMs
        continue
      }
      if (result === 'again') {
        if (performance.now() > work.until)
          throw new StorageFailure('The database was too busy to write the records, so nothing was stored.')
        // The pause is random, because writers that block each other would otherwise retry at the same time and block each other again.
        await pause(Math.random() * Math.min(FIRST_PAUSE * 2 ** tries, LONGEST_PAUSE))
        continue
      }
      if (result) seq = number
      return result
    }
  }

  return {
    id,
    write,
    isOver: () => over !== undefined,
    counts: () => counts,
    async close() {
      isClosing = true
      if (over) return
      over = new StorageFailure('The store is closed.')
      // If the server does not answer, the row of the writer remains, as after a kill.
      await link.ask({ text: 'DELETE FROM svc_writer WHERE id = $1', values: [id] }, silenceMs).catch(() => {})
      await link.end()
    },
  }
}

/** Ends processes of the server that belonged to this service; each is identified by its number and its start time. */
export const TERMINATE = `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN unnest($1::int[], $2::text[]) AS f(pid, started)
  ON a.pid = f.pid AND a.backend_start::text = f.started WHERE a.usename = current_user AND a.pid <> pg_backend_pid()`
const RAISE = 'UPDATE svc_writer SET generation = $2 WHERE id = $1 AND generation < $2 AND NOT is_over RETURNING seq'

const TAKE = 'INSERT INTO svc_state (scope, key, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
const LOCK = 'SELECT value FROM svc_state WHERE scope = $1 AND key = $2 FOR UPDATE'

async function holds(
  { key, equals }: NonNullable<Batch['guard']>,
  ask: (question: Question) => Promise<Answer>,
): Promise<boolean> {
  const place = placeOf(key)
  if (equals === null) return (await ask({ text: TAKE, values: [place.scope, place.key, Buffer.alloc(0)] })).rowCount === 1
  const [row] = (await ask({ text: LOCK, values: [place.scope, place.key] })).rows
  return row !== undefined && Buffer.compare(row[0] as ReturnType<typeof bytesOf>, equals) === 0
}

/** The operations of a commit. If a key occurs several times, only its last operation counts. */
interface Sorted {
  removed: readonly Place[]
  put: readonly (readonly [Place, Uint8Array])[]
}

/** Sorts the operations by key, so that all writers lock rows in the same order. */
function sort(ops: readonly Op[]): Sorted {
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
