/** A member that an operator asks to leave does so only if another one stays, also if all are asked at the same time. */
import { uuids } from '../arrays.ts'
import type { Link } from '../link.ts'
import { askOf } from './ask-of.ts'

/** First half of the number of the advisory lock; it is arbitrary. The second half identifies the schema. */
const LEAVING = 7_632_144
/**
 * Lets one member of a schema decide at a time. The commit waits for neither the disk nor a standby, because the next
 * look of the member writes the row again.
 */
const BEGIN = `BEGIN; SET LOCAL lock_timeout = '300ms'; SET LOCAL synchronous_commit = off;
SELECT pg_advisory_xact_lock(${LEAVING}, hashtext(current_schema()))`
/**
 * Milliseconds for the whole decision. The next look waits for it, and the lease of this member ends four seconds after
 * the last look.
 */
const DECIDED_WITHIN = 1_000
/** This statement begins after the lock was granted, so it sees what the member before this one has decided. */
const LEAVE = `UPDATE svc_service SET leaving = true, since = now() WHERE writer = $1
  AND EXISTS (SELECT FROM svc_service WHERE writer = ANY ($2::uuid[]) AND state = 'member' AND NOT leaving) RETURNING 1`

/**
 * Marks the row of the member `writer` as leaving if at least one of `others` stays, and resolves with whether the row
 * was marked. After a rejection, the row is possibly marked until the member writes it again.
 */
export async function decideToLeave(link: Link, writer: string, others: readonly string[]): Promise<boolean> {
  const endsAt = performance.now() + DECIDED_WITHIN
  const ask = askOf(link, () => Math.max(1, endsAt - performance.now()))
  try {
    await ask(BEGIN)
    const marked = await ask(LEAVE, [writer, uuids(others)])
    await ask('COMMIT')
    return marked.length > 0
  } catch (error) {
    if (link.isUp()) await ask('ROLLBACK')
    throw error
  }
}
