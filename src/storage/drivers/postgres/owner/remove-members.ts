/** A member of a cluster removes the writers of others that no longer run. */
import type { Link } from '../link.ts'
import { askOf } from './ask-of.ts'
import { endServices } from './end-services.ts'
import { END_CONNECTIONS, SERVICES, servicesIn } from './member-lock.ts'
import type { NodeLook } from './node-watch.ts'
import { SILENCE } from './schema-lock.ts'

/**
 * Limits the wait for a row that an operator, or a thread of the member that still runs, has locked. The next look
 * tries again.
 */
const PATIENCE = "SET LOCAL lock_timeout = '1s'"
/**
 * Locks the row of this member, so that no other member can remove it; its threads can still write. If two members
 * judge each other dead, the second one then finds that it was removed itself.
 */
const KEEP = 'SELECT FROM svc_writer WHERE id = $1 FOR KEY SHARE'
const LOCK = 'SELECT FROM svc_writer WHERE id = $1 FOR UPDATE'

/**
 * Removes the member `dead` if its counter and its connection are still those in `dead`, and if the member `own` was
 * not removed. Resolves with whether the member was removed. After a rejection with an error of the server, nothing was
 * removed.
 */
export async function removeMember(link: Link, own: string, dead: NodeLook): Promise<boolean> {
  const ask = askOf(link)
  try {
    await ask('BEGIN')
    await ask(PATIENCE)
    const isRemoved = (await lockBoth(link, own, dead.id)) && (await removeSilent(link, dead))
    // A commit of the locks alone would wait for the disk, so a transaction that changes nothing is rolled back.
    await ask(isRemoved ? 'COMMIT' : 'ROLLBACK')
    return isRemoved
  } catch (error) {
    if (link.isUp()) await ask('ROLLBACK')
    throw error
  }
}

/**
 * Locks both writers, in an order that is the same for every member. Resolves with false if one of the two was removed.
 */
async function lockBoth(link: Link, own: string, dead: string): Promise<boolean> {
  for (const id of [own, dead].sort()) {
    const { rowCount } = await link.ask({ text: id === own ? KEEP : LOCK, values: [id] }, SILENCE)
    if (rowCount !== 1) return false
  }
  return true
}

async function removeSilent(link: Link, { id, beat, connection }: NodeLook): Promise<boolean> {
  const ask = askOf(link)
  const found = servicesIn((await ask(`SELECT ${SERVICES}`))[0]![0]).find((each) => each.id === id)
  if (found?.beat !== beat || found.connection !== connection) return false
  // The connection of a paused member is ended, because it would otherwise show later that the member exists.
  if (connection !== undefined) await ask(END_CONNECTIONS, [[connection]])
  return (await endServices(link, [id])).hasFailed
}
