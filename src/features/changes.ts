/** What a request may change of settings and webhooks: every field optional, at least one. */
import { z } from 'zod'
import { EVENT_TYPES } from '../domain/events.ts'
import { each, type InstanceSettings, WEBHOOK_FLAGS, WEBHOOK_URLS } from '../domain/instance.ts'
import { plain } from './fields.ts'

/** Only its length here: where an account may go is one rule, `checkProxy` in `egress/targets.ts`, and the directory asks it. */
const proxyUrl = plain(1, 2_048).meta({ format: 'uri', examples: ['http://user:password@proxy.example:3128'] })

export const settingsFields = {
  auto_read_message: z.boolean().optional(),
  auto_read_status: z.boolean().optional(),
  call_reject_auto: z.boolean().optional(),
  call_reject_message: plain(1, 1_000).nullable().optional(),
  disable_enqueue_when_disconnected: z.boolean().optional(),
  queue_max_age_hours: z.int().min(1).max(720).optional(),
  delay_message_min_ms: z.int().min(0).max(60_000).optional(),
  delay_message_max_ms: z.int().min(0).max(60_000).optional(),
  proxy_url: proxyUrl
    .nullable()
    .optional()
    .meta({ description: '`http`, `https` or `socks5`, without path, query and fragment. A change restarts the session.' }),
} satisfies Record<keyof InstanceSettings, z.ZodType>

/** Only its length here: what a webhook may be sent to is one rule, `checkUrl` in `egress/targets.ts`, and the directory asks it. */
const hookUrl = plain(1, 2_048).meta({ format: 'uri', examples: ['https://example.com/hook'] })

/** One webhook URL; null switches the type off. */
export const nullableHookUrl = hookUrl.nullable()

const hook = nullableHookUrl.optional()
const flag = z.boolean().optional()

export const webhooksFields = {
  ...each(WEBHOOK_URLS, hook),
  ...each(WEBHOOK_FLAGS, flag),
  notify_sent_by_me: flag.meta({ description: 'Also report messages sent from the account.' }),
  ignore_private: flag.meta({ description: 'Not together with `ignore_groups`.' }),
  single_url: hook.meta({ description: 'A URL writes all five URL fields, null empties them; not together with one of them.' }),
  connected_url: hook.meta({ deprecated: true, description: 'Taken as `instance_status_url`.' }),
  disconnected_url: hook.meta({ deprecated: true, description: 'Taken as `instance_status_url`.' }),
  ignore_connected_callback: flag.meta({
    deprecated: true,
    description: 'With `ignore_disconnected_callback` also true: `ignore_instance_status_callback`.',
  }),
  ignore_disconnected_callback: flag.meta({ deprecated: true }),
}

export const webhookTypes = EVENT_TYPES

const isEmpty = (fields: object) => Object.values(fields).every((value) => value === undefined)

/** An empty change is a mistake. */
export const atLeastOne = (fields: object, issue: (path: string, message: string) => void) => {
  if (isEmpty(fields)) issue('', 'must have at least one of the fields')
}
