/**
 * Removes the writers of services that have ended, or that another service replaces. They can store nothing from then on.
 */
import type { Takeover } from '../../../../domain/nodes.ts'
import { uuids } from '../arrays.ts'
import { codeOf, type Link, type Question } from '../link.ts'
import { REMOVE } from '../writer.ts'
import { type ActiveNode, LOSE, showActive } from './node-rows.ts'
import { isRefusal } from './row-writer.ts'
import { SILENCE } from './schema-lock.ts'

const DEADLOCK = '40P01'
const MARK = 'UPDATE svc_writer SET is_service = true WHERE id = $1'
/** SQL that is true if the writer `w` belongs to a command that was killed. */
const IS_OLD_COMMAND = "w.service IS NULL AND NOT w.is_service AND w.made_at < now() - interval '1 day'"

/**
 * Ends connections that have stood still in the middle of a transaction for this time in ms, and would hold their locks. A
 * process that runs notices the broken connection and checks whether its commit was stored. Programs that only read, such
 * as `pg_dump`, are not ended.
 */
export const endIdle = (forMs = 0): Question => ({
  text: `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND l.relation = 'svc_writer'::regclass
  WHERE l.granted AND l.mode IN ('RowShareLock', 'RowExclusiveLock') AND a.state LIKE 'idle in transaction%'
  ${forMs > 0 ? `AND a.state_change < clock_timestamp() - interval '${forMs} milliseconds'` : ''}
  AND a.usename = current_user AND a.datname = current_database() AND a.pid <> pg_backend_pid()`,
})

export interface Ended {
  /** Names of the services whose rows were marked as lost. */
  lost: readonly string[]
  /** Whether one of them was a service, and not a command. */
  hasFailed: boolean
}

type Ask = (text: string, values?: unknown[]) => Promise<unknown[][]>

export const askOf =
  (link: Link): Ask =>
  async (text, values) =>
    (await link.ask({ text, ...(values && { values }) }, SILENCE)).rows

/** Must run in a transaction that has locked the writers. */
export async function endServices(link: Link, writers: readonly string[]): Promise<Ended> {
  const ended = uuids(writers)
  // If this is refused, the next statement removes the rows of the services with their writers.
  const lost = (await unlessRefused(link, { text: LOSE, values: [ended] })).flat() as string[]
  return { lost, hasFailed: (await askOf(link)(REMOVE, [ended])).some(([isService]) => isService) }
}

/** Without a row in `svc_service`, a service works all the same. The beat stores it when the server takes it again. */
async function unlessRefused(link: Link, question: Question): Promise<unknown[][]> {
  await askOf(link)('SAVEPOINT shown')
  return link.ask(question, SILENCE).then(
    ({ rows }) => rows,
    async (error) => {
      if (!isRefusal(error)) throw error
      await askOf(link)('ROLLBACK TO SAVEPOINT shown')
      return []
    },
  )
}

export interface ReplaceOptions extends Omit<ActiveNode, 'takeover'> {
  /** SQL that is true if this service replaces the service of the writer `w`. */
  replaced: string
  /** Name of the service that was active before, if it has stopped in order. */
  former?: string | undefined
  /** Called if an earlier service did not shut down properly. */
  onTakenOver(): void
}

/** Makes this service active. Resolves with what the list of services says of this takeover; undefined if there is none. */
export async function replaceEarlier(link: Link, options: ReplaceOptions): Promise<Takeover | undefined> {
  return replaceOnce(link, options).catch(async (error) => {
    if (codeOf(error) !== DEADLOCK) throw error
    // A thread of the former owner was starting again, and locked the same rows in another order.
    await askOf(link)('ROLLBACK')
    return replaceOnce(link, options)
  })
}

/**
 * One transaction, because this service may be killed at any step. The former owner would then go on with its writer but
 * without its row. If this rejects, the transaction must be undone.
 *
 * If the machine of this service fails within the transaction, the server holds the locks until it notices that (eleven
 * seconds). During this time the former owner cannot raise its counter, and its lease ends.
 */
async function replaceOnce(link: Link, { writer, replaced, former, onTakenOver, ...shown }: ReplaceOptions) {
  const ask = askOf(link)
  await ask('BEGIN')
  await ask(MARK, [writer])
  // The rows are locked in the same order as by a service that ends: its writer, and then its row in `svc_service`.
  const earlier = await ask(
    `SELECT w.id FROM svc_writer w WHERE w.id <> $1 AND ((w.is_service AND ${replaced}) OR (${IS_OLD_COMMAND})) ORDER BY w.id FOR UPDATE`,
    [writer],
  )
  const { lost, hasFailed } = await endServices(link, earlier.flat() as string[])
  const takeover = takeoverOf(hasFailed, lost[0] ?? former)
  await unlessRefused(link, showActive({ ...shown, writer, takeover }))
  await ask('COMMIT')
  if (hasFailed) onTakenOver()
  return takeover
}

function takeoverOf(hasFailed: boolean, from: string | undefined): Takeover | undefined {
  if (hasFailed) return { from, cause: 'failure' }
  return from === undefined ? undefined : { from, cause: 'planned' }
}
