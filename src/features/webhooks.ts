/** Webhook configuration of one instance (shared/api/webhook-config.md). */
import { z } from 'zod'
import { EVENT_TYPES, eventTypeOf } from '../domain/events.ts'
import { Failure } from '../domain/failures.ts'
import { urlField } from '../domain/instance.ts'
import { atLeastOne, nullableHookUrl, webhooksFields } from './changes.ts'
import { control, EVENT_STREAM, LAST_EVENT_ID, local } from './endpoint.ts'
import { integer, oneOf } from './fields.ts'
import { Webhooks, webhooksExample } from './objects.ts'

export const Secret = z.object({ secret: z.string() })

export const graceSeconds = integer(0, 86_400)
  .default(0)
  .meta({ description: 'How long the secret that was signs as well; 0: not at all.', default: 0 })

export const update = local('webhooks.update', 'PUT /webhooks', {
  access: 'instance',
  summary: 'Change webhook URLs and filters',
  description: 'Only the given fields change; at least one. Each delivery attempt goes to the URL configured at that moment.',
  input: webhooksFields,
  check: atLeastOne,
  reply: Webhooks,
  async handle({ parts, instance }, webhooks) {
    await parts.directory.update(instance, { webhooks })
    return parts.directory.webhooks(instance)
  },
  examples: [
    {
      name: 'two types',
      input: {
        received_url: 'https://example.com/hook',
        instance_status_url: 'https://example.com/hook',
        ignore_groups: true,
      },
      reply: { ...webhooksExample, ignore_groups: true },
    },
  ],
})

export const updateType = local('webhooks.updateType', 'PUT /webhooks/{type}', {
  access: 'instance',
  summary: 'Set the URL of one event type',
  input: {
    type: z
      .string()
      .meta({ description: `One of ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}; others are \`not_found\`.` }),
    value: z
      .union([z.literal(''), nullableHookUrl])
      .transform((value) => (value === '' ? null : value))
      .meta({ description: 'Null or empty switches the type off.' }),
  },
  reply: Webhooks,
  errors: ['not_found'],
  async handle({ parts, instance }, { type, value }) {
    const field = urlField(eventTypeOf(type))
    await parts.directory.update(instance, { webhooks: { [field]: value } }).catch((error: unknown) => {
      throw error instanceof Failure ? error.renamed((path) => (path === field ? 'value' : path)) : error
    })
    return parts.directory.webhooks(instance)
  },
  examples: [
    {
      name: 'received',
      input: { type: 'received', value: 'https://example.com/hook' },
      reply: webhooksExample,
    },
  ],
})

/** A ULID. */
const EVENT_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Absent: the reader begins now. */
function lastEventId({ headers }: Request): string | null {
  const given = headers.get(LAST_EVENT_ID)
  if (given === null || given === '') return null
  if (!EVENT_ID.test(given)) throw Failure.invalid({ path: LAST_EVENT_ID, message: 'must be the id of an event, a ULID' })
  return given
}

