/** A member that an operator asks to leave does so only if another one stays, also if all are asked at the same time. */
import { uuids } from '../arrays.ts'
import type { Link } from '../link.ts'
import { askOf } from './end-services.ts'

/** First half of the number of the advisory lock; it is arbitrary. The second half identifies the schema. */
const LEAVING = 7_632_144
/** Limits the wait for the lock. Another member that decides has the lock for longer only if it stands still. */
const PATIENCE = "SET LOCAL lock_timeout = '1s'"
/** Lets one member of a schema decide at a time. */
const LOCK = `SELECT pg_advisory_xact_lock(${LEAVING}, hashtext(current_schema()))`
/** This statement begins after the lock was granted, so it sees what the member before this one has decided. */
const LEAVE = `UPDATE svc_service SET leaving = true, since = now() WHERE writer = $1
  AND EXISTS (SELECT FROM svc_service WHERE writer = ANY ($2::uuid[]) AND state = 'member' AND NOT leaving) RETURNING 1`

/**
 * Marks the row of the member `writer` as leaving, if one of the members `others` does not leave. Resolves with whether
 * it was marked. After a rejection, the row is possibly marked until the member writes it again.
 */
export async function decideToLeave(link: Link, writer: string, others: readonly string[]): Promise<boolean> {
  const ask = askOf(link)
  try {
    await ask('BEGIN')
    await ask(PATIENCE)
    await ask(LOCK)
    const isMarked = (await ask(LEAVE, [writer, uuids(others)])).length > 0
    await ask(isMarked ? 'COMMIT' : 'ROLLBACK')
    return isMarked
  } catch (error) {
    if (link.isUp()) await ask('ROLLBACK')
    throw error
  }
}
