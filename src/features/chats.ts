import { z } from 'zod'
import { action } from './endpoint.ts'
import { chat, Done, instant, integer, messageId, oneOfNumbers, paged, paging } from './fields.ts'

const DAY_SECONDS = 86_400
const LIFETIMES = [0, DAY_SECONDS, 7 * DAY_SECONDS, 90 * DAY_SECONDS]

const chatFields = {
  phone: z.string().meta({ description: 'Identifier of the chat.' }),
  lid: z.string().nullable().meta({ description: 'LID of a person; null if it is unknown, and for groups.' }),
  name: z
    .string()
    .nullable()
    .meta({ description: 'Saved name, or the name that the person chose, or the subject of the group.' }),
  is_group: z.boolean(),
  is_group_announcement: z.boolean().meta({ description: 'Whether the chat is the announcement group of a community.' }),
  unread: z.int().meta({ description: '0 to 100,000.' }),
  marked_unread: z.boolean().meta({ description: 'Whether the chat was marked as unread by hand.' }),
  last_message_at: instant.nullable(),
  archived: z.boolean(),
  pinned: z.boolean(),
  muted: z.boolean(),
  mute_ends_at: instant.nullable().meta({ description: 'End of the mute; null if the chat is not muted or muted forever.' }),
  ephemeral_seconds: z
    .int()
    .meta({ description: 'Seconds after which messages disappear: 0 (never), 86400, 604800 or 7776000.' }),
  labels: z
    .array(z.string())
    .meta({ description: 'Ids of the labels of the chat, at most 20; empty if the account is not a business.' }),
}

const Chat = z.object(chatFields).meta({ id: 'Chat' })

const chatExample = {
  phone: '5511988887777',
  lid: '123456789012345@lid',
  name: 'Ana Souza',
  is_group: false,
  is_group_announcement: false,
  unread: 2,
  marked_unread: false,
  last_message_at: '2026-01-31T11:58:00.000Z',
  archived: false,
  pinned: true,
  muted: false,
  mute_ends_at: null,
  ephemeral_seconds: 0,
  labels: ['3'],
}

const phone = chat('user', 'group')

export const list = action('chats.list', 'GET /chats', {
  writes: false,
  isKnown: true,
  summary: 'List the chats, newest activity first',
  description: 'Channels and the status are not included. The answer comes from stored data; the network is not queried.',
  input: paging({ default: 100, max: 500 }),
  reply: paged(Chat),
  examples: [
    {
      name: 'first page',
      input: { page: '1', page_size: '100' },
      reply: { data: [chatExample], page: 1, page_size: 100, total: 1 },
    },
  ],
})

export const get = action('chats.get', 'GET /chats/{phone}', {
  writes: false,
  summary: 'Read a chat',
  input: { phone },
  reply: z.object({
    ...chatFields,
    about: z.string().nullable().meta({ description: 'About text of a person; null if it is hidden, and for groups.' }),
    picture_url: z.string().nullable().meta({ description: 'URL on the network; it expires after about 48 h.' }),
  }),
  errors: ['invalid_phone', 'chat_not_found'],
  examples: [
    {
      name: 'a person',
      input: { phone: '5511988887777' },
      reply: { ...chatExample, about: 'Busy', picture_url: 'https://pps.whatsapp.net/v/t61.24694-24/1_n.jpg' },
    },
  ],
})

const flag = {
  writes: true,
  notFound: 'chat_not_found',
  reply: Done,
  errors: ['invalid_phone', 'chat_not_found'],
} as const

export const archive = action('chats.archive', 'PUT /chats/{phone}/archive', {
  ...flag,
  summary: 'Archive or unarchive a chat',
  description: 'Archiving a chat unpins it.',
  input: { phone, value: z.boolean().meta({ description: 'True archives the chat, false unarchives it.' }) },
  examples: [{ name: 'archive', input: { phone: '5511988887777', value: true }, reply: { value: true } }],
})

