/** Chats of the account: the list, and changes of one chat (shared/api/chats-contacts-profile-privacy.md, Chats). */
import { z } from 'zod'
import { action } from './endpoint.ts'
import { chat, Done, instant, integer, messageId, oneOfNumbers, paged, paging } from './fields.ts'

const DAY_SECONDS = 86_400
const LIFETIMES = [0, DAY_SECONDS, 7 * DAY_SECONDS, 90 * DAY_SECONDS]

const chatFields = {
  phone: z.string().meta({ description: 'Identifier of the chat.' }),
  lid: z.string().nullable().meta({ description: 'Of a person; null where it is not known, and of groups.' }),
  name: z.string().nullable().meta({ description: 'Saved name, else the one the person chose, else subject of the group.' }),
  is_group: z.boolean(),
  is_group_announcement: z.boolean().meta({ description: 'Announcement group of a community.' }),
  unread: z.int().meta({ description: '0 to 100,000.' }),
  marked_unread: z.boolean().meta({ description: 'Marked by hand.' }),
  last_message_at: instant.nullable(),
  archived: z.boolean(),
  pinned: z.boolean(),
  muted: z.boolean(),
  mute_ends_at: instant.nullable().meta({ description: 'Null when not muted, or for ever.' }),
  ephemeral_seconds: z.int().meta({ description: 'Life of messages: 0, 86400, 604800 or 7776000.' }),
  labels: z.array(z.string()).meta({ description: 'Ids of labels, at most 20; empty on accounts that are no business.' }),
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
  summary: 'Chats, newest activity first',
  description: 'Channels and the status are none of them. Answered from what is known here: the network is not asked.',
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
  summary: 'One chat',
  input: { phone },
  reply: z.object({
    ...chatFields,
    about: z.string().nullable().meta({ description: 'Of a person; null where it is hidden, and of groups.' }),
    picture_url: z.string().nullable().meta({ description: "The network's, expires after about 48 h." }),
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
  summary: 'Put a chat into the archive, or take it out',
  description: 'A chat in the archive is not pinned any more.',
  input: { phone, value: z.boolean().meta({ description: 'True: archive it; false: take it out of the archive.' }) },
  examples: [{ name: 'archive', input: { phone: '5511988887777', value: true }, reply: { value: true } }],
})

export const pin = action('chats.pin', 'PUT /chats/{phone}/pin', {
  ...flag,
  summary: 'Pin a chat, or unpin it',
  description: 'The network keeps at most 3 pinned chats. A pinned chat is not in the archive any more.',
  input: { phone, value: z.boolean().meta({ description: 'True: pin it; false: take the pin off.' }) },
  examples: [{ name: 'pin', input: { phone: '5511988887777', value: true }, reply: { value: true } }],
})

export const mute = action('chats.mute', 'PUT /chats/{phone}/mute', {
  ...flag,
  summary: 'Mute a chat, or end that',
  input: {
    phone,
    value: z.boolean().meta({ description: 'True: mute it; false: let it ring again.' }),
    duration_seconds: integer(60, 31_536_000).optional().meta({ description: 'Omitted: for ever. Only with `true`.' }),
  },
  check({ value, duration_seconds }, issue) {
    if (!value && duration_seconds !== undefined) issue('duration_seconds', 'is only taken with value true')
  },
  examples: [
    { name: 'for eight hours', input: { phone: '5511988887777', value: true, duration_seconds: 28_800 }, reply: { value: true } },
  ],
})

export const read = action('chats.read', 'PUT /chats/{phone}/read', {
  ...flag,
  summary: 'Mark a chat as read, or as unread',
  description: '`true` also sends receipts for the unread messages that came since the last restart.',
  input: { phone, value: z.boolean().meta({ description: 'True: mark it read; false: mark it unread.' }) },
  examples: [{ name: 'read', input: { phone: '5511988887777', value: true }, reply: { value: true } }],
})

export const expiration = action('chats.expiration', 'PUT /chats/{phone}/expiration', {
  ...flag,
  summary: 'How long messages of a chat live',
  errors: [...flag.errors, 'group_suspended', 'shadow_ban'],
  input: { phone, value: oneOfNumbers(LIFETIMES).meta({ description: 'Seconds; 0: for ever.' }) },
  examples: [{ name: 'a week', input: { phone: '5511988887777', value: 604_800 }, reply: { value: true } }],
})

export const clear = action('chats.clear', 'POST /chats/{phone}/clear', {
  ...flag,
  summary: 'Remove the messages of a chat from the devices of the account',
  input: { phone, keep_starred: z.boolean().default(false).meta({ default: false, description: 'Starred messages stay.' }) },
  examples: [{ name: 'all', input: { phone: '5511988887777', keep_starred: false }, reply: { value: true } }],
})

/** `delete` is a word of the language. */
export const remove = action('chats.delete', 'DELETE /chats/{phone}', {
  ...flag,
  summary: 'Remove a chat from the list',
  description: 'In a group the account stays a member.',
  input: { phone },
  examples: [{ name: 'delete', input: { phone: '5511988887777' }, reply: { value: true } }],
})

export const star = action('chats.star', 'PUT /chats/{phone}/messages/{message_id}/star', {
  ...flag,
  summary: 'Star a message, or end that',
  description: 'Of messages that came since the last restart, and of those this service sent since then or within the last day.',
  input: {
    phone,
    message_id: messageId.meta({ description: 'The message.' }),
    value: z.boolean().meta({ description: 'True: star it; false: take the star off.' }),
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
