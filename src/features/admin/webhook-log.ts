import { z } from 'zod'
import { iso } from '../../domain/clock.ts'
import { EVENT_TYPES } from '../../domain/events.ts'
import { LOG_STATUSES } from '../../domain/webhook-log.ts'
import { MAX_INSTANCE_SLOTS } from '../../domain/workspace.ts'
import { local } from '../endpoint.ts'
import { instant, moment, oneOf, paged, paging, text, ulid, uuid } from '../fields.ts'
import type { AccountCall } from '../parts.ts'

const Entry = z
  .object({
    id: z.string().meta({ description: 'ULID: the `event_id`.' }),
    instance_id: z.string().meta({ description: 'UUID of the instance.' }),
    type: z.enum(EVENT_TYPES).meta({ description: 'Event type.' }),
    phone: z.string().nullable().meta({ description: 'Chat of the event; null if the event is about the instance.' }),
    message_id: z
      .string()
      .nullable()
      .meta({ description: 'Message of the event, the first one if it reports several; null if there is none.' }),
    state: z.string().nullable().meta({
      description: '`message_type` of a `received`, otherwise the `status` of the event. Null in rows of earlier releases.',
    }),
    url: z.string().meta({
      description:
        'URL of the last attempt or, before the first, the URL configured when the event happened. Query values are masked.',
    }),
    status: z.enum(LOG_STATUSES).meta({
      description:
        '`pending`: the event waits for its next attempt. `failed`: all attempts failed, or its type was switched off. Rows of earlier releases have `discarded` in the latter case.',
    }),
    attempts: z
      .int()
      .meta({ description: 'Number of attempts so far. Probes of a receiver that was down and manual resends count.' }),
    last_response_code: z.int().nullable().meta({ description: 'HTTP status of the last attempt; null if there was no answer.' }),
    last_error: z.string().nullable().meta({
      description:
        '`timeout`, `dns`, `tls`, `refused`, `blocked`, `connection`, `redirect`, `status 500`, `backlog full`, `switched off`, …',
    }),
    last_duration_ms: z.int().nullable().meta({ description: 'Duration of the last attempt, in ms.' }),
    last_response_body: z
      .string()
      .nullable()
      .meta({
        description:
          'First 2,048 bytes of the last answer to an attempt that failed, or the first 256 characters of the answer with which the event was delivered, as text. ' +
          'Query values of the URL are masked. Null if there was no answer, or an empty one, and when the body of an event that failed is erased.',
      }),
    created_at: instant.meta({ description: 'Time of the event.' }),
    next_attempt_at: instant
      .nullable()
      .meta({ description: 'Time of the next attempt. Null when there is none, or when it is due in its turn.' }),
    finished_at: instant.nullable().meta({ description: 'Time at which the event was delivered or failed.' }),
    resendable: z.boolean().meta({ description: 'Whether the body is still stored.' }),
  })
  .meta({ id: 'WebhookLogEntry' })

const example = {
  id: '01JK3V8Q2M6T0Z4R7Y9B1C5D8F',
  instance_id: '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90',
  type: 'received',
  phone: '5511988887777',
  message_id: '3EB0A1B2C3D4E5F60718',
  state: 'text',
  url: 'https://example.com/hook',
  status: 'failed',
  attempts: 6,
  last_response_code: 500,
  last_error: 'status 500',
  last_duration_ms: 812,
  last_response_body: "KeyError: 'phone'",
  created_at: '2026-01-31T12:00:00.000Z',
  next_attempt_at: null,
  finished_at: '2026-01-31T19:11:10.000Z',
  resendable: true,
}

const filters = {
  instance_id: uuid.optional().meta({ description: 'Only events of this instance.' }),
  type: oneOf(EVENT_TYPES).optional().meta({ description: 'Event type.' }),
  status: oneOf(LOG_STATUSES).optional().meta({ description: 'Only events with this outcome.' }),
}

function instancesOf({ parts, workspace }: AccountCall, wanted?: string): readonly string[] {
  const { ids } = parts.directory.list(workspace, { page: 1, page_size: MAX_INSTANCE_SLOTS })
  return wanted === undefined ? ids : ids.filter((id) => id === wanted)
}

function inOrder(
  { from, to }: { from?: number | undefined; to?: number | undefined },
  issue: (path: string, message: string) => void,
) {
  if (from !== undefined && to !== undefined && from > to) issue('to', 'must not be before from')
}

