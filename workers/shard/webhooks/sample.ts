/** Builds sample events, one of each type, to test a receiver. Nobody has the phone numbers in these events. */
import type { EventType } from '../../../src/domain/events.ts'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'

const CHAT = '5500000000000'
const MESSAGE = '3EB0000000000000000000'

type Bodies = { [Type in EventType]: Extract<WebhookEvent, { type: Type }>['body'] }

const bodiesAt = (at: number): Bodies => ({
  received: {
    message_id: MESSAGE,
    phone: CHAT,
    chat_lid: null,
    is_group: false,
    is_newsletter: false,
    broadcast: false,
    from_me: false,
    from_api: false,
    status: 'received',
    chat_name: 'Test',
    sender_name: 'Test',
    photo: null,
    sender_photo: null,
    participant_phone: null,
    participant_lid: null,
    connected_phone: null,
    reference_message_id: null,
    is_status_reply: false,
    is_edit: false,
    forwarded: false,
    view_once: false,
    waiting_message: false,
    message_expiration_seconds: null,
    mentions: [],
    message_type: 'text',
    text: { message: 'This is a test.', title: null, description: null, url: null },
  },
  delivery: {
    message_id: MESSAGE,
    id: MESSAGE,
    svc_id: '01JD3V8Q6ZP4M5T7X9K2B0C1DE',
    operation: 'send.sendText',
    phone: CHAT,
    is_group: false,
    reference_message_id: null,
    status: 'sent',
    error_code: null,
    error_message: null,
    queued_at: new Date(at).toISOString(),
  },
  message_status: {
    status: 'delivered',
    ids: [MESSAGE],
    phone: CHAT,
    chat_lid: null,
    is_group: false,
    participant_phone: null,
    participant_lid: null,
  },
  instance_status: {
    status: 'connected',
    previous_status: 'connecting',
    connected: true,
    phone: CHAT,
    disconnect_reason: null,
    reason: null,
    status_reason: null,
  },
  chat_presence: { phone: CHAT, chat_lid: null, is_group: false, status: 'composing', last_seen: null },
})

/** Returns a sample event of this type. `at` is the time of the event in epoch ms. */
export const sampleEvent = (type: EventType, at: number) => ({ type, at, body: bodiesAt(at)[type] }) as WebhookEvent