export const pin = action('chats.pin', 'PUT /chats/{phone}/pin', {
  ...flag,
  summary: 'Pin or unpin a chat',
  description: 'An account has at most 3 pinned chats. Pinning a chat unarchives it.',
  input: { phone, value: z.boolean().meta({ description: 'True pins the chat, false unpins it.' }) },
  examples: [{ name: 'pin', input: { phone: '5511988887777', value: true }, reply: { value: true } }],
})

export const mute = action('chats.mute', 'PUT /chats/{phone}/mute', {
  ...flag,
  summary: 'Mute or unmute a chat',
  input: {
    phone,
    value: z.boolean().meta({ description: 'True mutes the chat, false unmutes it.' }),
    duration_seconds: integer(60, 31_536_000)
      .optional()
      .meta({ description: 'Duration of the mute; forever if omitted. Only allowed with `true`.' }),
  },
  check({ value, duration_seconds }, issue) {
    if (!value && duration_seconds !== undefined) issue('duration_seconds', 'is only allowed when value is true')
  },
  examples: [
    { name: 'for eight hours', input: { phone: '5511988887777', value: true, duration_seconds: 28_800 }, reply: { value: true } },
  ],
})

export const read = action('chats.read', 'PUT /chats/{phone}/read', {
  ...flag,
  summary: 'Mark a chat as read or unread',
  description: '`true` also sends receipts for the unread messages that came since the last restart.',
  input: { phone, value: z.boolean().meta({ description: 'True marks the chat as read, false as unread.' }) },
  examples: [{ name: 'read', input: { phone: '5511988887777', value: true }, reply: { value: true } }],
})

export const expiration = action('chats.expiration', 'PUT /chats/{phone}/expiration', {
  ...flag,
  summary: 'Set the message timer of a chat',
  description:
    'The timer of a chat with a person is sent as a message. While send safety would hold a message to this person, the answer is `held_by_send_safety`: ' +
    '`details.waiting_reason` and `details.send_after` say why and until when, as in `GET /queue`.',
  errors: [...flag.errors, 'group_suspended', 'shadow_ban', 'held_by_send_safety'],
  input: {
    phone,
    value: oneOfNumbers(LIFETIMES).meta({ description: 'Seconds after which messages disappear; 0 means never.' }),
  },
  examples: [{ name: 'a week', input: { phone: '5511988887777', value: 604_800 }, reply: { value: true } }],
})

export const clear = action('chats.clear', 'POST /chats/{phone}/clear', {
  ...flag,
  summary: 'Remove the messages of a chat from the devices of the account',
  input: { phone, keep_starred: z.boolean().default(false).meta({ default: false, description: 'Starred messages stay.' }) },
  examples: [{ name: 'all', input: { phone: '5511988887777', keep_starred: false }, reply: { value: true } }],
})

/** The export is named `remove`, because `delete` is a reserved word. */
export const remove = action('chats.delete', 'DELETE /chats/{phone}', {
  ...flag,
  summary: 'Remove a chat from the list',
  description: 'In a group the account stays a member.',
  input: { phone },
  examples: [{ name: 'delete', input: { phone: '5511988887777' }, reply: { value: true } }],
})

export const star = action('chats.star', 'PUT /chats/{phone}/messages/{message_id}/star', {
  ...flag,
  summary: 'Star or unstar a message',
  description:
    'Works for messages that arrived since the last restart, and for messages that this service sent since then or within the last day.',
  input: {
    phone,
    message_id: messageId.meta({ description: 'The message.' }),
    value: z.boolean().meta({ description: 'True stars the message, false removes the star.' }),
  },
  errors: ['invalid_phone', 'chat_not_found', 'message_not_found'],
  examples: [
    {
      name: 'star',
      input: { phone: '5511988887777', message_id: '3EB0EE97803A91FF2C0ED1', value: true },
      reply: { value: true },
    },
  ],
})
