import { z } from 'zod'
import { DIALECTS } from '../domain/dialect.ts'
import { type InstanceSettings, WEBHOOK_FLAGS, WEBHOOK_URLS } from '../domain/instance.ts'
import { oneOf, plain } from './fields.ts'
import { DIALECT_PAGE, describedWebhooks } from './objects.ts'
import { sendSafetyFields } from './send-safety.ts'

/** The URL of a proxy. Whether it is allowed is checked later. */
const proxyUrl = plain(1, 2_048).meta({ format: 'uri', examples: ['http://user:password@proxy.example:3128'] })

export const settingsFields = {
  auto_read_message: z.boolean().optional().meta({ description: 'Mark received messages as read.' }),
  auto_read_status: z.boolean().optional().meta({ description: 'Mark received status posts as viewed.' }),
  call_reject_auto: z.boolean().optional().meta({ description: 'Reject incoming calls.' }),
  call_reject_message: plain(1, 1_000)
    .nullable()
    .optional()
    .meta({ description: 'Text sent to the caller after a rejected call; null for none.' }),
  disable_enqueue_when_disconnected: z
    .boolean()
    .optional()
    .meta({ description: 'Refuse sends while the instance is not connected, instead of queueing them.' }),
  queue_max_age_hours: z
    .int()
    .min(1)
    .max(720)
    .optional()
    .meta({ description: 'A waiting message older than this is removed, and its `delivery` says `send_timeout`.' }),
  delay_message_min_ms: z
    .int()
    .min(0)
    .max(60_000)
    .optional()
    .meta({ description: 'Shortest random wait between two queued messages, ms.' }),
  delay_message_max_ms: z
    .int()
    .min(0)
    .max(60_000)
    .optional()
    .meta({ description: 'Longest random wait between two queued messages, ms.' }),
  proxy_url: proxyUrl
    .nullable()
    .optional()
    .meta({ description: '`http`, `https` or `socks5`, without path, query and fragment. A change restarts the session.' }),
  dialect: oneOf(DIALECTS)
    .nullable()
    .optional()
    .meta({
      description: `Dialect of requests to the instance and of its webhooks; null for the names of this description. ${DIALECT_PAGE}`,
    }),
  ...sendSafetyFields,
} satisfies Record<keyof InstanceSettings, z.ZodType>
export const SettingsChange = z
  .object(settingsFields)
  .meta({ id: 'SettingsChange', description: 'Settings of an instance; only the given fields change.' })

/** The URL of a webhook. Whether it is allowed is checked later. */
const hookUrl = plain(1, 2_048).meta({ format: 'uri', examples: ['https://example.com/hook'] })

/** The URL of a webhook, or null to switch the webhook off. */
export const nullableHookUrl = hookUrl.nullable()

const hook = nullableHookUrl.optional()
const flag = z.boolean().optional()

export const webhooksFields = {
  ...describedWebhooks(WEBHOOK_URLS, hook),
  ...describedWebhooks(WEBHOOK_FLAGS, flag),
  single_url: hook.meta({
    description: 'A URL sets all five URL fields, null clears them. Cannot be given together with one of them.',
  }),
  connected_url: hook.meta({ deprecated: true, description: 'Alias of `instance_status_url`.' }),
  disconnected_url: hook.meta({ deprecated: true, description: 'Alias of `instance_status_url`.' }),
  ignore_connected_callback: flag.meta({
    deprecated: true,
    description: 'If `ignore_disconnected_callback` is also true, this equals `ignore_instance_status_callback`.',
  }),
  ignore_disconnected_callback: flag.meta({
    deprecated: true,
    description: 'If `ignore_connected_callback` is also true, this equals `ignore_instance_status_callback`.',
  }),
}
export const WebhooksChange = z
  .object(webhooksFields)
  .meta({ id: 'WebhooksChange', description: 'Webhook URLs and filters; only the given fields change.' })

const isEmpty = (fields: object) => Object.values(fields).every((value) => value === undefined)

export const atLeastOne = (fields: object, issue: (path: string, message: string) => void) => {
  if (isEmpty(fields)) issue('', 'must have at least one of the fields')
}
