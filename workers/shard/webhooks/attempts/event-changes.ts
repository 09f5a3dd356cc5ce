/** Changes one event: one commit writes its log row, its entry in the index, and its body. */
import type { Op } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import { bodyOps, ERASE, type LogRow, RETRY } from '../../../../src/webhooks/log.ts'
import { indexOps } from '../../../../src/webhooks/log-index.ts'
import type { Backlog } from '../backlog.ts'
import type { OutboxOptions } from '../contract.ts'
import type { EventRows } from '../event-rows.ts'
import type { EventLine } from '../turns/delivery-queue.ts'

export interface EventChangesDeps extends Pick<OutboxOptions, 'instanceId' | 'sealer'> {
  rows: EventRows
  line: Pick<EventLine, 'committed' | 'ended'>
  backlog: Pick<Backlog, 'changed'>
  overflow(): { parked(eventId: string): void }
}

export function createEventChanges({ instanceId, sealer, rows, line, backlog, overflow }: EventChangesDeps) {
  function bodyAt(eventId: string, { body: place, status, dueAt }: LogRow, body: Uint8Array): Op[] {
    const key = place === 'line' ? keys.outboxEvent(instanceId, eventId) : keys.parkedEvent(instanceId, eventId)
    const stored: Op = [key, sealer.seal(key, body)]
    if (place === 'line') return [stored]
    return [stored, [keys.due(instanceId, dueAt!, eventId), status === 'failed' ? ERASE : RETRY]]
  }

  return {
    /**
     * Returns the operations that change an event from `before` to `after`, and store its body if it is
     * given. If two operations have the same key, the later one takes effect, so an earlier body is replaced.
     */
    ops: (eventId: string, before: LogRow, after: LogRow, body?: Uint8Array): Op[] => [
      ...bodyOps(instanceId, eventId, before),
      ...(body === undefined ? [] : bodyAt(eventId, after, body)),
      rows.op(eventId, after),
      ...indexOps(instanceId, eventId, before, after),
    ],

    /**
     * Applies the change to the queue and the counts in memory. Called after the commit, or when the outcome
     * was accepted for a later commit.
     */
    made(eventId: string, before: LogRow, after: LogRow): void {
      if (after.body === 'line') line.committed(eventId)
      else line.ended(eventId)
      // The backlog counts only pending events.
      if (before.status === 'pending' && after.status !== 'pending') backlog.changed(-1)
      if (after.body === 'parked' && after.status === 'pending') overflow().parked(eventId)
    },
  }
}
export type EventChanges = ReturnType<typeof createEventChanges>
