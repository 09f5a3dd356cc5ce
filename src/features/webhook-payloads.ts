/**
 * Payloads of the five event types (shared/api/webhook-payloads.md): the description publishes them, and the makers of events in a shard
 * return the types at the end of this file.
 */
import { z } from 'zod'
import type { EventType } from '../domain/events.ts'
import { FAILURES } from '../domain/failures.ts'
import { STATUS_REASONS, STATUSES } from '../domain/instance.ts'
import { instant } from './fields.ts'
import { MESSAGE_TYPES, type ReceivedContent, receivedBlocks } from './received/blocks.ts'
import { flag, id, nullable, nullableIdentifier } from './received/described.ts'
import { type ReceivedExtras, receivedExtras } from './received/extras.ts'

const nullableText = (description: string) => z.string().nullable().meta({ description })
const name = (description: string) => nullable(256, description)
const chatId = id('Chat; can be sent back as `phone`.').meta({ examples: ['5511988887777'] })
const chatLid = nullableText('`<digits>@lid` of a 1:1 chat: the stable key when the number becomes known later.')
const isGroup = flag('The chat is a group.')

const envelope = <const T extends EventType>(type: T) => ({
  type: z.literal(type).meta({ description: 'Type of the event, as in the header.' }),
  event_id: z.string().meta({ description: 'ULID, the same in every attempt.', examples: ['01JD3V8Q6ZP4M5T7X9K2B0C1DE'] }),
  instance_id: z.string().meta({ format: 'uuid', description: 'The instance it happened to.' }),
  momment: z.int().meta({ description: 'Epoch milliseconds of the fact.', examples: [1767225600000] }),
  single_url: z.literal(true).optional().meta({ description: 'Present while the five URLs are one.' }),
  test: z.literal(true).optional().meta({ description: 'Present in test deliveries: it never happened.' }),
})

const picture = nullableText(
  'Address of a small picture, as far as it is known: null in the first events of a chat, and of most authors in large groups. It expires.',
)

/** A block is there only for its kind. */
const optional = <T extends Record<string, z.ZodType>>(shape: T) => z.object(shape).partial().shape

/** The fields that every message has beside its content. */
const common = {
  phone: chatId,
  chat_lid: chatLid,
  is_group: isGroup,
  is_newsletter: flag('The chat is a channel.'),
  broadcast: flag('Status post or message of a broadcast list.'),
  from_me: flag('Sent from the account.'),
  from_api: flag('`from_me` and sent through this service.'),
  status: z.enum(['received', 'sent']).meta({ description: '`sent`: from the account.' }),
  chat_name: name('Name of the chat, as far as it is known.'),
  sender_name: name('Name of the author, as the author or the address book has it.'),
  photo: picture,
  sender_photo: picture,
  participant_phone: nullableIdentifier('Author in a group or of a status.'),
  participant_lid: nullableText('`<digits>@lid` of that author.'),
  connected_phone: nullableText('Number of the account.'),
  reference_message_id: nullableIdentifier('Quoted, answered or deleted message.'),
  is_status_reply: flag('Answers a status post of the account.'),
  is_edit: flag('New content of a message already sent; `edit_message_id` is then the id of the edit.'),
  forwarded: flag('It was forwarded.'),
  view_once: flag('To be opened once.'),
  waiting_message: flag('Content not readable yet.'),
  message_expiration_seconds: z.int().nullable().meta({ description: 'After so many seconds apps delete it.' }),
  mentions: z.array(z.string().max(128)).max(500).meta({ description: 'People it mentions.' }),
}
/** Only where they apply. */
const applying = {
  edit_message_id: id('With `is_edit`: id of the edit.').optional(),
  newsletter_server_id: id('Number of the post in its channel.').optional(),
}

const received = z
  .object({
    ...envelope('received'),
    message_id: z.string().max(128).min(1).meta({ description: 'Id of the message on the network.' }),
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
    message_id: z.string().meta({ description: 'Id of the message on the network, as acknowledged.' }),
    id: z.string().meta({ description: 'Same value as `message_id`.' }),
    svc_id: z.string().meta({ description: 'The queue item, as acknowledged.' }),
    operation: z.string().meta({ description: 'Operation that queued it.', examples: ['send.sendText'] }),
    phone: chatId,
    is_group: isGroup,
    reference_message_id: nullableText('Target of reactions, pins, deletions, edits, votes.'),
    status: z.enum(['sent', 'failed']).meta({ description: '`sent`: the network has taken it.' }),
    error_code: z
      .enum(Object.keys(FAILURES) as [keyof typeof FAILURES])
      .nullable()
      .meta({ description: 'With `failed`: why.' }),
    error_message: nullableText('With `failed`: the same as a sentence.'),
    queued_at: instant.meta({ description: 'When it was acknowledged.' }),
  })
  .meta({
    id: 'DeliveryEvent',
    description: 'Result of a queued operation. `sent` means accepted by the network, not received by the person.',
  })

const messageStatus = z
  .object({
    ...envelope('message_status'),
    status: z.enum(['sent', 'delivered', 'read', 'played']).meta({ description: 'How far the messages are.' }),
    ids: z.array(z.string()).min(1).max(256).meta({ description: 'Messages of the same chat with the same status.' }),
    phone: chatId,
    chat_lid: chatLid,
    is_group: isGroup,
    participant_phone: nullableText('Who received or read, in groups and status.'),
    participant_lid: nullableText('`<digits>@lid` of that person.'),
  })
  .meta({
    id: 'MessageStatusEvent',
    description:
      'Each value comes once for a message and participant, and a lower one never follows a higher one. Where receipts overtake each other, the implied lower values come first.',
  })

const instanceStatus = z
  .object({
    ...envelope('instance_status'),
    status: z.enum(STATUSES).meta({ description: 'The status now, as `GET /status` has it.' }),
    previous_status: z.enum(STATUSES).nullable().meta({ description: 'The one before.' }),
    connected: flag('It is connected now.'),
    phone: nullableText('Number of the account.'),
    disconnect_reason: z.enum(STATUS_REASONS).nullable().meta({
      description: 'Why it was disconnected: set in `disconnected`, `logged_out`, `banned` and `stopped`, null otherwise.',
    }),
    reason: nullableText('The sentence of `GET /status` `error`.'),
    status_reason: z
      .enum(STATUS_REASONS)
      .nullable()
      .meta({ description: 'The same for programs, in every status, as `GET /me` has it.' }),
  })
  .meta({ id: 'InstanceStatusEvent', description: 'The status of the instance changed.' })

const chatPresence = z
  .object({
    ...envelope('chat_presence'),
    phone: chatId,
    chat_lid: chatLid,
    is_group: isGroup,
    status: z
      .enum(['available', 'unavailable', 'composing', 'recording', 'paused'])
      .meta({ description: 'What the contact does.' }),
    last_seen: instant.nullable().meta({ description: 'When the contact was last there, where it shows that.' }),
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
/** The payload of an event without its envelope. */
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
