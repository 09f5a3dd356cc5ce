/** Messages: text out, read receipts (shared/api/messages.md). */
import { z } from 'zod'
import { action, send } from './endpoint.ts'
import {
  acknowledged,
  chat,
  checkMentions,
  Done,
  destination,
  identifier,
  messageId,
  oneOf,
  sendOptions,
  text,
} from './fields.ts'

export const sendText = send('send.sendText', 'POST /send-text', {
  summary: 'Send a text',
  description:
    'To people, groups, channels and status. Queued: the outcome is a `delivery` event. With `edit_message_id` an own message of the ' +
    'last 15 minutes gets this text (or, when it was media, this caption).',
  input: {
    phone: destination('user', 'group', 'newsletter', 'status'),
    message: text(1, 65_536).meta({
      description: 'Network markup (`*bold*`, `_italic_`, `~strike~`) passes through.',
      minLength: 1,
      maxLength: 65_536,
    }),
    link_preview: z.boolean().default(true).meta({ description: 'Card for the first URL of the text.' }),
    edit_message_id: messageId.optional().meta({ description: 'Own message to edit; `reply_to_message_id` is then ignored.' }),
    private_answer: z
      .boolean()
      .default(false)
      .meta({ description: 'In a group, with `reply_to_message_id`: answer the quoted author in private.' }),
    ...sendOptions,
  },
  check: ({ mentions, message }, issue) => checkMentions(mentions, message, issue),
  examples: [
    {
      name: 'text',
      input: {
        phone: '5511988887777',
        message: 'Order *1042* is ready https://shop.example/o/1042',
        link_preview: true,
        delay_typing: 2,
      },
      reply: acknowledged,
    },
    {
      name: 'edit',
      input: { phone: '5511988887777', message: 'Order *1042* was shipped', edit_message_id: '3EB0EE97803A91FF2C0ED1' },
      reply: acknowledged,
    },
  ],
})

export const readMessage = action('messages.readMessage', 'POST /read-message', {
  writes: false,
  summary: 'Mark a received message as read',
  description: 'With read receipts switched off in privacy only the own devices see it.',
  input: {
    phone: chat('user', 'group', 'status'),
    message_id: messageId,
    participant: identifier(['user'], {
      description: 'Author, in groups and status, for a message that is not remembered any more.',
    }).optional(),
  },
  reply: Done,
  errors: ['invalid_phone', 'not_allowed', 'message_not_found', 'chat_not_found'],
  examples: [{ name: 'read', input: { phone: '5511988887777', message_id: '3EB0796DC6B777C0C7CD' }, reply: { value: true } }],
})

const ACCOUNT_WIDE = new Set(['available', 'unavailable'])

export const sendPresence = action('messages.sendPresence', 'POST /send-presence', {
  writes: false,
  summary: 'Show typing in a chat, or the account as available',
  description:
    'The indicator of a chat expires by itself after some seconds: repeat it. `available` silences notifications on the phone until ' +
    '`unavailable`.',
  input: {
    phone: identifier(['user', 'group'], { description: 'Chat; ignored for `available` and `unavailable`.' }).optional(),
    presence: oneOf(['composing', 'recording', 'paused', 'available', 'unavailable']),
  },
  check({ phone, presence }, issue) {
    if (phone === undefined && !ACCOUNT_WIDE.has(presence)) issue('phone', 'is required')
  },
  reply: Done,
  errors: ['invalid_phone', 'not_allowed'],
  examples: [{ name: 'typing', input: { phone: '5511988887777', presence: 'composing' }, reply: { value: true } }],
})
