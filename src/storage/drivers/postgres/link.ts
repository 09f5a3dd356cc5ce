/**
 * One connection to PostgreSQL. It is never restored automatically, because its user must check on a new connection
 * whether a statement was carried out. So the plain client of `pg` is used: libraries that reconnect by themselves
 * (`postgres`, the pool of `pg`) do not report when a connection was lost.
 */
import type { Client, ClientConfig, QueryArrayConfig } from 'pg'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { bytesOf } from './arrays.ts'
import type { Target } from './target.ts'

/** Time limit in ms for connecting, and then for setting up the connection. */
const CONNECT_DEADLINE = 5_000
const END_DEADLINE = 2_000
const OLDEST = 140_000
const BYTEA = 17
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23])

export type Question = Pick<QueryArrayConfig, 'name' | 'text' | 'values'>

export interface Answer {
  rows: unknown[][]
  rowCount: number
}

export interface Link {
  /** The server process of this connection. The process number alone is not enough, because numbers are reused. */
  backend: readonly [pid: number, startedAt: string]
  isUp(): boolean
  /**
   * Number of warnings that may concern a commit. For example, an operator canceled the wait for a synchronous standby,
   * so the commit may be only on this server.
   */
  doubts(): number
  /** Sends a statement. Drops the connection if the answer takes longer than `silenceMs`. */
  ask(question: Question, silenceMs: number): Promise<Answer>
  drop(): void
  /** Ends the connection in order, or drops it if the server does not answer. */
  end(): Promise<void>
}

/**
 * Error for a server that is reachable, but cannot be used for a store at the moment. The message is a sentence for the
 * operator.
 */
export class UnfitServer extends StorageFailure {}

/**
 * Returns the SQL that sets up a connection, and reads the settings of the server that a store depends on. A statement
 * must read rows by the primary key, even if it was planned while the table was empty. Time limits of the server are
 * off, because a limit that ends the wait for a standby would look like success.
 */
const setUp = (schema: string) => `
SET search_path = "${schema}";
SET client_min_messages = warning;
SET default_transaction_isolation = 'read committed';
SET bytea_output = hex;
SET jit = off;
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT set_config(name, '0', false) FROM pg_settings
  WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout');
SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_setting('fsync'),
  current_setting('full_page_writes'), current_setting('synchronous_commit'), pg_is_in_recovery(), current_setting('transaction_read_only'),
  pg_backend_pid(), (SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid())`

/**
 * Server functions whose warnings do not concern the commit: they say that the database will soon need a vacuum. The
 * names of functions are the same in all languages of the server.
 */
const HARMLESS: ReadonlySet<unknown> = new Set(['GetNewTransactionId', 'GetNewMultiXactId', 'MultiXactIdCreate'])

const types = {
  getTypeParser: (oid: number) =>
    oid === BYTEA ? bytesOf : NUMBERS.has(oid) ? Number : oid === 16 ? isTrue : (text: string) => text,
}
const isTrue = (text: string) => text === 't'

/** Loads the client of `pg`, which is needed only if a store is in PostgreSQL. */
const loadClient = async () => (await import('pg')).default.Client

export async function connect(target: Target, { isPipelined = false, name = 'writer' } = {}): Promise<Link> {
  const ClientOfPg = await loadClient()
  const settings: ClientConfig & { pipeline: boolean } = {
    connectionString: target.url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_DEADLINE,
    application_name: `svc ${name}`,
    pipeline: isPipelined,
  }
  const client: Client = new ClientOfPg(settings)
  let isUp = true
  let doubts = 0
  const lose = () => {
    isUp = false
  }
  client.on('error', lose)
  client.on('end', lose)
  client.on('notice', ({ routine }) => {
    if (!HARMLESS.has(routine)) doubts++
  })
  const drop = () => {
    isUp = false
    ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }

  async function ask(question: Question, silenceMs: number): Promise<Answer> {
    const silence = setTimeout(drop, silenceMs)
    try {
      const { rows, rowCount } = await client.query<unknown[]>({ ...question, rowMode: 'array', types })
      return { rows, rowCount: rowCount ?? 0 }
    } finally {
      clearTimeout(silence)
    }
  }

  try {
    await client.connect()
    const silence = setTimeout(drop, CONNECT_DEADLINE)
    const answers = (await client
      .query({ text: setUp(target.schema), rowMode: 'array', types } as QueryArrayConfig)
      .finally(() => clearTimeout(silence))) as unknown as Answer[]
    const [version, encoding, fsync, pages, commit, isStandby, isReadOnly, pid, startedAt] = answers.at(-1)!.rows[0] as [
      number,
      string,
      string,
      string,
      string,
      boolean,
      string,
      number,
      string,
    ]
    const why =
      (version < OLDEST && 'it is older than PostgreSQL 14') ||
      (encoding !== 'UTF8' && `the encoding of the database is ${encoding} and must be UTF8`) ||
      (fsync !== 'on' && 'fsync is off, so it would lose confirmed messages with the power') ||
      (pages !== 'on' && 'full_page_writes is off, so a loss of power could damage the store') ||
      (commit !== 'on' &&
        commit !== 'remote_apply' &&
        `synchronous_commit is ${commit}, so it would confirm a commit before it is on disk; set it to on`) ||
      (isStandby && 'it is a standby, which takes no commits') ||
      (isReadOnly === 'on' && 'the database is read-only')
    if (why) throw new UnfitServer(`The PostgreSQL server of the store (${target.shown}) cannot be used: ${why}.`)
    return {
      backend: [pid, startedAt],
      isUp: () => isUp,
      doubts: () => doubts,
      ask,
      drop,
      async end() {
        if (!isUp) return
        isUp = false
        const silence = setTimeout(drop, END_DEADLINE)
        await client.end().finally(() => clearTimeout(silence))
      },
    }
  } catch (error) {
    drop()
    throw error
  }
}
