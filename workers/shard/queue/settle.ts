import type { Op } from '../../../src/storage/contract.ts'
import type { Outcomes } from '../durable-line/outcomes.ts'
import type { QueueOptions, SendResult } from './contract.ts'
import { deliveryEvent, type Waiting } from './item.ts'
import type { ItemStore } from './item-store.ts'
import type { QueueLine } from './line/queue-line.ts'

export interface SettleDeps extends Pick<QueueOptions, 'instanceId' | 'clock' | 'events' | 'announce' | 'log' | 'tally'> {
  items: ItemStore
  line: Pick<QueueLine, 'ended'>
  outcomes: Pick<Outcomes, 'write'>
}

export type Settle = (ended: readonly (readonly [Waiting, SendResult])[], more?: readonly Op[]) => Promise<void>

export function createSettle(deps: SettleDeps): Settle {
  const { instanceId, clock, events, announce, log, tally, items, line, outcomes } = deps
  return async function settle(ended, more = []) {
    const ops: Op[] = [...more]
    const appended: string[] = []
    for (const [item, result] of ended) {
      ops.push([items.itemKey(item.svcId), null])
      const delivery = deliveryEvent(item, result, clock.now())
      if (events.wanted('delivery')) {
        const event = events.append(delivery, item.requestId)
        ops.push(...event.ops)
        appended.push(event.eventId)
      } else ops.push(...events.noted(delivery))
    }
    // The events of the send results must come after the `delivery` events in the outbox.
    await outcomes.write(() => [...ops, ...ended.flatMap(([, { commit }]) => commit())])
    for (const [{ svcId }] of ended) line.ended(svcId)
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
      log.info({ instance_id: instanceId, ...about, duration_ms: clock.now() - item.queuedAt }, 'a queue item has ended')
    }
    await items.forget(ended.map(([item]) => item))
  }
}
