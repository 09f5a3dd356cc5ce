/**
 * A service becomes the owner of a schema: it takes the lock, and removes the writers of the services that owned the
 * schema before, which can store nothing from then on.
 */
import { BRAND } from '../../../../domain/brand.ts'
import type { Takeover } from '../../../../domain/nodes.ts'
import type { OwnNode } from '../../../store-backend.ts'
import { uuids } from '../arrays.ts'
import { codeOf, type Link, type Question, UnfitServer } from '../link.ts'
import type { Target } from '../target.ts'
import { REMOVE } from '../writer.ts'
import { LOSE, showOwner } from './node-rows.ts'
import { isRefusal } from './row-writer.ts'
import { isGrantedSoon, type SchemaTurn, SILENCE } from './schema-lock.ts'

export interface TakeoverOptions {
  writer: string
  threads: number
  /** The right that a standby has received, with the connection that already holds the lock. */
  turn?: SchemaTurn | undefined
  node: OwnNode
  /** Called if an earlier service did not shut down properly. */
  onTakenOver(): void
}

const NAME = { text: "SET application_name = 'svc owner'" }
const MARK = 'UPDATE svc_writer SET is_service = true WHERE id = $1'
/** The rows of earlier runs of the service. Rows of commands are removed after a day: those commands were killed. */
const EARLIER = "id <> $1 AND (is_service OR (service IS NULL AND made_at < now() - interval '1 day'))"
/** Locks the rows in the same order as a service that ends: its writer, and then its row in `svc_service`. */
const LOCK_EARLIER = `SELECT id FROM svc_writer WHERE ${EARLIER} FOR UPDATE`
/**
 * Ends connections that stand still in the middle of a transaction, and would hold their locks. A process that runs
 * notices the broken connection and checks whether its commit was stored. Programs that only read, such as `pg_dump`,
 * are not ended.
 */
export const END_IDLE = {
  text: `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND l.relation = 'svc_writer'::regclass
  WHERE l.granted AND l.mode IN ('RowShareLock', 'RowExclusiveLock') AND a.state LIKE 'idle in transaction%'
  AND a.usename = current_user AND a.datname = current_database() AND a.pid <> pg_backend_pid()`,
}
/** Smallest of the connection limits of the server, the role and the database. */
const CONNECTIONS = {
  text: `SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
  nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
}

/**
 * Number of connections in addition to the two connections of each thread: for the owner, the log, archives, and one
 * more during the start.
 */
const OTHER_CONNECTIONS = 4
const DEADLOCK = '40P01'

/** Resolves with what the list of services says of this takeover; undefined if there was no earlier service. */
export async function takeOverSchema(link: Link, target: Target, options: TakeoverOptions): Promise<Takeover | undefined> {
  await checkConnections(link, target, { threads: options.threads })
  await take(link, target)
  await link.ask(NAME, SILENCE)
  await link.ask(END_IDLE, SILENCE)
  return replaceEarlier(link, options).catch(async (error) => {
    if (codeOf(error) !== DEADLOCK) throw error
    // A thread of the former owner was starting again, and locked the same rows in another order.
    await link.ask({ text: 'ROLLBACK' }, SILENCE)
    return replaceEarlier(link, options)
  })
}

/**
 * One transaction, because this service may be killed at any step. The former owner would then go on with its writer but
 * without its row. If this rejects, the transaction must be undone.
 *
 * If the machine of this service fails within the transaction, the server holds the locks until it notices that (eleven
 * seconds). During this time the former owner cannot raise its counter, and its lease ends.
 */
async function replaceEarlier(link: Link, { writer, turn, node, onTakenOver }: TakeoverOptions): Promise<Takeover | undefined> {
  const ask = async (text: string, values?: unknown[]) => (await link.ask({ text, ...(values && { values }) }, SILENCE)).rows
  await ask('BEGIN')
  await ask(MARK, [writer])
  const ended = uuids((await ask(LOCK_EARLIER, [writer])).flat() as string[])
  /** Without the row, the service takes over all the same. The beat stores it when the server takes it again. */
  async function show(question: Question): Promise<unknown[]> {
    await ask('SAVEPOINT shown')
    return link.ask(question, SILENCE).then(
      ({ rows }) => rows.flat(),
      async (error) => {
        if (!isRefusal(error)) throw error
        await ask('ROLLBACK TO SAVEPOINT shown')
        return []
      },
    )
  }
  // If this is refused, the next statement removes the rows of the services with their writers.
  const [lost] = (await show({ text: LOSE, values: [ended] })) as string[]
  const hasFailed = (await ask(REMOVE, [ended])).some(([isService]) => isService)
  const takeover = takeoverOf(hasFailed, lost ?? turn?.former)
  await show(showOwner(node, writer, takeover))
  await ask('COMMIT')
  if (hasFailed) onTakenOver()
  return takeover
}

function takeoverOf(hasFailed: boolean, from: string | undefined): Takeover | undefined {
  if (hasFailed) return { from, cause: 'failure' }
  return from === undefined ? undefined : { from, cause: 'planned' }
}

async function take(link: Link, { shown }: Target): Promise<void> {
  if (await isGrantedSoon(link)) return
  throw new Error(
    `Another ${BRAND} runs on the store in ${shown}; stop that one, or give this one a schema of its own (?schema= in the URL of the store).`,
  )
}

/**
 * Throws a sentence for the operator if the server allows too few connections. A standby needs its own in addition to
 * those of the service that it replaces.
 */
export async function checkConnections(
  link: Link,
  { shown }: Target,
  { threads, isStandby = false }: { threads: number; isStandby?: boolean },
): Promise<void> {
  const allowed = (await link.ask(CONNECTIONS, SILENCE)).rows[0]![0] as number
  const own = 2 * threads + OTHER_CONNECTIONS
  const needed = isStandby ? 2 * own : own
  if (allowed >= needed) return
  const whose = isStandby ? 'this service and the one whose standby it is need' : 'this service needs'
  throw new UnfitServer(
    `The PostgreSQL server of the store (${shown}) allows ${allowed} connections, and ${whose} ${needed}; raise max_connections or the limit of the role or database, or lower SVC_SHARDS.`,
  )
}
