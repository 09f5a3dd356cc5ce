import { eventTypeOf } from '../../../src/domain/events.ts'
import type { EventsPage, EventsQuery } from '../../../src/domain/server-events.ts'
import type { LogDetail, LogEntry, WebhookBody } from '../../../src/domain/webhook-log.ts'
import { maskUrl } from '../../../src/webhooks/log.ts'
import type { ControlContext, Handlers } from './types.ts'

const tests: Handlers<typeof import('../../../src/features/webhooks.ts')> = {
  async 'webhooks.test'({ outbox }, { type }) {
    const { ok, code, error, durationMs, answer = null, url, eventId } = await outbox.test(eventTypeOf(type))
    return {
      delivered: ok,
      event_id: eventId,
      url: maskUrl(url),
      response_code: code,
      error,
      duration_ms: durationMs,
      response_body: answer,
    }
  },
}

export const webhooks = {
  ...tests,

  'webhooks.eventsAfter': ({ outbox }: ControlContext, query: EventsQuery): Promise<EventsPage> => outbox.events(query),

  'webhooks.resend': ({ outbox }: ControlContext, { eventId }: { eventId: string }): Promise<LogEntry> => outbox.resend(eventId),

  'webhooks.detail': ({ outbox }: ControlContext, { eventId }: { eventId: string }): Promise<LogDetail> => outbox.detail(eventId),

  'webhooks.body': ({ outbox }: ControlContext, { eventId }: { eventId: string }): Promise<WebhookBody> => outbox.body(eventId),

  async 'webhooks.resendMany'({ outbox }: ControlContext, { eventIds }: { eventIds: string[] }): Promise<{ queued: number }> {
    const { queued } = await outbox.resendMany(eventIds)
    return { queued }
  },
}
