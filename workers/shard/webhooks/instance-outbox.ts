/** The outbox of one instance with its metrics, and the results of its attempts since the start. */
import type { Logger } from 'pino'
import { SECOND } from '../../../src/domain/clock.ts'
import type { AttemptResults } from '../../../src/domain/readings.ts'
import type { Context } from '../context/instance-context.ts'
import type { InstanceEvents } from '../context/instance-events.ts'
import type { MessageTimeline } from '../receipts/message-timeline.ts'
import type { ShardDeps } from '../shard-deps.ts'
import { createOutbox, type Outbox } from './outbox.ts'

type OutboxContext = Context<'id' | 'store' | 'sealer' | 'clock' | 'steady' | 'tally' | 'steps' | 'config'> & { log: Logger }

export interface InstanceOutboxDeps {
  shard: Pick<ShardDeps, 'deliver' | 'outboxMax' | 'announce'>
  timeline: Pick<MessageTimeline, 'ops'>
  events: InstanceEvents
}

export interface InstanceOutbox {
  outbox: Outbox
  attempts: Readonly<AttemptResults>
}

export function createInstanceOutbox(context: OutboxContext, { shard, timeline, events }: InstanceOutboxDeps): InstanceOutbox {
  const { id, store, sealer, clock, steady, log, tally, steps, config } = context
  const attempts: AttemptResults = { delivered: 0, retry: 0, failed: 0, discarded: 0 }
  const outbox = createOutbox({
    instanceId: id,
    store,
    sealer,
    clock,
    steady,
    webhooks: () => config().webhooks,
    dialect: () => config().settings.dialect,
    previousSecret: () => config().previousSecret,
    deliver: shard.deliver,
    log,
    steps,
    note: timeline.ops,
    maxWaiting: shard.outboxMax,
    onAppend: (type) => tally.add('svc_events_total', { type }),
    onOverflow: (type) => tally.add('svc_webhook_overflow_total', { type }),
    onEvents: () => shard.announce({ type: 'events', instance: id }),
    onInterest: () => events.emit('interest'),
    onResult(type, result, durationMs) {
      attempts[result]++
      // An event whose webhook was switched off in the meantime is not attempted at all.
      if (result === 'discarded') return
      tally.add('svc_webhook_deliveries_total', { type, result })
      tally.observe('svc_webhook_duration_seconds', { type }, (durationMs ?? 0) / SECOND)
    },
  })
  return { outbox, attempts }
}
