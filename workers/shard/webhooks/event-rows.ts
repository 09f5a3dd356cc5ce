import type { Op } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { type LogRow, logRows } from '../../../src/webhooks/log.ts'
import type { OutboxOptions } from './contract.ts'

export interface EventRows {
  op(eventId: string, row: LogRow): Op
  decode(eventId: string, stored: Uint8Array): LogRow
  stored(eventId: string): Promise<Uint8Array | undefined>
  /** Undefined if the event has no readable log row. Rejects if the storage itself fails. */
  read(eventId: string): Promise<LogRow | undefined>
}

export function createEventRows({
  instanceId,
  store,
  sealer,
  log,
}: Pick<OutboxOptions, 'instanceId' | 'store' | 'sealer' | 'log'>): EventRows {
  const rows = logRows(sealer)
  const keyOf = (eventId: string) => keys.logEntry(instanceId, eventId)
  const decode: EventRows['decode'] = (eventId, stored) => rows.decode(keyOf(eventId), stored)
  const stored: EventRows['stored'] = (eventId) => store.get(keyOf(eventId))

  return {
    op: (eventId, row) => rows.encode(keyOf(eventId), row),
    decode,
    stored,
    async read(eventId) {
      const found = await stored(eventId)
      try {
        return found && decode(eventId, found)
      } catch (error) {
        log.error(
          { instance_id: instanceId, event_id: eventId, err: error },
          'an entry of the webhook log is damaged on disk and cannot be read',
        )
        return undefined
      }
    },
  }
}
