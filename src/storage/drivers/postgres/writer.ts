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
import { carryOut, type FencedCommit, sort } from './fenced-commit.ts'
import { codeOf, type Link } from './link.ts'

/**
 * Error: the writer was marked as over, so another writer may serve its instances. Nothing of the commit was stored, and no later commit of the
 * writer will be stored.
 */
export class Fenced extends StorageFailure {}

/**
 * Removes the writer of an earlier run of the thread and adds the new writer. A thread that ended may have left a
 * commit that the server is still carrying out. Removing its writer waits for that commit, or makes the server refuse
 * it, so what the new run reads afterwards stays true.
 */
const BEGIN = `WITH former AS (DELETE FROM svc_writer WHERE service = $2 AND thread = $3)
INSERT INTO svc_writer (id, service, thread) VALUES ($1, $2, $3)`
/** Codes of errors after which the same statement may succeed later: a deadlock, a conflict, a lock, too many connections. Nothing was stored. */
const PASSING: ReadonlySet<string | undefined> = new Set(['40P01', '40001', '55P03', '53300'])
/**
 * Code of the error of a server that accepts no writes because it is now a standby. Another connection may lead to the server that accepts writes.
 */
const READ_ONLY = '25006'
const DISK_FULL = '53100'
/** Code of the error if the row of the main thread's writer was removed (`owner/schema-owner.ts`). */
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

/** Ends processes of the server that belonged to this service; each is identified by its number and its start time. */
export const TERMINATE = `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN unnest($1::int[], $2::text[]) AS f(pid, started)
  ON a.pid = f.pid AND a.backend_start::text = f.started WHERE a.usename = current_user AND a.pid <> pg_backend_pid()`
const RAISE = 'UPDATE svc_writer SET generation = $2 WHERE id = $1 AND generation < $2 AND NOT is_over RETURNING seq'

/** The state of a writer. The functions below share it, and only they change it. */
interface State extends Pick<WriterOptions, 'connect' | 'silenceMs' | 'doubtMs' | 'onOver'> {
  readonly id: string
  link: Link
  /** Number of the last stored commit of this writer. */
  seq: number
  /** Generation that this writer puts into its commits. */
  generation: number
  /** Highest generation that this writer has requested. The database may already have it, although no answer came. */
  highest: number
  over: StorageFailure | undefined
  isClosing: boolean
  readonly counts: Counts
  /** Processes of the server that may still work for this writer. */
  former: Link['backend'][]
}

export async function openWriter({ service, thread, ...options }: WriterOptions): Promise<Writer> {
  const { connect, silenceMs } = options
  const id = randomUUID()
  const link = await connect()
  await link.ask({ text: BEGIN, values: [id, service, thread] }, silenceMs).catch(async (cause: unknown) => {
    await link.end()
    throw codeOf(cause) === NO_SUCH_SERVICE
      ? new Fenced('The database has no entry of this service as its writer: somebody removed it.', { cause })
      : cause
  })
  const start = { seq: 0, generation: 0, highest: 0, over: undefined, isClosing: false, former: [] }
  const state: State = { ...options, ...start, id, link, counts: { stored: 0, repeated: 0 } }
  return {
    id,
    write: (work) => write(state, work),
    isOver: () => state.over !== undefined,
    counts: () => state.counts,
    async close() {
      state.isClosing = true
      if (state.over) return
      state.over = new StorageFailure('The store is closed.')
      // If the server does not answer, the row of the writer remains, as after a kill.
      await state.link.ask({ text: 'DELETE FROM svc_writer WHERE id = $1', values: [id] }, silenceMs).catch(() => {})
      await state.link.end()
    },
  }
}

async function write(state: State, work: Work): Promise<boolean> {
  if (state.over) throw state.over
  const number = state.seq + 1
  const ops = sort(work.ops)
  let doubtEnds: number | undefined
  for (let tries = 0; ; tries++) {
    if (doubtEnds !== undefined || !state.link.isUp()) {
      if (await isStored(state, work, doubtEnds)) return true
      doubtEnds = undefined
    }
    const { id: writer, generation } = state
    const result = await attempt(state, { writer, number, generation, guard: work.guard, ops })
    if (result === 'doubt') {
      doubtEnds = performance.now() + state.doubtMs
      continue
    }
    if (result === 'again') {
      if (performance.now() > work.until)
        throw new StorageFailure('The database was too busy to write the records, so nothing was stored.')
      // The pause is random, because writers that block each other would otherwise retry at the same time and block each other again.
      await pause(Math.random() * Math.min(FIRST_PAUSE * 2 ** tries, LONGEST_PAUSE))
      continue
    }
    if (result) state.seq = number
    return result
  }
}

/**
 * Sends a commit once. The result is true or false as in `write`. It is `again` if it is certain that nothing was stored, so that the commit may be
 * sent again, and `doubt` in all other cases.
 */
