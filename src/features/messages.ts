import { action } from './endpoint.ts'
import { chat, Done, identifier, messageId, oneOf } from './fields.ts'

export const readMessage = action('messages.readMessage', 'POST /read-message', {
  writes: false,
  summary: 'Mark a received message as read',
  description: 'If read receipts are disabled in the privacy settings, only the devices of this account see the mark.',
  input: {
    phone: chat('user', 'group', 'status'),
    message_id: messageId.meta({
      description: 'Id of the message that was read. Earlier messages of the chat also count as read.',
    }),
    participant: identifier(['user'], {
      description: 'Author of the message, in groups and status. Only needed if the service no longer stores the message.',
    }).optional(),
  },
  reply: Done,
  notFound: 'chat_not_found',
  errors: ['invalid_phone', 'not_allowed', 'message_not_found'],
  examples: [{ name: 'read', input: { phone: '5511988887777', message_id: '3EB0796DC6B777C0C7CD' }, reply: { value: true } }],
})

const ACCOUNT_WIDE = new Set<unknown>(['available', 'unavailable'])
const isAccountWide = (presence: unknown) => ACCOUNT_WIDE.has(typeof presence === 'string' ? presence.toLowerCase() : presence)

export const sendPresence = action('messages.sendPresence', 'POST /send-presence', {
  writes: false,
  summary: 'Show a typing indicator in a chat, or show the account as available',
  description:
    'The indicator in a chat expires after some seconds, so repeat it. `available` silences notifications on the phone until ' +
    '`unavailable`.',
  input: {
    phone: identifier(['user', 'group'], { description: 'Chat; ignored for `available` and `unavailable`.' }).optional(),
    presence: oneOf(['composing', 'recording', 'paused', 'available', 'unavailable']).meta({
      description:
        '`composing`, `recording` and `paused` appear in the chat; `available` and `unavailable` apply to the whole account.',
    }),
  },
  ignored: ({ presence }) => (isAccountWide(presence) ? ['phone'] : []),
  check({ phone, presence }, issue) {
    if (phone === undefined && !isAccountWide(presence)) issue('phone', 'is required')
  },
  reply: Done,
  notFound: 'chat_not_found',
  errors: ['invalid_phone', 'not_allowed'],
  examples: [{ name: 'typing', input: { phone: '5511988887777', presence: 'composing' }, reply: { value: true } }],
})
