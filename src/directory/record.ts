/**
 * Configuration record of an instance, which only the main thread writes. It is encrypted as a whole, because it
 * contains tokens, secrets and proxy credentials.
 */
import * as v from 'valibot'
import { hashOf } from '../account/credentials.ts'
import { WebhookSettingsRecord } from '../account/webhook-settings.ts'
import { IMPORT_SOURCES } from '../domain/device-bundle.ts'
import { DIALECTS } from '../domain/dialect.ts'
import {
  each,
  type InstanceConfig,
  type InstanceSettings,
  SETTING_DIALECTS,
  SETTING_FLAGS,
  SETTING_NUMBERS,
  SETTING_TEXTS,
} from '../domain/instance.ts'
import type { SendSafetySettings } from '../domain/send-safety.ts'
import { repository } from '../storage/repository.ts'
import type { Sealer } from '../storage/sealer.ts'
import type { InstanceRecord } from './instance-object.ts'

/** Settings of send safety. They are absent in records of earlier releases. */
const SendSafety = {
  first_contacts_per_hour: v.optional(v.nullable(v.number()), null),
  first_contacts_per_day: v.optional(v.nullable(v.number()), null),
  first_contacts_warm_up: v.optional(v.nullable(v.array(v.object({ day: v.number(), per_day: v.nullable(v.number()) }))), null),
  quiet_hours: v.optional(v.nullable(v.object({ from: v.string(), to: v.string(), time_zone: v.string() })), null),
  pause_after_unanswered: v.optional(v.nullable(v.number()), null),
} satisfies Record<keyof SendSafetySettings, v.GenericSchema>

const Settings: v.GenericSchema<unknown, InstanceSettings> = v.object({
  ...each(SETTING_FLAGS, v.boolean()),
  ...each(SETTING_NUMBERS, v.number()),
  ...each(SETTING_TEXTS, v.nullable(v.string())),
  // Absent in records of earlier releases.
  ...each(SETTING_DIALECTS, v.optional(v.nullable(v.picklist(DIALECTS)), null)),
  ...SendSafety,
})

const Schema: v.GenericSchema<unknown, InstanceRecord> = v.object({
  id: v.string(),
  workspace: v.string(),
  name: v.string(),
  token: v.string(),
  settings: Settings,
  webhooks: WebhookSettingsRecord,
  previousSecret: v.optional(v.object({ secret: v.string(), until: v.number() })),
  importedFrom: v.optional(v.picklist(IMPORT_SOURCES)),
  createdAt: v.number(),
  updatedAt: v.number(),
})

export const instanceRecords = (sealed: Sealer) =>
  repository<InstanceRecord>({ name: 'instance configuration', schema: Schema, version: 1, sealed })

/** Reads a record in an archive, where it is not encrypted separately. Throws a `RecordError` if it cannot be read. */
export const archivedRecord = (text: string): InstanceRecord =>
  repository<InstanceRecord>({ name: 'archived instance configuration', schema: Schema, version: 1 }).decode(
    'archive',
    Buffer.from(text),
  )

/** Returns a tag that distinguishes two tokens, and reveals nothing about a token of 192 random bits. */
export const tokenTagOf = (token: string): string => hashOf(`links ${token}`).slice(0, 16)

export const toConfig = (
  { id, token, settings, webhooks, previousSecret }: InstanceRecord,
  baseUrl: string | undefined,
): InstanceConfig => ({
  id,
  tokenTag: tokenTagOf(token),
  settings,
  webhooks,
  ...(previousSecret === undefined ? {} : { previousSecret }),
  baseUrl,
})