export const webhookLog = local('admin.webhookLog', 'GET /admin/webhook-log', {
  access: 'admin',
  summary: 'List the webhook log: events and their outcomes, newest first',
  description:
    'One entry per event, kept for 7 days and at most 100,000 per instance; entries of waiting events stay. An entry names the chat and the message, and has what ' +
    'the receiver answered, but no content: the body of an event is stored encrypted until the event is delivered, or for 72 h after it failed, and is never shown.',
  input: {
    ...filters,
    from: moment.optional().meta({ description: 'Only events at or after this time.' }),
    to: moment.optional().meta({ description: 'Only events at or before this time.' }),
    q: text(1, 100)
      .optional()
      .meta({
        description:
          'Only events with this text, in any case, in an error, in an answer of the receiver, in `HTTP 500` and other statuses, or as a part of `phone`, ' +
          '`message_id` or `state`. One request searches the newest 5,000 entries that fit the other filters; `searched_to` says how to go on.',
      }),
    ...paging({ default: 20, max: 500 }),
  },
  check: inOrder,
  reply: paged(Entry).extend({
    searched_to: instant.nullable().meta({
      description:
        'Null, unless a search with `q` ended before the last entry. Then it is the time of the oldest entry that was searched; a request with this time as `to` searches further.',
    }),
  }),
  errors: ['engine_unavailable'],
  async handle(call, { instance_id, page, page_size, ...range }) {
    const instanceIds = instancesOf(call, instance_id)
    // A caller that must not see a field must not find out its content by a search either.
    const among = { answers: call.may('log.answers'), people: call.may('messages.see') }
    const found = await call.parts.webhookLog.list(
      { instanceIds, page, pageSize: page_size, among, ...range },
      call.request.signal,
    )
    return { ...found, page, page_size }
  },
  examples: [
    {
      name: 'what failed',
      input: { status: 'failed', from: '2026-01-31T00:00:00.000Z' },
      reply: { data: [example], page: 1, page_size: 20, total: 1, searched_to: null },
    },
  ],
})

export const resendWebhook = local('admin.resendWebhook', 'POST /admin/webhook-log/{event_id}/resend', {
  access: 'admin',
  summary: 'Send one event again, now',
  description:
    'Makes one attempt before all waiting events of the instance, to the URL configured now, with the same `event_id` and body and a new signature. The answer is ' +
    'the entry after the attempt. Refused with `not_found` when the body is no longer stored, with `not_allowed` when the type has no URL.',
  input: { event_id: ulid.meta({ description: 'Id of the event.' }) },
  reply: Entry,
  errors: ['not_found', 'not_allowed', 'engine_unavailable'],
  handle: (call, { event_id }) => call.parts.webhookLog.resend(instancesOf(call), event_id),
  examples: [
    {
      name: 'the receiver accepts it now',
      input: { event_id: example.id },
      reply: {
        ...example,
        status: 'delivered',
        attempts: 7,
        last_response_code: 200,
        last_error: null,
        last_response_body: null,
        resendable: false,
      },
    },
  ],
})

const queued = z
  .int()
  .meta({ description: 'Number of events that are sent again, one at a time per instance, with the normal schedule.' })

export const resendWebhooks = local('admin.resendWebhooks', 'POST /admin/webhook-log/resend', {
  access: 'admin',
  summary: 'Send many events again',
  description: 'The events go back into the normal schedule, due now and in order.',
  input: {
    event_ids: z.array(ulid).min(1).max(100).meta({ description: 'Ids of the events; an id that is given twice counts once.' }),
  },
  reply: z.object({
    value: z.literal(true),
    queued,
    not_found: z
      .int()
      .meta({ description: 'Ids of events that are unknown, whose body is no longer stored, or whose type has no URL.' }),
  }),
  errors: ['engine_unavailable'],
  async handle(call, { event_ids }) {
    const { queued, notFound } = await call.parts.webhookLog.resendMany(instancesOf(call), event_ids)
    return { value: true, queued, not_found: notFound } as const
  },
  examples: [{ name: 'some', input: { event_ids: [example.id] }, reply: { value: true, queued: 1, not_found: 0 } }],
})

export const replayWebhooks = local('admin.replayWebhooks', 'POST /admin/webhook-log/replay', {
  access: 'admin',
  summary: 'Send the events of a range again',
  description:
    'The events of the range whose bodies are still stored go back into the normal schedule, due now and in order; at most the oldest 10,000. ' +
    'If there are more, a second call with `next_from` as `from` takes the next ones.',
  input: {
    ...filters,
    from: moment.meta({ description: 'Only events at or after this time.' }),
    to: moment.meta({ description: 'Only events at or before this time.' }),
  },
  check: inOrder,
  reply: z.object({
    value: z.literal(true),
    queued,
    next_from: instant.nullable().meta({
      description: 'Time of the oldest event of the range that was left out; null if none was.',
    }),
  }),
  errors: ['engine_unavailable'],
  async handle(call, { instance_id, ...range }) {
    const { queued, nextFrom } = await call.parts.webhookLog.replay({ instanceIds: instancesOf(call, instance_id), ...range })
    return { value: true, queued, next_from: nextFrom === null ? null : iso(nextFrom) } as const
  },
  examples: [
    {
      name: 'a night',
      input: { status: 'failed', from: '2026-01-31T00:00:00.000Z', to: '2026-01-31T08:00:00.000Z' },
      reply: { value: true, queued: 412, next_from: null },
    },
  ],
})
