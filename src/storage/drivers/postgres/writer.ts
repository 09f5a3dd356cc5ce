/**
 * Writes the commits of one thread in sequence. Each commit raises the number `seq` in the writer's row of `svc_writer`
 * by one, in the same transaction as its operations.
 *
 * - If a connection breaks during a commit, the writer reads `seq` on a new connection. The number shows whether the
 *   commit was stored, or must be sent again.
 * - Before this read, the writer ends the old server process and raises `generation` in its row, so that the original
 *   statement changes nothing if it runs late.
 * - If `seq` has neither of the two possible values, the writer refuses all further work: the database was restored
 *   from a backup, or is a promoted standby without the newest commits.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import type { Op } from '../../contract.ts'
import { codeOf, DEADLOCK, DISK_FULL, LOCK_TIMEOUT } from './error-codes.ts'
import { carryOut, type FencedCommit, type Guard, type HomeChanges, isOfKey, sort } from './fenced-commit.ts'
import type { Link } from './link.ts'

/** Error of a writer that another one has replaced, or of a service that another one may have replaced. */
export class Fenced extends StorageFailure {}

/**
 * Removes the row of an earlier run of a thread, or the rows of all threads except the main one if there is no number.
 * If the server still carries out a commit of such a run, the statement waits for it, or makes the server refuse it.
 */
export const END_THREADS = 'DELETE FROM svc_writer WHERE service = $1 AND thread = coalesce($2, thread)'
/** Inserts the row of this writer, and does the same as `END_THREADS` with its number. */
const BEGIN = `WITH former AS (DELETE FROM svc_writer WHERE service = $2 AND thread = $3)
INSERT INTO svc_writer (id, service, thread) VALUES ($1, $2, $3)`
/**
 * Error codes after which the same statement may succeed later: a deadlock, a conflict, a lock, too many connections.
 */
const PASSING: ReadonlySet<string | undefined> = new Set([DEADLOCK, '40001', LOCK_TIMEOUT, '53300'])
/**
 * Error code of a server that accepts no writes, for example because it has become a standby. A new connection may lead
 * to the active server.
 */
const READ_ONLY = '25006'
const NO_SUCH_SERVICE = '23503'

/** Maximum first pause in ms between two attempts. The maximum doubles with each attempt, up to `LONGEST_PAUSE`. */
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000

export interface WriterOptions {
  connect(): Promise<Link>
  silenceMs: number
  /** Milliseconds after which the writer ends if it is still unknown whether a commit was stored. */
  doubtMs: number
  /** Row of the main thread in `svc_writer`; absent if this is the main thread. */
  service: string | undefined
  thread: number
  onOver(cause: unknown): void
}

export interface Work {
  guard?: Guard | undefined
  homes?: HomeChanges | undefined
  ops: readonly Op[]
  /** Deadline (`performance.now`) after which work that is certainly not stored is not tried again. */
  until: number
}

export interface Writer {
  id: string
  /**
   * Writes one commit. The caller must wait for its end before the next call. Resolves with false, and stores nothing,
   * if the condition of the batch is not met.
   */
  write(work: Work): Promise<boolean>
  isOver(): boolean
  /** Ends the writer, and removes its row if the server answers. Must be called when no commit is under way. */
  close(): Promise<void>
  counts(): Readonly<Counts>
}

export interface Counts {
  stored: number
  repeated: number
}

/** Ends server processes of this service; each is identified by its number and its start time. */
export const TERMINATE = `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN unnest($1::int[], $2::text[]) AS f(pid, started)
  ON a.pid = f.pid AND a.backend_start::text = f.started WHERE a.usename = current_user AND a.pid <> pg_backend_pid()`
/**
 * Removes writers; if one is of a main thread, also the writers of its other threads. Waits for the commits that the
 * server still carries out for them.
 */
