/** Builds the bytes of an event, and the first row of its log. All attempts post the same bytes. */
import type { Dialect } from '../../../src/domain/dialect.ts'
import type { EventType } from '../../../src/domain/events.ts'
import { ignoreField, urlField, WEBHOOK_URLS, type WebhookSettings } from '../../../src/domain/instance.ts'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import { type LogRow, maskUrl } from '../../../src/webhooks/log.ts'
import { zapiForm } from './dialect-zapi.ts'

/** Whether a webhook or a stream reader needs events of a type. Events of a silenced type are not needed. */
export const isWanted = (settings: WebhookSettings, type: EventType, isRead: boolean): boolean =>
  !settings[ignoreField(type)] && (isRead || settings[urlField(type)] !== null)

/** Whether all five URLs are set and equal: the single-URL mode. */
function isSingleUrl(settings: WebhookSettings): boolean {
  const url = settings[WEBHOOK_URLS[0]!]
  return typeof url === 'string' && WEBHOOK_URLS.every((field) => settings[field] === url)
}

const FORMS: Readonly<Record<Dialect, typeof zapiForm>> = { zapi: zapiForm }

/** Returns the body of an event, which every attempt sends. The fields have the order of the API documentation. */
export function eventBytes(
  instanceId: string,
  eventId: string,
  { type, at, body }: WebhookEvent,
  settings: WebhookSettings,
  { isTest = false, dialect = null }: { isTest?: boolean; dialect?: Dialect | null } = {},
): Buffer {
  const envelope: Record<string, unknown> = { type, event_id: eventId, instance_id: instanceId, momment: at }
  if (isSingleUrl(settings)) envelope.single_url = true
  if (isTest) envelope.test = true
  if (dialect !== null) return Buffer.from(jsonOf(FORMS[dialect]({ ...envelope, ...body })))
  // Envelope and body are joined as text, because creating one object from both takes longer. The body is never empty.
  return Buffer.from(`${JSON.stringify(envelope).slice(0, -1)},${jsonOf(body).slice(1)}`)
}

/**
 * Returns the JSON of an event. Strict parsers refuse half of a surrogate pair, so it is replaced by U+FFFD, as on the
 * network.
 */
function jsonOf(event: object): string {
  const json = JSON.stringify(event)
  const isSuspect = json.includes('\\ud')
  return isSuspect ? JSON.stringify(event, (_, value) => (typeof value === 'string' ? value.toWellFormed() : value)) : json
}

function aboutOf(event: WebhookEvent): NonNullable<LogRow['about']> {
  switch (event.type) {
    case 'received':
      return [event.body.phone, event.body.message_id, event.body.message_type]
    case 'delivery':
      return [event.body.phone, event.body.message_id, event.body.status]
    case 'message_status':
      return [event.body.phone, event.body.ids[0] ?? null, event.body.status]
    case 'chat_presence':
      return [event.body.phone, null, event.body.status]
    case 'instance_status':
      return [null, null, event.body.status]
    default:
      return event satisfies never
  }
}

export function firstRow(event: WebhookEvent, settings: WebhookSettings, now: number, requestId: string | undefined): LogRow {
  const { type } = event
  const url = settings[urlField(type)]
  return {
    type,
    about: aboutOf(event),
    url: url === null ? '' : maskUrl(url),
    status: 'pending',
    attempts: 0,
    tries: 0,
    body: 'line',
    dueAt: null,
    code: null,
    error: null,
    durationMs: null,
    createdAt: now,
    finishedAt: null,
    failures: [],
    requestId,
  }
}
