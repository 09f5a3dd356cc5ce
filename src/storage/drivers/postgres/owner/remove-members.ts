/** A member of a cluster removes the writers of others that no longer run. */
import { codeOf, type Link } from '../link.ts'
import { askOf, endIdle, endServices } from './end-services.ts'
import { END_CONNECTIONS, SERVICES, servicesIn } from './member-lock.ts'
import type { NodeLook } from './node-watch.ts'
import { SILENCE } from './schema-lock.ts'

/** Milliseconds after which a connection in the middle of a transaction belongs to a service that stands still. */
const IDLE = 2_000
/**
 * The member may write on while this lock is held, but nobody can remove it. So of two members that find each other dead,
 * the second one finds that it was removed, and removes nobody.
 */
const KEEP = 'SELECT FROM svc_writer WHERE id = $1 FOR KEY SHARE'
const LOCK = 'SELECT FROM svc_writer WHERE id = $1 FOR UPDATE'

/**
 * Removes those of the members that have given no sign of life since they were seen so. Resolves with the names of their
 * rows. The next look tries again if the server refuses it.
 */
export async function removeMembers(link: Link, own: string, dead: readonly NodeLook[]): Promise<readonly string[]> {
  await link.ask(endIdle(IDLE), SILENCE)
  const ask = askOf(link)
  try {
    await ask('BEGIN')
    const removed = (await lockAll(link, own, dead)) ? await removeSilent(link, dead) : []
    await ask('COMMIT')
    return removed
  } catch (error) {
    // A thread of a member that still runs may have locked the same rows in another order.
    if (codeOf(error) === undefined) throw error
    await ask('ROLLBACK')
    return []
  }
}

/** Every member locks the writers in the same order. Resolves with false if this member was removed itself. */
async function lockAll(link: Link, own: string, dead: readonly NodeLook[]): Promise<boolean> {
  let isThere = false
  for (const id of [own, ...dead.map((each) => each.id)].sort()) {
    const { rowCount } = await link.ask({ text: id === own ? KEEP : LOCK, values: [id] }, SILENCE)
    if (id === own) isThere = rowCount === 1
  }
  return isThere
}

async function removeSilent(link: Link, dead: readonly NodeLook[]): Promise<readonly string[]> {
  const ask = askOf(link)
  const found = new Map(servicesIn((await ask(`SELECT ${SERVICES}`))[0]![0]).map((each) => [each.id, each]))
  const isSilent = ({ id, beat, connection }: NodeLook) =>
    found.get(id)?.beat === beat && found.get(id)?.connection === connection
  const silent = dead.filter(isSilent)
  if (silent.length === 0) return []
  // The server process of a member that stands still would show later that the member exists.
  await ask(END_CONNECTIONS, [silent.flatMap(({ connection }) => connection ?? [])])
  return (
    await endServices(
      link,
      silent.map(({ id }) => id),
    )
  ).lost
}
