/**
 * Code that must not compile. It never runs: the test is `npm run check`. If a line compiles, the directive above it is
 * unused, which is an error.
 */
import type { EventOf, Received, WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import { block, notification } from '../../../workers/shard/translate/inbound/family.ts'

const text = { message: 'hello', title: null, description: null, url: null }
const call = { call_id: 'A', is_video: false, is_group: false, group_id: null, auto_rejected: false }

export const whole = [block('text', text), notification({ notification: 'call_missed_voice', call })]

export function refused(received: Received, delivery: EventOf<'delivery'>['body']) {
  // @ts-expect-error a field is missing
  block('text', { message: 'hello', title: null, description: null })
  // @ts-expect-error a field is misspelt
  block('pix_key', { currency: 'BRL', reference_id: 'A', key: '1', key_kind: 'cpf', merchant_name: null })
  // @ts-expect-error a field is too many
  block('unsupported', { proto_type: 'stickerPackMessage', reason: 'new' })
  // @ts-expect-error a value that the contract has no word for
  block('event_response', { response: 'perhaps', response_from: '1', time: null, referenced_message: null })
  // @ts-expect-error the block of another name
  block('contact', text)
  // @ts-expect-error no such block
  block('txt', text)
  // @ts-expect-error a common field is misspelt
  block('text', text, { veiw_once: true })
  // @ts-expect-error no such notification
  notification({ notification: 'group_change_color' })
  // @ts-expect-error the field that belongs to it is missing
  notification({ notification: 'call_missed_voice' })
  // @ts-expect-error a field of another notification
  notification({ notification: 'revoke', call })
  // @ts-expect-error the body of another type
  const event: WebhookEvent = { type: 'chat_presence', at: 0, body: delivery }
  // @ts-expect-error which block there is, is not known before its type is
  return [event, received.text]
}
