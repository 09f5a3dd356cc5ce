/** Ends of items: the outcome is reported in the commit that removes the item, however long the disk takes. */
import type { Op } from '../../../src/storage/contract.ts'
import { persistently } from '../../../src/storage/persist.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { QueueOptions, SendResult } from './contract.ts'
import { deliveryEvent, type Waiting } from './item.ts'
import type { ItemStore } from './item-store.ts'

export interface SettleDeps
  extends Pick<QueueOptions, 'instanceId' | 'store' | 'clock' | 'events' | 'announce' | 'log' | 'tally'> {
  items: ItemStore
  timer: Timer
  /** Ends the retries on a failing disk. */
  signal: AbortSignal
}

/** `more` is written in the same commit. */
export type Settle = (ended: readonly (readonly [Waiting, SendResult])[], more?: readonly Op[]) => Promise<void>

export function createSettle({
  instanceId,
  store,
  clock,
  events,
  announce,
  log,
  tally,
  items,
  timer,
  signal,
}: SettleDeps): Settle {
  return async function settle(ended, more = []) {
    const ops: Op[] = [...more]
    const appended: string[] = []
    for (const [item, { outcome }] of ended) {
      ops.push([items.itemKey(item.svcId), null])
      const delivery = deliveryEvent(item, outcome, clock.now())
      if (events.wanted('delivery')) {
        const event = events.append(delivery, item.requestId)
        ops.push(...event.ops)
        appended.push(event.eventId)
      } else ops.push(...events.noted(delivery))
    }
    // The effects of a send come after its delivery, so that related events also follow it in the outbox.
    await persistently(() => store.commit({ ops: [...ops, ...ended.flatMap(([, { commit }]) => commit())] }), {
      timer,
      signal,
      onFailure: (err, waitMs) =>
        log.error({ instance_id: instanceId, err, retry_in_ms: waitMs }, 'queue: the outcome of an item could not be stored'),
    })
    for (const eventId of appended) events.committed(eventId)
    for (const [item, { outcome, after }] of ended) {
      if (outcome.status === 'sent') tally.add('svc_queue_sent_total', { type: item.operation })
      else tally.add('svc_queue_failed_total', { type: item.operation, error_code: outcome.code })
      after()
      announce(item.svcId, outcome)
      const error = outcome.status === 'failed' ? outcome.code : null
      const about = {
        svc_id: item.svcId,
        message_id: item.messageId,
        operation: item.operation,
        error,
        request_id: item.requestId,
      }
      log.info({ instance_id: instanceId, ...about, duration_ms: clock.now() - item.queuedAt }, 'queue item done')
    }
    await items.removeMedia(ended.map(([item]) => item))
  }
}
