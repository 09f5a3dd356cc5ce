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
  .meta({ description: 'Seconds for which the previous secret also signs; 0 for none.', default: 0 })

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
      .meta({ description: 'URL for the type; null or empty switches the type off.' }),
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

const EVENT_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

function lastEventId({ headers }: Request): string | null {
  const given = headers.get(LAST_EVENT_ID)
  if (given === null || given === '') return null
  if (!EVENT_ID.test(given)) throw Failure.invalid({ path: LAST_EVENT_ID, message: 'must be the id of an event, a ULID' })
  return given
}

export const events = local('webhooks.events', 'GET /events', {
  access: 'instance',
  summary: 'Receive events as a stream, without a public address',
  description:
    'A stream of server-sent events, for programs that webhooks cannot reach. `data` is the same body that a webhook gets, `id` is its `event_id`; ' +
    'types without a URL are also streamed, silenced types are not. While a program reads `chat_presence`, the account is shown as ' +
    'online, as with a URL for that type.\n\n' +
    'The first event is `ready`; its `id` is the position at which the stream begins. After a disconnection, send the last `id` as `Last-Event-ID` (browsers do this) to resume the ' +
    'stream after it. Events are created and kept for at least 5 minutes after the last reader has disconnected, even across a restart of the service: the newest ' +
    '5,000 events and at most 8 MB, and older ones while a webhook still needs them. If events are missing, an event `gap` reports it ' +
    'first: `{"from": id, "to": id}`.\n\n' +
    'An instance has at most 10 open streams; one more is refused with `rate_limited`. A reader that accepts no data for 30 s is disconnected. A comment every 15 s keeps ' +
    'proxies from closing an idle stream. The stream ends when its credential becomes invalid, because the token was rotated or the instance deleted.',
  input: {
    types: z
      .preprocess(
        (value) => (typeof value === 'string' ? value.split(',') : value),
        z.array(oneOf(EVENT_TYPES)).min(1).max(EVENT_TYPES.length).optional(),
      )
      .meta({
        description: 'Event types to stream, separated by commas or in repeated parameters; all if omitted.',
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
  summary: 'Create a new signature secret',
  description:
    'Every delivery attempt from then on is signed with it, including retries. For `grace_seconds` the previous secret also signs: its signature is a second ' +
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
    'Sends a sample of the type immediately to its URL, with `test: true` in the body and the headers and signature of a delivery, even while ' +
    'the type is silenced. The response contains the answer of the receiver. The event is not retried and does not appear in the webhook log. Refused with ' +
    '`not_allowed` while the type has no URL.',
  input: {
    type: z
      .string()
      .meta({ description: `One of ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}; others are \`not_found\`.` }),
  },
  reply: z.object({
    delivered: z.boolean().meta({ description: 'Whether the receiver answered 2xx within 10 s.' }),
    event_id: z.string().meta({ description: 'ULID of the test event.' }),
    url: z.string().meta({ description: 'URL that was called; query values are masked.' }),
    response_code: z.int().nullable().meta({ description: 'HTTP status of the answer; null if there was none.' }),
    error: z.string().nullable().meta({ description: 'Error, as in the webhook log; null if the event was delivered.' }),
    duration_ms: z.int().meta({ description: 'Time from the request to the head of the answer, in ms.' }),
    response_body: z.string().nullable().meta({ description: 'First 1,000 characters of the answer; null if there was none.' }),
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
