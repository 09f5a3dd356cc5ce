import { z } from 'zod'
import { acknowledged, destination, messageId, text } from '../fields.ts'
import { send } from './queued.ts'

export const sendText = send('send.sendText', 'POST /send-text', {
  about: 'edit_message_id',
  summary: 'Send a text',
  description:
    'Goes to people, groups, channels and status. The message is queued; its outcome is a `delivery` event. With `edit_message_id` an own message of the ' +
    'last 15 minutes gets this text instead (or this caption, if it was media).',
  input: {
    phone: destination('user', 'group', 'newsletter', 'status'),
    message: text(1, 65_536).meta({
      description: 'Text of the message. It may have the markup of WhatsApp (`*bold*`, `_italic_`, `~strike~`).',
      minLength: 1,
      maxLength: 65_536,
    }),
    link_preview: z.boolean().default(true).meta({
      description:
        'Whether to add a card for the first URL of the text. If the page does not provide one within 5 s, the message is sent without a card.',
    }),
    edit_message_id: messageId
      .optional()
      .meta({ description: 'Id of an own message to edit; `reply_to_message_id` is then ignored.' }),
    private_answer: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether to answer the quoted author in private. Only in a group, with `reply_to_message_id`.' }),
  },
  words: ({ message }) => message,
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
      name: 'at a later time',
      input: { phone: '5511988887777', message: 'Your table is booked for tonight.', send_at: '2026-01-31T09:00:00-03:00' },
      reply: acknowledged,
    },
    {
      name: 'edit',
      input: { phone: '5511988887777', message: 'Order *1042* was shipped', edit_message_id: '3EB0EE97803A91FF2C0ED1' },
      reply: acknowledged,
    },
  ],
})
