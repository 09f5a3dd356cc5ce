import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import { WEBHOOK_HEADERS as headers, STANDARD_WEBHOOK_HEADERS as standard, WEBHOOK_AGENT } from '../../domain/brand.ts'
import type { EventType } from '../../domain/events.ts'
import { EVENTS_TAG } from '../../features/areas.ts'
import { eventExamples } from '../../features/event-examples.ts'
import { webhookPayloads } from '../../features/webhook-payloads.ts'

const sent = (schema: z.ZodType, description: string) => schema.meta({ param: { description } })

const headersOf = (type: EventType) =>
  z.object({
    'User-Agent': sent(z.literal(WEBHOOK_AGENT), 'Name of the sender; the version is that of the webhook format.'),
    [headers.type]: sent(z.literal(type), 'Type of the event, equal to `type` in the body.'),
    [headers.eventId]: sent(
      z.string(),
      'Id of the event, equal to `event_id` in the body and the same in every attempt. Use it to drop duplicates.',
    ),
    [headers.instanceId]: sent(z.string().meta({ format: 'uuid' }), 'Id of the instance, equal to `instance_id` in the body.'),
    [headers.attempt]: sent(z.int().min(1).max(6), 'Number of this attempt.'),
    [headers.signature]: sent(
      z.string().regex(/^t=\d+,v1=[0-9a-f]{64}$/),
      '`t=<epoch seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed with the whole secret of the instance.',
    ),
    [standard.id]: sent(z.string(), 'The `event_id`, under the header name that Standard Webhooks libraries expect.'),
    [standard.timestamp]: sent(
      z.string().regex(/^\d+$/),
      'Time of this attempt in seconds since the epoch, equal to `t` in the other signature.',
    ),
    [standard.signature]: sent(
      z.string().regex(/^v1,[A-Za-z0-9+/]{43}=$/),
      '`v1,<base64>`: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`. The key is the part of the secret after `whsec_`, decoded as base64.',
    ),
  })

export const webhookOf = (type: EventType): RouteConfig => ({
  method: 'post',
  path: type,
  operationId: `events.${type}`,
  tags: [EVENTS_TAG],
  summary: webhookPayloads[type].meta()?.description ?? type,
  description: 'Posted to the URL configured for this type. Verify the signature before you parse the body.',
  request: {
    headers: headersOf(type),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: webhookPayloads[type],
          examples: Object.fromEntries(eventExamples[type].map(({ name, value }) => [name, { value }])),
        },
      },
    },
  },
  responses: {
    '2XX': { description: 'Delivered.' },
    '4XX': { description: 'Not delivered: the service retries, as it does after any other answer or after none within 10 s.' },
  },
  security: [],
})
