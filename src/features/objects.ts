import { z } from 'zod'
import { IMPORT_SOURCES } from '../domain/device-bundle.ts'
import { DIALECTS } from '../domain/dialect.ts'
import {
  DEFAULT_SETTINGS,
  each,
  type InstanceSettings,
  STATUS_REASONS,
  STATUSES,
  WEBHOOK_FLAGS,
  WEBHOOK_URLS,
} from '../domain/instance.ts'
import { SUBSCRIPTION_STATUSES } from '../domain/workspace.ts'
import { instant } from './fields.ts'
import { sendSafetyShown } from './send-safety.ts'

export const DIALECT_PAGE = '`zapi`: camelCase, and the forms of that gateway (`docs/coming-from.md`).'

export const Settings = z
  .object({
    auto_read_message: z.boolean().meta({ description: 'Whether received messages are marked as read.' }),
    auto_read_status: z.boolean().meta({ description: 'Whether received status posts are marked as viewed.' }),
    call_reject_auto: z.boolean().meta({ description: 'Whether calls are rejected.' }),
    call_reject_message: z.string().nullable().meta({ description: 'Text sent to the caller after a rejected call.' }),
    disable_enqueue_when_disconnected: z
      .boolean()
      .meta({ description: 'Whether sends are refused while the instance is not connected.' }),
    queue_max_age_hours: z.int().meta({ description: 'A waiting message older than this is removed and reported as failed.' }),
    delay_message_min_ms: z.int().meta({ description: 'Shortest wait between two messages.' }),
    delay_message_max_ms: z.int().meta({ description: 'Longest wait between two messages.' }),
    proxy_url: z.string().nullable().meta({ description: 'URL of the proxy. User name and password are masked as `***`.' }),
    dialect: z
      .enum(DIALECTS)
      .nullable()
      .meta({ description: `Dialect of the API that the instance speaks. ${DIALECT_PAGE}` }),
    ...sendSafetyShown,
  } satisfies Record<keyof InstanceSettings, z.ZodType>)
  .meta({ id: 'Settings' })

type WebhookField = (typeof WEBHOOK_URLS)[number] | (typeof WEBHOOK_FLAGS)[number]

const OWN_NOTES: Partial<Record<WebhookField, string>> = {
  notify_sent_by_me: 'Whether messages sent from the account are reported as well.',
  ignore_groups: 'Whether `received` events of groups are suppressed.',
  ignore_private: 'Whether `received` events of 1:1 chats are suppressed. Cannot be combined with `ignore_groups`.',
}

function webhookNote(name: WebhookField): string {
  const [, url, silenced, content] = /^(\w+)_url$|^ignore_(\w+)_callback$|^ignore_(\w+)$/.exec(name) ?? []
  if (url !== undefined) return `URL that receives \`${url}\` events; without a URL none are created.`
  if (silenced !== undefined) return `Whether \`${silenced}\` events are suppressed; the URL stays.`
  return OWN_NOTES[name] ?? `No \`received\` whose \`message_type\` is \`${content}\`.`
}

export const describedWebhooks = <K extends WebhookField, S extends z.ZodType>(names: readonly K[], schema: S) =>
  Object.fromEntries(names.map((name) => [name, schema.meta({ description: webhookNote(name) })])) as Record<K, S>

export const Webhooks = z
  .object({
    ...describedWebhooks(WEBHOOK_URLS, z.string().nullable()),
    ...describedWebhooks(WEBHOOK_FLAGS, z.boolean()),
    secret: z.string().meta({ description: 'Key of the signature. Its UTF-8 bytes, including the prefix, are the key.' }),
  })
  .meta({ id: 'Webhooks' })

/**
 * A restriction of the account by WhatsApp. `reach_out` concerns messages to people who have not written since the
 * instance was paired.
 */
export const Restriction = z.object({
  kind: z.enum(['reach_out']),
  until: instant.nullable().meta({ description: 'Null if the network does not report it.' }),
})

export const Instance = z
  .object({
    id: z.string(),
    name: z.string(),
    token: z.string(),
    status: z.enum(STATUSES),
    status_reason: z.enum(STATUS_REASONS).nullable(),
    connected: z.boolean(),
    phone: z.string().nullable().meta({ description: 'Number that was connected last, digits only.' }),
    last_phone: z.string().nullable().meta({
      description: 'The same as `phone`, but it stays after a logout that was requested here. Null if no account was linked yet.',
    }),
    profile_name: z.string().nullable(),
    platform: z
      .string()
      .nullable()
      .meta({ description: 'Platform of the phone: `android`, `ios`, or another value from the network.' }),
    connected_at: instant.nullable(),
    disconnected_at: instant.nullable(),
    imported_from: z.enum(IMPORT_SOURCES).nullable().meta({
      description: 'Program that the linked device was imported from; null if it was paired here, or if it is unknown.',
    }),
    imported_at: instant.nullable().meta({ description: 'Time of the import; null if the device was paired here.' }),
    restriction: Restriction.nullable(),
    subscription_status: z.enum(SUBSCRIPTION_STATUSES),
    trial_ends_at: instant.nullable(),
    due_at: instant,
    settings: Settings,
    webhooks: Webhooks,
    api_url: z.string(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Instance' })

export const settingsExample = DEFAULT_SETTINGS

export const webhooksExample = {
  ...each(WEBHOOK_URLS, null),
  ...each(WEBHOOK_FLAGS, false),
  received_url: 'https://example.com/hook',
  instance_status_url: 'https://example.com/hook',
  secret: 'whsec_Zk3v1r0b8mQ5nT7yW2xC4dE6fG9hJ1kL',
}

const token = '9c1f5a7e3b8d2460c4e1a95f7d3b60821f4e9a7c5d2b8036'

export const instanceExample = {
  id: '5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90',
  name: 'Support BR',
  token,
  status: 'connected',
  status_reason: null,
  connected: true,
  phone: '5511999990000',
  last_phone: '5511999990000',
  profile_name: 'Support',
  platform: 'android',
  connected_at: '2026-01-31T12:00:00.000Z',
  disconnected_at: null,
  imported_from: null,
  imported_at: null,
  restriction: null,
  subscription_status: 'active',
  trial_ends_at: null,
  due_at: '2026-12-31T23:59:59.000Z',
  settings: settingsExample,
  webhooks: webhooksExample,
  api_url: `https://gw.example.com/instances/5f0b3c1e-7a0d-4c58-9a55-0e6a1f7c2b90/token/${token}`,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
}
