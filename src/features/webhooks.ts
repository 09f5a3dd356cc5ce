/** Webhook configuration of one instance (shared/api/webhook-config.md). */
import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../domain/events.ts'
import { Failure } from '../domain/failures.ts'
import { urlField } from '../domain/instance.ts'
import { atLeastOne, nullableHookUrl, webhooksFields } from './changes.ts'
import { local } from './endpoint.ts'
import { Webhooks, webhooksExample } from './objects.ts'

export const Secret = z.object({ secret: z.string() })

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

const isEventType = (type: string): type is EventType => (EVENT_TYPES as readonly string[]).includes(type)

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
    const known = type.toLowerCase()
    if (!isEventType(known)) throw new Failure('not_found')
    await parts.directory.update(instance, { webhooks: { [urlField(known)]: value } })
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

export const rotateSecret = local('webhooks.rotateSecret', 'POST /webhooks/secret', {
  access: 'instance',
  summary: 'Make a new signature secret',
  description: 'Every delivery attempt from then on, retries included, is signed with it.',
  reply: Secret,
  status: 201,
  handle: async ({ parts, instance }) => ({ secret: await parts.directory.rotateSecret(instance) }),
  examples: [{ name: 'rotate', reply: { secret: 'whsec_Zk3v1r0b8mQ5nT7yW2xC4dE6fG9hJ1kL' } }],
})
