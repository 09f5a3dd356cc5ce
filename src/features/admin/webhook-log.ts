/** Administration of the workspace: the log of its events, and sending them again (shared/api/account-admin.md, "Webhook log"). */
import { z } from 'zod'
import { EVENT_TYPES } from '../../domain/events.ts'
import { LOG_STATUSES } from '../../domain/webhook-log.ts'
import { MAX_INSTANCE_SLOTS } from '../../domain/workspace.ts'
import { local } from '../endpoint.ts'
import { instant, moment, oneOf, paged, paging, ulid, uuid } from '../fields.ts'
import type { AccountCall } from '../parts.ts'

const Entry = z
  .object({
    id: z.string().meta({ description: 'ULID: the `event_id`.' }),
    instance_id: z.string().meta({ description: 'UUID of the instance.' }),
    type: z.enum(EVENT_TYPES).meta({ description: 'Event type.' }),
    url: z.string().meta({
      description: 'Of the last attempt, or configured when the event happened; values of its query are masked.',
    }),
    status: z.enum(LOG_STATUSES).meta({
      description:
        '`pending` waits for its next attempt, `failed` was given up or its type was switched off meanwhile. Rows of earlier releases have `discarded` for the latter.',
    }),
    attempts: z
      .int()
      .meta({ description: 'All attempts so far, those that looked whether a receiver is back and resends by hand included.' }),
    last_response_code: z.int().nullable().meta({ description: 'HTTP status of the last attempt; null without an answer.' }),
    last_error: z.string().nullable().meta({
      description:
        '`timeout`, `dns`, `tls`, `refused`, `blocked`, `connection`, `redirect`, `status 500`, `backlog full`, `switched off`, …',
    }),
    last_duration_ms: z.int().nullable().meta({ description: 'How long the last attempt took, in ms.' }),
    created_at: instant.meta({ description: 'When the event happened.' }),
    next_attempt_at: instant.nullable().meta({ description: 'Null when none is to come, or as soon as its turn comes.' }),
    finished_at: instant.nullable().meta({ description: 'When it was delivered or given up.' }),
    resendable: z.boolean().meta({ description: 'Its body is still kept.' }),
  })
  .meta({ id: 'WebhookLogEntry' })

const example = {
  id: '01JK3V8Q2M6T0Z4R7Y9B1C5D8F',
  instance_id: '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90',
  type: 'received',
  url: 'https://example.com/hook',
  status: 'failed',
  attempts: 6,
  last_response_code: 500,
  last_error: 'status 500',
  last_duration_ms: 812,
  created_at: '2026-01-31T12:00:00.000Z',
  next_attempt_at: null,
  finished_at: '2026-01-31T19:11:10.000Z',
  resendable: true,
}

const filters = {
  instance_id: uuid.optional().meta({ description: 'Of this instance alone.' }),
  type: oneOf(EVENT_TYPES).optional().meta({ description: 'Event type.' }),
  status: oneOf(LOG_STATUSES).optional().meta({ description: 'What became of them.' }),
}

/** All of the workspace, or the one that is asked for, if it is one of them. */
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
  summary: 'What became of the events, newest first',
  description:
    'One entry per event, for 7 days and at most 100,000 per instance; those that still wait stay. No content: the body of an event is kept ' +
    'encrypted until it is delivered, for 72 h after it failed, and is never shown.',
  input: {
    ...filters,
    from: moment.optional().meta({ description: 'Events that happened then or later.' }),
    to: moment.optional().meta({ description: 'Events that happened then or earlier.' }),
    ...paging({ default: 20, max: 500 }),
  },
  check: inOrder,
  reply: paged(Entry),
  errors: ['engine_unavailable'],
  async handle(call, { instance_id, page, page_size, ...range }) {
    const instanceIds = instancesOf(call, instance_id)
    const found = await call.parts.webhookLog.list({ instanceIds, page, pageSize: page_size, ...range })
    return { ...found, page, page_size }
  },
  examples: [
    {
      name: 'what failed',
      input: { status: 'failed', from: '2026-01-31T00:00:00.000Z' },
      reply: { data: [example], page: 1, page_size: 20, total: 1 },
    },
  ],
})

export const resendWebhook = local('admin.resendWebhook', 'POST /admin/webhook-log/{event_id}/resend', {
  access: 'admin',
  summary: 'Send one event again, now',
  description:
    'One attempt before everything else of its instance, to the URL configured now: same `event_id` and body, new signature. The answer is ' +
    'its entry after the attempt. Refused with `not_found` when its body is no longer kept, with `not_allowed` when its type has no URL.',
  input: { event_id: ulid.meta({ description: 'Of the event.' }) },
  reply: Entry,
  errors: ['not_found', 'not_allowed', 'engine_unavailable'],
  handle: (call, { event_id }) => call.parts.webhookLog.resend(instancesOf(call), event_id),
  examples: [
    {
      name: 'now it is taken',
      input: { event_id: example.id },
      reply: { ...example, status: 'delivered', attempts: 7, last_response_code: 200, last_error: null, resendable: false },
    },
  ],
})

const queued = z.int().meta({ description: 'Events that are tried again, one at a time per instance, with the normal schedule.' })

export const resendWebhooks = local('admin.resendWebhooks', 'POST /admin/webhook-log/resend', {
  access: 'admin',
  summary: 'Send many events again',
  description: 'They go back into the normal schedule, due now, in their order.',
  input: {
    event_ids: z.array(ulid).min(1).max(100).meta({ description: 'Of the events; one that is named twice counts once.' }),
  },
  reply: z.object({
    value: z.literal(true),
    queued,
    not_found: z.int().meta({ description: 'Events that are unknown, whose body is no longer kept, or whose type has no URL.' }),
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
    'Every event of the range whose body is still kept goes back into the normal schedule, due now, in its order: the 10,000 oldest of them. ' +
    'Name `"status": "failed"` for what was given up; then a second call takes the next ones.',
  input: {
    ...filters,
    from: moment.meta({ description: 'Events that happened then or later.' }),
    to: moment.meta({ description: 'Events that happened then or earlier.' }),
  },
  check: inOrder,
  reply: z.object({ value: z.literal(true), queued }),
  errors: ['engine_unavailable'],
  async handle(call, { instance_id, ...range }) {
    return {
      value: true,
      queued: await call.parts.webhookLog.replay({ instanceIds: instancesOf(call, instance_id), ...range }),
    } as const
  },
  examples: [
    {
      name: 'a night',
      input: { status: 'failed', from: '2026-01-31T00:00:00.000Z', to: '2026-01-31T08:00:00.000Z' },
      reply: { value: true, queued: 412 },
    },
  ],
})
