/** Creates the queue of webhook events of an instance, and counts the results of deliveries. */
import { SECOND } from '../../src/domain/clock.ts'
import type { EventType } from '../../src/domain/events.ts'
import type { AttemptResults } from '../../src/domain/readings.ts'
import type { InstanceContext } from './context/instance-context.ts'
import type { InstanceEvents } from './instance-events.ts'
import type { MessageTimeline } from './messages/message-timeline.ts'
import type { FilesToCopy } from './receive/files-to-copy.ts'
import type { ShardDeps } from './shard-deps.ts'
import { createOutbox } from './webhooks/outbox.ts'

export function createInstanceWebhooks(
  deps: ShardDeps,
  { context, events }: { context: InstanceContext; events: InstanceEvents },
  timeline: MessageTimeline,
  toCopy: FilesToCopy | undefined,
) {
  const { id, store, sealer, clock, steady, log, tally, steps, working, config } = context
  const attempts: AttemptResults = { delivered: 0, retry: 0, failed: 0, discarded: 0 }
  const refused = new Map<EventType, number>()
  const outbox = createOutbox({
    instanceId: id,
    store,
    sealer,
    clock,
    steady,
    webhooks: () => config().webhooks,
    dialect: () => config().settings.dialect,
    previousSecret: () => config().previousSecret,
    deliver: (attempt, signal) => deps.deliver(attempt, signal).finally(working),
    log,
    steps,
    note: timeline.ops,
    alongside: toCopy?.ops,
    onCommitted: toCopy?.committed,
    maxWaiting: deps.outboxMax,
    onAppend: (type) => tally.add('svc_events_total', { type }),
    onOverflow: (type) => tally.add('svc_webhook_overflow_total', { type }),
    onEvents: () => deps.announce({ type: 'events', instance: id }),
    onInterest: () => events.emit('interest'),
    onResult(type, result, durationMs) {
      attempts[result]++
      if (result === 'delivered' || result === 'discarded') refused.delete(type)
      else if (!refused.has(type)) refused.set(type, clock.now())
      // The webhook of this event was switched off, so the metrics do not count the event.
      if (result === 'discarded') return
      tally.add('svc_webhook_deliveries_total', { type, result })
      tally.observe('svc_webhook_duration_seconds', { type }, (durationMs ?? 0) / SECOND)
    },
  })
  return { outbox, attempts, refusedSince: () => (refused.size === 0 ? null : Math.min(...refused.values())) }
}