async function attempt(state: State, commit: FencedCommit): Promise<boolean | 'again' | 'doubt'> {
  const { link, silenceMs } = state
  const doubts = link.doubts()
  try {
    const done = await carryOut((question) => link.ask(question, silenceMs), commit)
    if (done === 'refused') throw await refusal(state)
    return link.doubts() === doubts ? done : 'doubt'
  } catch (error) {
    if (state.over) throw state.over
    const code = codeOf(error)
    // The server may report an error and end although the commit is already in its log. It is certain that the transaction was rolled back only if
    // the connection still works and the stored number is still the number before the commit.
    if (code === undefined || !(await isUndone(state, commit.guard !== undefined))) return 'doubt'
    if (code === READ_ONLY) link.drop()
    if (code === READ_ONLY || PASSING.has(code)) return 'again'
    const full = { cause: error, isFull: true }
    if (code === DISK_FULL) throw new StorageFailure('The disk of the database is full, so nothing was stored.', full)
    throw new StorageFailure(`The database refused to write the records (${code}), so nothing was stored.`, { cause: error })
  }
}

async function isUndone(state: State, isTransaction: boolean): Promise<boolean> {
  try {
    if (isTransaction) await state.link.ask({ text: 'ROLLBACK' }, state.silenceMs)
    return (await look(state))?.number === state.seq
  } catch {
    return false
  }
}

/**
 * Gets a new connection, and checks on it whether the next commit is already stored. `doubtEnds`: time until which this must be known for a commit
 * in doubt; undefined if the commit was not sent yet.
 */
async function isStored(state: State, work: Work, doubtEnds: number | undefined): Promise<boolean> {
  const isInDoubt = doubtEnds !== undefined
  const found = await takeBack(state, doubtEnds ?? work.until).catch((cause: unknown) => {
    if (state.over) throw state.over
    const message = isInDoubt
      ? 'The connection to the database was lost during a commit, and it is unknown whether the records were stored.'
      : 'The database cannot be reached, so nothing was stored.'
    const failure = new StorageFailure(message, { cause })
    // A commit that is still in doubt must end the writer. Otherwise other code would continue as if the commit was not stored, although it may
    // be.
    throw isInDoubt ? end(state, failure) : failure
  })
  if (found === state.seq + 1 && isInDoubt) {
    state.counts.stored++
    state.seq = found
    return true
  }
  if (found !== state.seq) throw wentBack(state, found)
  if (isInDoubt) {
    state.counts.repeated++
    // The commit was blocked for too long. It may be refused, because it is certain that the original statement changes nothing.
    if (performance.now() > work.until) throw new StorageFailure('The database did not answer in time, so nothing was stored.')
  }
  return false
}

/**
 * Ends the statements that earlier connections may still run, and returns the number of the last stored commit. Retries until this succeeds or the
 * time is over.
 */
async function takeBack(state: State, until: number): Promise<number> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    if (state.over) throw state.over
    try {
      return await raise(state)
    } catch (error) {
      // The higher generation may already be stored in the database, although no answer came. The connection is dropped, so that the next commit
      // raises the generation again.
      state.link.drop()
      if (state.over) throw state.over
      if (performance.now() + wait > until || state.isClosing) throw error
      await pause(wait)
    }
  }
}

/** Ends the earlier statements once, under a higher generation. */
async function raise(state: State): Promise<number> {
  const { former, silenceMs } = state
  state.link.drop()
  // During an outage no attempt gets a new connection, so the last connection is recorded only once.
  if (!former.includes(state.link.backend)) former.push(state.link.backend)
  const link = await state.connect()
  state.link = link
  const [pids, starts] = [former.map(([pid]) => pid), former.map(([, startedAt]) => startedAt)]
  await link.ask({ text: TERMINATE, values: [pids, starts] }, silenceMs)
  const doubts = link.doubts()
  const highest = ++state.highest
  const { rows } = await link.ask({ text: RAISE, values: [state.id, highest] }, silenceMs)
  if (link.doubts() !== doubts)
    throw new StorageFailure('The standby of the database has not yet confirmed a record that was just read.')
  if (rows.length === 0) throw await refusal(state)
  state.generation = highest
  state.former = []
  return rows[0]![0] as number
}

/** Reads the row of this writer on the current connection. */
async function look({ link, id, silenceMs }: State): Promise<{ number: number; isOver: boolean } | undefined> {
  const { rows } = await link.ask(
    { name: 'look', text: 'SELECT seq, is_over FROM svc_writer WHERE id = $1', values: [id] },
    silenceMs,
  )
  const [row] = rows as [number, boolean][]
  return row && { number: row[0], isOver: row[1] }
}

/** Returns the reason why the fence refused a commit. */
async function refusal(state: State): Promise<StorageFailure> {
  const found = await look(state)
  if (found !== undefined && !found.isOver) return wentBack(state, found.number)
  return end(state, new Fenced('Another process has replaced this one as the writer of the store, so nothing was stored.'))
}

const wentBack = (state: State, found: unknown) =>
  end(
    state,
    new StorageFailure(
      `The database went back in time: this writer's last commit is number ${state.seq}, and the database knows number ${found}. It was restored, or a standby without the newest commits took over.`,
    ),
  )

/** Ends the writer. Returns the first failure that ended it. */
function end(state: State, failure: StorageFailure): StorageFailure {
  if (state.over === undefined) {
    state.over = failure
    state.link.drop()
    state.onOver(failure)
  }
  return state.over
}
