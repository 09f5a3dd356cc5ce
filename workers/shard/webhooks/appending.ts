/** Adds an event to the outbox, in the commit of its cause (such as a received message). */
import { urlField } from '../../../src/domain/instance.ts'
import type { AscendingIds } from '../../../src/storage/ascending-ids.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Outcomes } from '../durable-line/outcomes.ts'
import type { Backlog } from './backlog.ts'
import type { Outbox, OutboxOptions } from './contract.ts'
import type { EventRows } from './event-rows.ts'
import type { EventTimes } from './event-times.ts'
import { eventBytes, firstRow, isWanted } from './finished-event.ts'
import type { LogPruning } from './log-pruning.ts'
import type { Stream } from './stream/stream.ts'
import type { EventLine } from './turns/delivery-queue.ts'

export interface AppendingDeps
  extends Pick<
    OutboxOptions,
    'instanceId' | 'sealer' | 'clock' | 'webhooks' | 'dialect' | 'note' | 'alongside' | 'onAppend' | 'onCommitted'
  > {
  ids: AscendingIds
  times: EventTimes
  rows: EventRows
  line: EventLine
  outcomes: Outcomes
  backlog: Backlog
  pruning: LogPruning
  stream: Stream
  wake(): void
}

export function createAppending(deps: AppendingDeps): Pick<Outbox, 'wanted' | 'append' | 'noted' | 'committed'> {
  const { instanceId, sealer, clock, webhooks, ids, times, rows, line, outcomes, stream } = deps
  return {
    wanted: (type) => isWanted(webhooks(), type, stream.keeps(type)),
    append(event, requestId) {
      const eventId = ids.next()
      const key = keys.outboxEvent(instanceId, eventId)
      const settings = webhooks()
      deps.onAppend?.(event.type)
      const { at, ops } = times.next(event)
      const finished = { ...event, at } as typeof event
      const body = eventBytes(instanceId, eventId, finished, settings)
      const isRead = stream.keeps(event.type)
      const isForWebhook = !isRead || settings[urlField(event.type)] !== null
      if (isRead) ops.push(...stream.append(eventId, event.type, body, isForWebhook))
      if (isForWebhook) {
        const row = firstRow(finished, settings, clock.now(), requestId)
        const dialect = deps.dialect?.() ?? null
        const posted = dialect === null ? body : eventBytes(instanceId, eventId, finished, settings, { dialect })
        line.coming({ id: eventId, row, body: posted })
        ops.unshift(...outcomes.take(eventId))
        ops.push([key, sealer.seal(key, posted)], rows.op(eventId, row))
      }
      ops.push(...(deps.note?.(finished, isForWebhook ? eventId : null) ?? []))
      ops.push(...(deps.alongside?.(finished, eventId) ?? []))
      return { eventId, ops }
    },
    noted: (event) => deps.note?.(event, null) ?? [],
    committed(eventId) {
      deps.onCommitted?.(eventId)
      if (!stream.committed(eventId)) return
      outcomes.carried(eventId)
      deps.backlog.changed(1)
      line.committed(eventId)
      deps.pruning.added()
      deps.wake()
    },
  }
}
