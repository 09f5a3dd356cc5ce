/**
 * Removes the writers of services that have ended, or that another service replaces. From then on, these services can
 * store nothing.
 */
import type { Takeover } from '../../../../domain/nodes.ts'
import { uuids } from '../arrays.ts'
import { codeOf, DEADLOCK } from '../error-codes.ts'
import type { Link, Question } from '../link.ts'
import { REMOVE } from '../writer.ts'
import { askOf } from './ask-of.ts'
import { type ActiveNode, LOSE, showActive } from './node-rows.ts'
import { isRefusal } from './row-writer.ts'
import { SILENCE } from './schema-lock.ts'

const MARK = 'UPDATE svc_writer SET is_service = true WHERE id = $1'
/** SQL that is true if the writer `w` belongs to a command that has probably been killed, because it is a day old. */
const IS_OLD_COMMAND = "w.service IS NULL AND NOT w.is_service AND w.made_at < now() - interval '1 day'"

/**
 * Ends connections that have been idle in a transaction for `forMs` ms, because they hold locks. Connections that only
 * read, such as those of `pg_dump`, are not ended.
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
  /** Whether one of the removed writers belonged to a service, and not to a command. */
  hasFailed: boolean
}

/** Removes these writers, and marks their services as lost. Must run in a transaction that has locked the writers. */
export async function endServices(link: Link, writers: readonly string[]): Promise<Ended> {
  const ended = uuids(writers)
  // If the server refuses this, the next statement removes the rows of these services together with their writers.
  const lost = (await unlessRefused(link, { text: LOSE, values: [ended] })).flat() as string[]
  return { lost, hasFailed: (await askOf(link)(REMOVE, [ended])).some(([isService]) => isService) }
}

/**
 * Carries out a statement on `svc_service`. Resolves with no rows if the server refuses it, because a service works
 * without its row.
 */
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
  /** Name of the service that was active before, if it has shut down properly. */
  former?: string | undefined
  /** Called if an earlier service did not shut down properly. */
  onTakenOver(): void
}

/**
 * Makes this service active, and ends the services that it replaces. Resolves with the takeover as the list of services
 * shows it; undefined if no service has failed or handed over to this one.
 */
export async function replaceEarlier(link: Link, options: ReplaceOptions): Promise<Takeover | undefined> {
  return replaceOnce(link, options).catch(async (error) => {
    if (codeOf(error) !== DEADLOCK) throw error
    // The deadlock: a thread of the former owner was starting again, and locked the same rows in another order.
    await askOf(link)('ROLLBACK')
    return replaceOnce(link, options)
  })
}

/**
 * Does the work of `replaceEarlier` in one transaction. This service may be killed at any step, and the former owner
 * could otherwise continue with its writer but without its row. If this rejects, the caller must undo the transaction.
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
