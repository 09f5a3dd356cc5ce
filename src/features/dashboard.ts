/** Operations of the dashboard that are not part of the API. `http/dashboard` serves them under its own path. */
import { z } from 'zod'
import { iso } from '../domain/clock.ts'
import {
  type Activity,
  HEALTH_WINDOWS,
  type Health,
  type InstancePage,
  type InstanceRow,
  type LogDetail,
  type MessageList,
  type StatusChange,
  type Timeline,
  type WebhookBody,
} from '../domain/dashboard.ts'
import { EVENT_TYPES } from '../domain/events.ts'
import { Failure } from '../domain/failures.ts'
import type { InstanceId } from '../domain/ids.ts'
import { STATUSES, urlField, wasConnected } from '../domain/instance.ts'
import { MAX_INSTANCE_SLOTS } from '../domain/workspace.ts'
import { control, local } from './endpoint.ts'
import { oneOf, paging, plain, text, ulid, uuid } from './fields.ts'
import type { AccountCall, Parts } from './parts.ts'

/**
 * Schema of an answer that is not validated, because the client of the dashboard knows its form from the TypeScript
 * type.
 */
const json = <T>() => z.custom<T>()

const FRESH = 1_000

export function instanceRow({ directory, readings }: Pick<Parts, 'directory' | 'readings'>, id: InstanceId): InstanceRow {
  const { name, status, status_reason, phone, last_phone, profile_name, platform, ...rest } = directory.render(id, '')
  const { connected_at, disconnected_at, created_at, restriction, webhooks } = rest
  const reading = readings.of(id)
  const state = directory.state(id)
  return {
    id,
    name,
    status,
    status_reason,
    status_text: directory.status(id).error,
    phone,
    last_phone,
    profile_name,
    platform,
    connected_at,
    disconnected_at,
    created_at,
    was_connected: wasConnected(state),
    banned_until: state.bannedUntil === null ? null : iso(state.bannedUntil),
    restriction,
    queue: reading?.waiting ?? null,
    backlog: reading?.backlog ?? null,
    refused_since: reading?.refusedSince == null ? null : iso(reading.refusedSince),
    last_inbound_at: reading?.lastInboundAt ? new Date(reading.lastInboundAt).toISOString() : null,
    webhooks: EVENT_TYPES.filter((type) => webhooks[urlField(type)] !== null).length,
  }
}

export const instances = local('dashboard.instances', 'GET /instances', {
  access: 'admin',
  summary: 'List the instances with their waiting messages and events, newest first',
  input: {
    ...paging({ default: 20, max: 500 }),
    q: text(1, 100).optional(),
    status: oneOf(STATUSES).optional(),
  },
  reply: json<InstancePage>(),
  async handle({ parts, workspace }, { page, page_size, q, status }) {
    await parts.readings.look(FRESH)
    const { ids, total } = parts.directory.list(workspace, { page, page_size, q, exactly: status })
    return { data: ids.map((id) => instanceRow(parts, id)), page, page_size, total }
  },
})

export const history = control('dashboard.history', 'GET /history', {
  summary: 'List the status changes of an instance, newest first',
  reply: json<{ data: StatusChange[] }>(),
})

export const timeline = control('dashboard.timeline', 'GET /timeline', {
  summary: 'Read the timeline of a message, without its content',
  input: { id: plain(1, 128).meta({ description: 'Message id, or id of the queue item.' }) },
  reply: json<Timeline>(),
  errors: ['not_found'],
})

export const messages = control('dashboard.messages', 'GET /messages', {
  summary: 'List the newest messages of an instance, sent and received, without their content',
  input: {
    chat: plain(1, 128).optional().meta({ description: 'Only messages of this chat, in the form of the API.' }),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  },
  reply: json<MessageList>(),
})

export const messageBody = control('dashboard.messageBody', 'POST /messages/body', {
  summary: 'Read the content of a message while it is stored; each view is logged',
  input: { message_id: plain(1, 128) },
  reply: json<WebhookBody>(),
  errors: ['not_found', 'instance_not_connected'],
})

const allOf = ({ parts, workspace }: AccountCall): readonly string[] =>
  parts.directory.list(workspace, { page: 1, page_size: MAX_INSTANCE_SLOTS }).ids

const eventId = ulid.meta({ description: 'Id of the event in the webhook log.' })

export const logEntry = local('dashboard.logEntry', 'GET /webhook-log/{event_id}', {
  access: 'admin',
  summary: 'Read an entry of the webhook log with its attempts',
  input: { event_id: eventId },
  reply: json<LogDetail>(),
  errors: ['not_found'],
  handle: async (call, { event_id }) => call.parts.webhookLog.detail(allOf(call), event_id),
})

export const logBody = local('dashboard.logBody', 'POST /webhook-log/{event_id}/body', {
  access: 'admin',
  summary: 'Read the body of an event while it is stored; each view is logged',
  input: { event_id: eventId },
  reply: json<WebhookBody>(),
  errors: ['not_found'],
  handle: async (call, { event_id }) => call.parts.webhookLog.body(allOf(call), event_id, call.source),
})

export const health = local('dashboard.health', 'GET /health', {
  access: 'admin',
  summary: 'Read the health of the service, now and in the last hour, day or week',
  input: { window: oneOf(HEALTH_WINDOWS).default('hour') },
  reply: json<Health>(),
  async handle({ parts, workspace }, { window }) {
    if (!parts.health) throw new Failure('not_found')
    return parts.health(workspace, window)
  },
})

export const activity = local('dashboard.activity', 'GET /activity', {
  access: 'admin',
  summary: 'Count the messages and deliveries of each hour of the last seven days, of one instance or of all',
  input: { instance_id: uuid.optional() },
  reply: json<Activity>(),
  async handle(call, { instance_id }) {
    const { activity, directory } = call.parts
    const ids = instance_id === undefined ? allOf(call) : [directory.find(call.workspace, instance_id)]
    return { hours: (await activity?.(ids)) ?? [] }
  },
})
