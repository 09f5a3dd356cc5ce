/**
 * Index entries by which a filter finds rows of the log, because the rows are encrypted. An event that ended has an
 * entry under its outcome and type; a waiting event has none.
 */
import type { Op } from '../storage/contract.ts'
import { keys } from '../storage/record-keys.ts'
import type { LogRow } from './log.ts'

type Ending = Pick<LogRow, 'status' | 'type'>

const PRESENT = Buffer.from('1')

const entryOf = (instanceId: string, eventId: string, row: Ending | undefined): string | undefined =>
  row === undefined || row.status === 'pending' ? undefined : keys.logEnded(instanceId, row.status, row.type, eventId)

export function indexOps(instanceId: string, eventId: string, before: Ending | undefined, after: Ending | undefined): Op[] {
  const [old, now] = [entryOf(instanceId, eventId, before), entryOf(instanceId, eventId, after)]
  if (old === now) return []
  return [...(old === undefined ? [] : [[old, null] as const]), ...(now === undefined ? [] : [[now, PRESENT] as const])]
}
