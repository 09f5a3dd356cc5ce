/** Main's record of an instance: sealed at rest as a whole, because it holds the token, the webhook secret and proxy credentials. */
import * as v from 'valibot'
import { WebhookSettingsRecord } from '../account/webhook-settings.ts'
import type { InstanceConfig, InstanceSettings } from '../domain/instance.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/seal.ts'
import type { InstanceRecord } from './instance-object.ts'

const nullableText = v.nullable(v.string())

const Settings: v.GenericSchema<unknown, InstanceSettings> = v.object({
  auto_read_message: v.boolean(),
  auto_read_status: v.boolean(),
  call_reject_auto: v.boolean(),
  call_reject_message: nullableText,
  disable_enqueue_when_disconnected: v.boolean(),
  queue_max_age_hours: v.number(),
  delay_message_min_ms: v.number(),
  delay_message_max_ms: v.number(),
  proxy_url: nullableText,
})

const Schema: v.GenericSchema<unknown, InstanceRecord> = v.object({
  id: v.string(),
  workspace: v.string(),
  name: v.string(),
  token: v.string(),
  settings: Settings,
  webhooks: WebhookSettingsRecord,
  createdAt: v.number(),
  updatedAt: v.number(),
})

export const instanceRecords = (sealed: Sealer) =>
  repository<InstanceRecord>({ name: 'instance configuration', schema: Schema, version: 1, sealed })

export const toConfig = ({ id, settings, webhooks }: InstanceRecord, baseUrl: string | undefined): InstanceConfig => ({
  id,
  settings,
  webhooks,
  baseUrl,
})
