/** The end of items: what became of them is told in the commit that removes them, however long the disk makes us wait for it. */
import type { Op } from '../../../src/storage/contract.ts'
import { persistently } from '../../../src/storage/persist.ts'
import type { Timer } from '../../../src/storage/timer.ts'
import type { QueueOptions } from './contract.ts'
import { deliveryEvent, type SendOutcome, type Waiting } from './item.ts'
import type { Shelf } from './item-store.ts'

export interface SettleDeps
  extends Pick<QueueOptions, 'instanceId' | 'store' | 'clock' | 'events' | 'onDelivery' | 'onSettled' | 'log'> {
  shelf: Shelf
  timer: Timer
  /** Ends the waiting for a disk that fails. */
  signal: AbortSignal
}

/** `more` goes into the same commit. */
export type Settle = (ended: readonly (readonly [Waiting, SendOutcome])[], more?: readonly Op[]) => Promise<void>

export function createSettle({
  instanceId,
  store,
  clock,
  events,
  onDelivery,
  onSettled,
  log,
  shelf,
  timer,
  signal,
}: SettleDeps): Settle {
  return async function settle(ended, more = []) {
    const ops: Op[] = [...more]
    const appended: string[] = []
    for (const [item, outcome] of ended) {
      ops.push([shelf.itemKey(item.svcId), null])
      if (events.wanted('delivery')) {
        const event = events.append(deliveryEvent(item, outcome, clock.now()))
        ops.push(...event.ops)
        appended.push(event.eventId)
      }
      // After the delivery: events that go with it follow it in the outbox, too.
      ops.push(...(onDelivery?.(item, outcome) ?? []))
    }
    await persistently(() => store.commit({ ops }), {
      timer,
      signal,
      onFailure: (err, waitMs) =>
        log.error({ instance_id: instanceId, err, retry_in_ms: waitMs }, 'queue: an outcome could not be stored'),
    })
    for (const eventId of appended) events.committed(eventId)
    for (const [item, outcome] of ended) {
      onSettled?.(item, outcome)
      const error = outcome.status === 'failed' ? outcome.code : null
      const about = { svc_id: item.svcId, message_id: item.messageId, operation: item.operation, error }
      log.info({ instance_id: instanceId, ...about, duration_ms: clock.now() - item.queuedAt }, 'queue item done')
    }
    await shelf.removeMedia(ended.map(([item]) => item))
  }
}