export const REMOVE = 'DELETE FROM svc_writer WHERE id = ANY ($1::uuid[]) RETURNING is_service'
const RAISE = 'UPDATE svc_writer SET generation = $2 WHERE id = $1 AND generation < $2 AND NOT is_over RETURNING seq'

interface State extends Pick<WriterOptions, 'connect' | 'silenceMs' | 'doubtMs' | 'onOver'> {
  readonly id: string
  /** Id of the main thread's writer. */
  readonly service: string
  link: Link
  seq: number
  generation: number
  highest: number
  over: StorageFailure | undefined
  isClosing: boolean
  readonly counts: Counts
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
  const state: State = { ...options, ...start, id, service: service ?? id, link, counts: { stored: 0, repeated: 0 } }
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
    const { id: writer, service, generation } = state
    const { guard, homes } = work
    const result = await attempt(state, { writer, service, number, generation, guard, homes, ops })
    if (result === 'doubt') {
      doubtEnds = performance.now() + state.doubtMs
      continue
    }
    if (result === 'again') {
      if (performance.now() > work.until)
        throw new StorageFailure('The database was too busy to write the records, so nothing was stored.')
      // The pause is random, because writers that block each other would otherwise retry at the same time.
      await pause(Math.random() * Math.min(FIRST_PAUSE * 2 ** tries, LONGEST_PAUSE))
      continue
    }
    if (result) state.seq = number
    return result
  }
}

/**
 * Sends a commit once. Resolves with `again` if certainly nothing was stored, so that the commit may be sent again, and
 * with `doubt` if this is unknown.
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
    // The server may report an error and end although the commit is already in its log. Only a working connection with
    // the old number proves that nothing was stored.
    const isTransaction = commit.guard !== undefined && isOfKey(commit.guard)
    if (code === undefined || !(await isUndone(state, isTransaction))) return 'doubt'
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
 * Checks on a new connection whether the commit after the number `seq` is stored. `doubtEnds` is the time until which
 * the result must be known; undefined if the commit was not sent, or is certainly not stored.
 */
async function isStored(state: State, work: Work, doubtEnds: number | undefined): Promise<boolean> {
  const isInDoubt = doubtEnds !== undefined
  const found = await takeBack(state, doubtEnds ?? work.until).catch((cause: unknown) => {
    if (state.over) throw state.over
    const message = isInDoubt
      ? 'The connection to the database was lost during a commit, and it is unknown whether the records were stored.'
      : 'The database cannot be reached, so nothing was stored.'
    const failure = new StorageFailure(message, { cause })
    // The commit may be stored, so other code must not continue as if it was not.
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
    // It is certain that the original statement changes nothing, so the commit may be refused.
    if (performance.now() > work.until) throw new StorageFailure('The database did not answer in time, so nothing was stored.')
  }
  return false
}

/**
 * Ends the statements that earlier connections may still run, and resolves with the number of the last stored commit.
 * Retries until this succeeds, but not after `until`, and not when the writer is closed.
 */
async function takeBack(state: State, until: number): Promise<number> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    if (state.over) throw state.over
    try {
      return await raise(state)
    } catch (error) {
      // The higher generation may be stored although no answer arrived. The next attempt raises it again on a new
      // connection.
      state.link.drop()
      if (state.over) throw state.over
      if (performance.now() + wait > until || state.isClosing) throw error
      await pause(wait)
    }
  }
}

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

async function look({ link, id, silenceMs }: State): Promise<{ number: number; isOver: boolean } | undefined> {
  const { rows } = await link.ask(
    { name: 'look', text: 'SELECT seq, is_over FROM svc_writer WHERE id = $1', values: [id] },
    silenceMs,
  )
  const [row] = rows as [number, boolean][]
  return row && { number: row[0], isOver: row[1] }
}

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

function end(state: State, failure: StorageFailure): StorageFailure {
  if (state.over === undefined) {
    state.over = failure
    state.link.drop()
    state.onOver(failure)
  }
  return state.over
}
