/**
 * The entries by which a filter finds the rows of the log: rows are sealed, and an instance may have a hundred thousand. An event that ended
 * has one under its outcome and its type; one that waits is in the outbox or has a time at which it is tried again.
 */
import type { Op } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { LogRow } from './log.ts'

type Ending = Pick<LogRow, 'status' | 'type'>

/** There is nothing to be read: the key is all. */
const PRESENT = Buffer.from('1')

const entryOf = (instanceId: string, eventId: string, row: Ending | undefined): string | undefined =>
  row === undefined || row.status === 'pending' ? undefined : keys.logEnded(instanceId, row.status, row.type, eventId)

/** What changes in the index when a row changes; `before` or `after` undefined: there is none. */
export function indexOps(instanceId: string, eventId: string, before: Ending | undefined, after: Ending | undefined): Op[] {
  const [old, now] = [entryOf(instanceId, eventId, before), entryOf(instanceId, eventId, after)]
  if (old === now) return []
  return [...(old === undefined ? [] : [[old, null] as const]), ...(now === undefined ? [] : [[now, PRESENT] as const])]
}
