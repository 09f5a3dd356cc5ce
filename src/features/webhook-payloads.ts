/**
 * Payloads of the event types. The description publishes them, and the code that creates events returns their types.
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
const chatId = id('Chat of the event; use it as `phone` to reply.').meta({ examples: ['5511988887777'] })
const chatLid = nullableText('LID of a 1:1 chat, `<digits>@lid`. It stays the same when the number becomes known later.')
const isGroup = flag('Whether the chat is a group.')

const envelope = <const T extends EventType>(type: T) => ({
  type: z.literal(type).meta({ description: 'Type of the event, equal to the header.' }),
  event_id: z
    .string()
    .meta({ description: 'Id of the event: a ULID, the same in every attempt.', examples: ['01JD3V8Q6ZP4M5T7X9K2B0C1DE'] }),
  instance_id: z.string().meta({ format: 'uuid', description: 'Instance of the event.' }),
  momment: z.int().meta({ description: 'Time of the event, in milliseconds since the epoch.', examples: [1767225600000] }),
  single_url: z.literal(true).optional().meta({ description: 'Present while all five URLs are the same.' }),
  test: z.literal(true).optional().meta({ description: 'Present in test deliveries, which report no real event.' }),
})

const picture = nullableText(
  'URL of a small picture, which expires. Null if unknown, as in the first events of a chat and for most authors in large groups.',
)

const optional = <T extends Record<string, z.ZodType>>(shape: T) => z.object(shape).partial().shape

const common = {
  phone: chatId,
  chat_lid: chatLid,
  is_group: isGroup,
  is_newsletter: flag('Whether the chat is a channel.'),
  broadcast: flag('Whether the message is a status post or came through a broadcast list.'),
  from_me: flag('Whether the account sent the message.'),
  from_api: flag('Whether the account sent the message through this service.'),
  status: z.enum(['received', 'sent']).meta({ description: '`sent` if the account sent the message, else `received`.' }),
  chat_name: name('Name of the chat; null if unknown.'),
  sender_name: name('Name of the author, from the author or the address book.'),
  photo: picture,
  sender_photo: picture,
  participant_phone: nullableIdentifier('Author of a message in a group, or of a status post.'),
  participant_lid: nullableText('LID of that author, `<digits>@lid`.'),
  connected_phone: nullableText('Number of this account.'),
  reference_message_id: nullableIdentifier('Id of the quoted, answered or deleted message.'),
  is_status_reply: flag('Whether the message answers a status post of the account.'),
  is_edit: flag('Whether this is the new content of an earlier message; `edit_message_id` is then the id of the edit.'),
  forwarded: flag('Whether the message was forwarded.'),
  view_once: flag('Whether the message can be viewed only once.'),
  waiting_message: flag('Whether the content cannot be read yet.'),
  message_expiration_seconds: z.int().nullable().meta({ description: 'Seconds after which apps delete the message.' }),
  mentions: z.array(z.string().max(128)).max(500).meta({ description: 'People whom the message mentions.' }),
}
const applying = {
  edit_message_id: id('Id of the edit; only with `is_edit`.').optional(),
  newsletter_server_id: id('Number of the post within its channel.').optional(),
}

const received = z
  .object({
    ...envelope('received'),
    message_id: z.string().max(128).min(1).meta({ description: 'Id of the message on the network.' }),
    message_type: z
      .enum(MESSAGE_TYPES)
      .meta({ description: 'Name of the block with the content; a `waiting_message` has none.' }),
    ...common,
    ...applying,
    ...optional(receivedExtras),
    ...optional(receivedBlocks),
  })
  .meta({ id: 'ReceivedEvent', description: 'A message arrived or, if `notify_sent_by_me` is set, the account sent one.' })

const usedUpBudget = z
  .object({
    period: z
      .enum(['hour', 'day'])
      .meta({ description: '`hour` is the budget of 60 minutes; `day` is that of 24 hours, including the warm-up.' }),
    limit: z.int().meta({ description: 'The most first contacts in this period.' }),
    used: z.int().meta({ description: 'First contacts in this period so far.' }),
    free_at: instant.nullable().meta({
      description: 'Time at which the next first contact is possible; null if it is never possible with these settings.',
    }),
    waiting: z.int().meta({ description: 'Number of messages in the queue that wait for a budget of first contacts.' }),
  })
  .meta({ id: 'UsedUpBudget' })

const delivery = z
  .object({
    ...envelope('delivery'),
    message_id: z.string().meta({ description: 'Id of the message on the network, as in the acknowledgement.' }),
    id: z.string().meta({ description: 'Same value as `message_id`.' }),
    svc_id: z.string().meta({ description: 'Id of the queue item, as in the acknowledgement.' }),
    operation: z.string().meta({ description: 'Operation that queued the message.', examples: ['send.sendText'] }),
    phone: chatId,
    is_group: isGroup,
    reference_message_id: nullableText('Message that a reaction, pin, deletion, edit or vote refers to.'),
    status: z.enum(['sent', 'failed']).meta({ description: '`sent` means that the network accepted the message.' }),
    error_code: z
      .enum(Object.keys(FAILURES) as [keyof typeof FAILURES])
      .nullable()
      .meta({ description: 'With `failed`: why.' }),
    error_message: nullableText('Reason of a failure as a sentence; only with `failed`.'),
    queued_at: instant.meta({ description: 'Time of the acknowledgement.' }),
    used_up_budgets: z
      .array(usedUpBudget)
      .max(2)
      .optional()
      .meta({
        description:
          'Budgets of send safety that this send has used up; absent otherwise. Each is told once in its 60 minutes or 24 hours, and again if its limit ' +
          'has changed.',
      }),
  })
  .meta({
    id: 'DeliveryEvent',
    description:
      'Result of a queued operation. `sent` means that the network accepted the message, not that the person received it.',
  })

const messageStatus = z
  .object({
    ...envelope('message_status'),
    status: z.enum(['sent', 'delivered', 'read', 'played']).meta({ description: 'Status that the messages have reached.' }),
    ids: z.array(z.string()).min(1).max(256).meta({ description: 'Ids of messages in the same chat with the same status.' }),
    phone: chatId,
    chat_lid: chatLid,
    is_group: isGroup,
    participant_phone: nullableText('Person who received or read the messages; in groups and status.'),
    participant_lid: nullableText('LID of that person, `<digits>@lid`.'),
  })
  .meta({
    id: 'MessageStatusEvent',
    description:
      'Each status is reported once per message and participant, and never a lower status after a higher one. If a receipt arrives early, the lower statuses that it implies are reported first.',
  })

const instanceStatus = z
  .object({
    ...envelope('instance_status'),
    status: z.enum(STATUSES).meta({ description: 'Current status, as in `GET /status`.' }),
    previous_status: z.enum(STATUSES).nullable().meta({ description: 'Previous status.' }),
    connected: flag('Whether the instance is now connected.'),
    phone: nullableText('Number of this account.'),
    disconnect_reason: z.enum(STATUS_REASONS).nullable().meta({
      description: 'Reason of the disconnection. Null unless the status is `disconnected`, `logged_out`, `banned` or `stopped`.',
    }),
    reason: nullableText('Sentence that `GET /status` returns in `error`.'),
    status_reason: z
      .enum(STATUS_REASONS)
      .nullable()
      .meta({ description: 'Reason for programs, present in every status, as in `GET /me`.' }),
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
      .meta({ description: 'Activity of the contact.' }),
    last_seen: instant.nullable().meta({ description: 'Time at which the contact was last online, if the contact shares it.' }),
  })
  .meta({ id: 'ChatPresenceEvent', description: 'A contact came online, is typing, or went offline.' })

export const webhookPayloads = {
  received,
  delivery,
  message_status: messageStatus,
  instance_status: instanceStatus,
  chat_presence: chatPresence,
} satisfies Record<EventType, z.ZodType>

type Shape<T extends z.core.$ZodLooseShape> = z.output<z.ZodObject<T>>
type Said<T extends z.ZodType> = Omit<z.output<T>, keyof ReturnType<typeof envelope>>

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

/** An event without the fields `instance_id`, `event_id` and `single_url`, which are added later. */
export interface EventOf<T extends EventType> {
  type: T
  /** Time of the event in epoch ms, for example of the message or the receipt. The payload has it as `momment`. */
  at: number
  body: Bodies[T]
}
export type ReceivedEvent = EventOf<'received'>
export interface DeliveryEvent extends EventOf<'delivery'> {
  /** Time in epoch ms at which the sending of the message began. It is not part of the payload. */
  leftAt?: number | undefined
}
export type WebhookEvent = { [T in EventType]: T extends 'delivery' ? DeliveryEvent : EventOf<T> }[EventType]