export const events = local('webhooks.events', 'GET /events', {
  access: 'instance',
  summary: 'Receive events without a public address',
  description:
    'A stream of server-sent events, for whoever cannot be reached by a webhook. `data` is the very body that a webhook gets, `id` its `event_id`; ' +
    'types without a URL are streamed, too, and types that are silenced are not. While somebody reads `chat_presence`, the account is shown as ' +
    'online, as with a URL for it.\n\n' +
    'The first event is `ready`; its `id` is where the stream begins. After a cut send the last `id` as `Last-Event-ID` (browsers do) and the ' +
    'stream goes on behind it: events are made and kept for at least 5 minutes after the last reader has gone, also through a restart of the service, the newest ' +
    '5,000 and 8 MB at most, and older ones as long as a webhook waits for them. Where some are not there any more, an event `gap` says so ' +
    'first: `{"from": id, "to": id}`.\n\n' +
    'At most 10 streams of an instance are open at a time; one more is `rate_limited`. Who takes nothing for 30 s is cut. A comment every 15 s keeps ' +
    'relays from closing a silent stream. It ends when the credential is void: the token was rotated, the instance deleted.',
  input: {
    types: z
      .preprocess(
        (value) => (typeof value === 'string' ? value.split(',') : value),
        z.array(oneOf(EVENT_TYPES)).min(1).max(EVENT_TYPES.length).optional(),
      )
      .meta({
        description: 'Only these types, separated by commas or given one by one; without it all of them.',
        examples: [['received', 'delivery']],
      }),
  },
  reply: z.string(),
  contentType: EVENT_STREAM,
  errors: ['engine_unavailable'],
  handle: ({ parts, instance, request, isStillAllowed }, { types }) =>
    parts.eventStreams.open({ instance, types, after: lastEventId(request), isAllowed: isStillAllowed }),
  examples: [
    {
      name: 'a presence',
      input: { types: 'received,chat_presence' },
      reply:
        'event: ready\nid: 01JK3V8Q2M6T0Z4R7Y9B1C5D8E\ndata: {"after":"01JK3V8Q2M6T0Z4R7Y9B1C5D8E"}\n\n' +
        'id: 01JK3V8Q2M6T0Z4R7Y9B1C5D8F\ndata: {"type":"chat_presence","event_id":"01JK3V8Q2M6T0Z4R7Y9B1C5D8F",…}\n\n',
    },
  ],
})

export const rotateSecret = local('webhooks.rotateSecret', 'POST /webhooks/secret', {
  access: 'instance',
  summary: 'Make a new signature secret',
  description:
    'Every delivery attempt from then on, retries included, is signed with it. For `grace_seconds` the secret that was signs as well: a second ' +
    '`v1` in the same header.',
  input: { grace_seconds: graceSeconds },
  reply: Secret,
  status: 201,
  handle: async ({ parts, instance }, { grace_seconds }) => ({
    secret: await parts.directory.rotateSecret(instance, grace_seconds),
  }),
  examples: [{ name: 'rotate', input: { grace_seconds: 3_600 }, reply: { secret: 'whsec_Zk3v1r0b8mQ5nT7yW2xC4dE6fG9hJ1kL' } }],
})

export const test = control('webhooks.test', 'POST /webhooks/{type}/test', {
  summary: 'Send a test event to a receiver',
  description:
    'A sample of the type with `test: true` in its body goes to its URL at once, with the headers and the signature of a delivery, also while ' +
    'the type is silenced. The answer says what the receiver said. It is not tried again, and the webhook log does not have it. Refused with ' +
    '`not_allowed` while the type has no URL.',
  input: {
    type: z
      .string()
      .meta({ description: `One of ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}; others are \`not_found\`.` }),
  },
  reply: z.object({
    delivered: z.boolean().meta({ description: 'The receiver answered 2xx within 10 s.' }),
    event_id: z.string().meta({ description: 'ULID of the test event.' }),
    url: z.string().meta({ description: 'Where it went; values of the query are masked.' }),
    response_code: z.int().nullable().meta({ description: 'HTTP status; null without an answer.' }),
    error: z.string().nullable().meta({ description: 'As in the webhook log; null when it was delivered.' }),
    duration_ms: z.int().meta({ description: 'From the request to the head of the answer, in ms.' }),
    response_body: z.string().nullable().meta({ description: 'Its first 1,000 characters; null without an answer.' }),
  }),
  errors: ['not_found', 'not_allowed'],
  examples: [
    {
      name: 'taken',
      input: { type: 'received' },
      reply: {
        delivered: true,
        event_id: '01JK3V8Q2M6T0Z4R7Y9B1C5D8F',
        url: 'https://example.com/hook',
        response_code: 200,
        error: null,
        duration_ms: 41,
        response_body: 'ok',
      },
    },
  ],
})
