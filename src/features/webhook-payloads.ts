/**
 * Payloads of the five event types (shared/api/webhook-payloads.md): the description publishes them, and whoever makes an event in a shard
 * returns the types at the end of this file.
 */
import { z } from 'zod'
import type { EventType } from '../domain/events.ts'
import { FAILURES } from '../domain/failures.ts'
import { STATUS_REASONS, STATUSES } from '../domain/instance.ts'
import { instant } from './fields.ts'
import { MESSAGE_TYPES, type ReceivedContent, type ReceivedExtras, receivedBlocks, receivedExtras } from './received-blocks.ts'

const nullableText = z.string().nullable()
/** Of messages and people: chosen by strangers, cut. */
const id = z.string().max(128)
const name = z.string().max(256).nullable()
const chatId = id.meta({ description: 'Chat; can be sent back as `phone`.', examples: ['5511988887777'] })
const chatLid = nullableText.meta({
  description: '`<digits>@lid` of a 1:1 chat: the stable key when the number becomes known later.',
})

const envelope = <const T extends EventType>(type: T) => ({
  type: z.literal(type),
  event_id: z.string().meta({ description: 'ULID, the same in every attempt.', examples: ['01JD3V8Q6ZP4M5T7X9K2B0C1DE'] }),
  instance_id: z.string().meta({ format: 'uuid' }),
  momment: z.int().meta({ description: 'Epoch milliseconds of the fact.', examples: [1767225600000] }),
  single_url: z.literal(true).optional().meta({ description: 'Present while the five URLs are one.' }),
})

const picture = nullableText.meta({
  description:
    'Address of a small picture, as far as it is known: null in the first events of a chat, and of most authors in large groups. It expires.',
})

/** A block is there only for its kind. */
const optional = <T extends Record<string, z.ZodType>>(shape: T) => z.object(shape).partial().shape

/** What every message says beside its content. */
const common = {
  phone: chatId,
  chat_lid: chatLid,
  is_group: z.boolean(),
  is_newsletter: z.boolean(),
  broadcast: z.boolean().meta({ description: 'Status post or message of a broadcast list.' }),
  from_me: z.boolean(),
  from_api: z.boolean().meta({ description: '`from_me` and sent through this service.' }),
  status: z.enum(['received', 'sent']),
  chat_name: name,
  sender_name: name,
  photo: picture,
  sender_photo: picture,
  participant_phone: id.nullable().meta({ description: 'Author in a group or of a status.' }),
  participant_lid: nullableText,
  connected_phone: nullableText,
  reference_message_id: id.nullable().meta({ description: 'Quoted, answered or deleted message.' }),
  is_status_reply: z.boolean(),
  is_edit: z
    .boolean()
    .meta({ description: 'New content of a message already sent; `edit_message_id` is then the id of the edit.' }),
  forwarded: z.boolean(),
  view_once: z.boolean(),
  waiting_message: z.boolean().meta({ description: 'Content not readable yet.' }),
  message_expiration_seconds: z.int().nullable(),
  mentions: z.array(id).max(500),
}
/** Only where they apply. */
const applying = { edit_message_id: id.optional(), newsletter_server_id: id.optional() }

const received = z
  .object({
    ...envelope('received'),
    message_id: id.min(1),
    message_type: z.enum(MESSAGE_TYPES).meta({ description: 'Name of the content block; `waiting_message` has none.' }),
    ...common,
    ...applying,
    ...optional(receivedExtras),
    ...optional(receivedBlocks),
  })
  .meta({ id: 'ReceivedEvent', description: 'A message arrived, or, with `notify_sent_by_me`, was sent from the account.' })

const delivery = z
  .object({
    ...envelope('delivery'),
    message_id: z.string(),
    id: z.string(),
    svc_id: z.string(),
    operation: z.string().meta({ examples: ['send.sendText'] }),
    phone: chatId,
    is_group: z.boolean(),
    reference_message_id: nullableText.meta({ description: 'Target of reactions, pins, deletions, edits, votes.' }),
    status: z.enum(['sent', 'failed']),
    error_code: z.enum(Object.keys(FAILURES) as [keyof typeof FAILURES]).nullable(),
    error_message: nullableText,
    queued_at: instant,
  })
  .meta({
    id: 'DeliveryEvent',
    description: 'Result of a queued operation. `sent` means accepted by the network, not received by the person.',
  })

const messageStatus = z
  .object({
    ...envelope('message_status'),
    status: z.enum(['sent', 'delivered', 'read', 'played']),
    ids: z.array(z.string()).min(1).max(256).meta({ description: 'Messages of the same chat with the same status.' }),
    phone: chatId,
    chat_lid: chatLid,
    is_group: z.boolean(),
    participant_phone: nullableText.meta({ description: 'Who received or read, in groups and status.' }),
    participant_lid: nullableText,
  })
  .meta({
    id: 'MessageStatusEvent',
    description: 'A lower value never follows a higher one for the same message and participant.',
  })

const instanceStatus = z
  .object({
    ...envelope('instance_status'),
    status: z.enum(STATUSES),
    previous_status: z.enum(STATUSES).nullable(),
    connected: z.boolean(),
    phone: nullableText,
    disconnect_reason: z.enum(STATUS_REASONS).nullable(),
    reason: nullableText.meta({ description: 'The sentence of `GET /status` `error`.' }),
  })
  .meta({ id: 'InstanceStatusEvent', description: 'The status of the instance changed.' })

const chatPresence = z
  .object({
    ...envelope('chat_presence'),
    phone: chatId,
    chat_lid: chatLid,
    is_group: z.boolean(),
    status: z.enum(['available', 'unavailable', 'composing', 'recording', 'paused']),
    last_seen: instant.nullable(),
  })
  .meta({ id: 'ChatPresenceEvent', description: 'A contact is there, writes, or has gone.' })

export const webhookPayloads = {
  received,
  delivery,
  message_status: messageStatus,
  instance_status: instanceStatus,
  chat_presence: chatPresence,
} satisfies Record<EventType, z.ZodType>

type Shape<T extends z.core.$ZodLooseShape> = z.output<z.ZodObject<T>>
/** What an event says beside its envelope. */
type Said<T extends z.ZodType> = Omit<z.output<T>, keyof ReturnType<typeof envelope>>

/** Fields of a message that its content may set otherwise. */
export interface ReceivedFields extends Shape<typeof common>, Shape<typeof applying>, ReceivedExtras {
  message_id: string
}
export type Received = ReceivedFields & ReceivedContent
export type Delivery = Said<typeof delivery>
export type MessageStatus = Said<typeof messageStatus>
export type InstanceStatus = Said<typeof instanceStatus>
export type ChatPresence = Said<typeof chatPresence>

interface Bodies {
  received: Received
  delivery: Delivery
  message_status: MessageStatus
  instance_status: InstanceStatus
  chat_presence: ChatPresence
}

/** A finished event of a type, before `instance_id`, `event_id` and `single_url` of the envelope are added. */
export interface EventOf<T extends EventType> {
  type: T
  /** Epoch milliseconds of the fact: message timestamp, receipt timestamp, change of status. The wire name is `momment`. */
  at: number
  body: Bodies[T]
}
export type ReceivedEvent = EventOf<'received'>
export type WebhookEvent = { [T in EventType]: EventOf<T> }[EventType]
