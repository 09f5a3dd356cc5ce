/** Decides by the settings which messages become an event. */
import type { WebhookSettings } from '../../../../src/domain/instance.ts'
import type { Received, ReceivedEvent } from '../../../../src/features/webhook-payloads.ts'

const BY_KIND: Readonly<Partial<Record<Received['message_type'], keyof WebhookSettings>>> = {
  text: 'ignore_text',
  image: 'ignore_image',
  video: 'ignore_video',
  audio: 'ignore_audio',
  document: 'ignore_document',
}

export function isReported({ body }: ReceivedEvent, webhooks: WebhookSettings): boolean {
  if (body.from_me && !webhooks.notify_sent_by_me) return false
  if (body.is_group && webhooks.ignore_groups) return false
  const isPrivate = !body.is_group && !body.is_newsletter && body.phone !== 'status@broadcast'
  if (isPrivate && webhooks.ignore_private) return false
  const filter = BY_KIND[body.message_type]
  return filter === undefined || !webhooks[filter]
}
