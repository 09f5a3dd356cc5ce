/** The webhooks object as it is stored, in the workspace's record and in every instance's. */
import * as v from 'valibot'
import type { WebhookSettings } from '../domain/instance.ts'

const url = v.nullable(v.string())

export const WebhookSettingsRecord: v.GenericSchema<unknown, WebhookSettings> = v.object({
  received_url: url,
  delivery_url: url,
  message_status_url: url,
  instance_status_url: url,
  chat_presence_url: url,
  notify_sent_by_me: v.boolean(),
  ignore_groups: v.boolean(),
  ignore_private: v.boolean(),
  ignore_text: v.boolean(),
  ignore_image: v.boolean(),
  ignore_video: v.boolean(),
  ignore_audio: v.boolean(),
  ignore_document: v.boolean(),
  ignore_received_callback: v.boolean(),
  ignore_delivery_callback: v.boolean(),
  ignore_message_status_callback: v.boolean(),
  ignore_instance_status_callback: v.boolean(),
  ignore_chat_presence_callback: v.boolean(),
  secret: v.string(),
})

/** What a new workspace starts with. */
export const newWebhookSettings = (secret: string): WebhookSettings => ({
  received_url: null,
  delivery_url: null,
  message_status_url: null,
  instance_status_url: null,
  chat_presence_url: null,
  notify_sent_by_me: false,
  ignore_groups: false,
  ignore_private: false,
  ignore_text: false,
  ignore_image: false,
  ignore_video: false,
  ignore_audio: false,
  ignore_document: false,
  ignore_received_callback: false,
  ignore_delivery_callback: false,
  ignore_message_status_callback: false,
  ignore_instance_status_callback: false,
  ignore_chat_presence_callback: false,
  secret,
})
