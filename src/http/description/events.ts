/** The webhooks of the description: bodies, headers, and an example of each kind. */
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
    'User-Agent': sent(z.literal(WEBHOOK_AGENT), 'The version is that of the webhook format.'),
    [headers.type]: sent(z.literal(type), 'Type of the event, as `type` of the body.'),
    [headers.eventId]: sent(z.string(), 'The same in every attempt, as `event_id` of the body: drop repeats by it.'),
    [headers.instanceId]: sent(z.string().meta({ format: 'uuid' }), 'The instance, as `instance_id` of the body.'),
    [headers.attempt]: sent(z.int().min(1).max(6), 'Which attempt this is.'),
    [headers.signature]: sent(
      z.string().regex(/^t=\d+,v1=[0-9a-f]{64}$/),
      '`t=<epoch seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed with the whole secret of the instance.',
    ),
    [standard.id]: sent(z.string(), 'The `event_id`, under the name that libraries of Standard Webhooks look for.'),
    [standard.timestamp]: sent(z.string().regex(/^\d+$/), 'Epoch seconds of this attempt, the `t` of the other signature.'),
    [standard.signature]: sent(
      z.string().regex(/^v1,[A-Za-z0-9+/]{43}=$/),
      '`v1,<base64>`: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>`. Its key is what the secret behind `whsec_` gives, read as base64.',
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
    '4XX': { description: 'Not delivered: tried again, as is any other answer, or none within 10 s.' },
  },
  security: [],
})
