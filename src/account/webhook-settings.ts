import * as v from 'valibot'
import { each, WEBHOOK_FLAGS, WEBHOOK_URLS, type WebhookSettings } from '../domain/instance.ts'

export const WebhookSettingsRecord: v.GenericSchema<unknown, WebhookSettings> = v.object({
  ...each(WEBHOOK_URLS, v.nullable(v.string())),
  ...each(WEBHOOK_FLAGS, v.boolean()),
  secret: v.string(),
})

export const newWebhookSettings = (secret: string): WebhookSettings => ({
  ...each(WEBHOOK_URLS, null),
  ...each(WEBHOOK_FLAGS, false),
  secret,
})
