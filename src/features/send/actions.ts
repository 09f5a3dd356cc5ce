import { z } from 'zod'
import { acknowledged, destination, identifier, messageId, oneOf, text } from '../fields.ts'
import { actOf, queryBoolean, send } from './queued.ts'

const target = {
  message_id: messageId.meta({ description: 'Id of the message, which is in the chat `phone`.' }),
  from_me: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether this account wrote the message. Only needed if the service no longer stores the message.' }),
  participant: identifier(['user'], {
    description: 'Author of the message. Only needed in groups, for a message of another person that the service does not store.',
  }).optional(),
}

/**
 * Part of an expression that matches a pictograph with its skin tone or variant, or with the tags of a flag (UTS 51,
 * 1.4.9). Unassigned pictographs are allowed, because phones may know a newer version of Unicode.
 */
const PICTURE = '\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|[\\u{FE0E}\\u{FE0F}]|[\\u{E0020}-\\u{E007E}]+\\u{E007F})*'
/** Matches one emoji: a flag of two letters, a keycap, or one or more joined pictographs. */
const EMOJI = new RegExp(`^(?:\\p{RI}{2}|[0-9#*]\\u{FE0F}?\\u{20E3}|${PICTURE}(?:\\u{200D}${PICTURE})*)$`, 'u')
const isEmoji = (value: string) => EMOJI.test(value)

export const sendReaction = send('send.sendReaction', 'POST /send-reaction', {
  about: 'message_id',
  summary: 'React to a message',
  description:
    'A new reaction replaces the previous one. A channel post must be stored by the service, because its number is needed.',
  input: {
    phone: destination('user', 'group', 'newsletter'),
    reaction: text(1, 64)
      .refine(isEmoji, { message: 'must be one emoji' })
      .meta({ description: 'One emoji.', minLength: 1, maxLength: 64 }),
    ...target,
  },
  without: actOf('a reaction'),
  examples: [
    {
      name: 'heart',
      input: { phone: '5511988887777', reaction: '❤️', message_id: '3EB0796DC6B777C0C7CD' },
      reply: acknowledged,
    },
  ],
})

export const removeReaction = send('send.removeReaction', 'POST /send-remove-reaction', {
  about: 'message_id',
  summary: 'Remove the own reaction',
  input: { phone: destination('user', 'group', 'newsletter'), ...target },
  without: actOf('a reaction'),
  examples: [{ name: 'remove', input: { phone: '5511988887777', message_id: '3EB0796DC6B777C0C7CD' }, reply: acknowledged }],
})

export const forwardMessage = send('send.forwardMessage', 'POST /forward-message', {
  summary: 'Forward a message',
  description:
    'View-once and live messages, payments, reactions and votes cannot be forwarded: `not_allowed`. People in `mentions` are mentioned ' +
    'whether the text names them or not.',
  input: {
    phone: destination('user', 'group', 'newsletter'),
    message_id: messageId.meta({ description: 'The message to forward.' }),
    message_phone: identifier(['user', 'group', 'newsletter', 'status'], { description: 'Chat that contains the message.' }),
  },
  words: 'later',
  examples: [
    {
      name: 'to somebody else',
      input: { phone: '5511988887777', message_id: '3EB0796DC6B777C0C7CD', message_phone: '5511977776666' },
      reply: acknowledged,
    },
  ],
})

export const pinMessage = send('send.pinMessage', 'POST /pin-message', {
  about: 'message_id',
  summary: 'Pin or unpin a message for everyone',
  input: {
    phone: destination('user', 'group'),
    ...target,
    message_action: oneOf(['pin', 'unpin']).default('pin').meta({ description: 'Whether to pin or to unpin the message.' }),
    pin_message_duration: oneOf(['24_hours', '7_days', '30_days'])
      .default('7_days')
      .meta({ description: 'Ignored for `unpin`.' }),
  },
  without: actOf('a pin'),
  examples: [
    {
      name: 'a week',
      input: {
        phone: '5511988887777',
        message_id: '3EB0796DC6B777C0C7CD',
        message_action: 'pin',
        pin_message_duration: '7_days',
      },
      reply: acknowledged,
    },
  ],
})

export const deleteMessage = send('send.deleteMessage', 'DELETE /messages', {
  about: 'message_id',
  summary: 'Delete a message',
  description:
    'Own messages are deleted for everyone, and so are messages of others in groups that this account administers. A message that a person sent in a 1:1 chat ' +
    'is only deleted on this account. The network ignores deletions after about 60 hours.',
  input: {
    phone: destination('user', 'group', 'newsletter', 'status'),
    message_id: messageId.meta({ description: 'The message to delete.' }),
    owner: queryBoolean.meta({ description: 'True if this account wrote the message, false if someone else did.' }),
    participant: target.participant,
  },
  without: actOf('a deletion'),
  examples: [
    {
      name: 'own',
      input: { phone: '5511988887777', message_id: '3EB0796DC6B777C0C7CD', owner: 'true' },
      reply: acknowledged,
    },
  ],
})
