/** People: who has an account, how they show themselves, who is blocked (shared/api/chats-contacts-profile-privacy.md, Contacts). */
import { z } from 'zod'
import { SECOND } from '../domain/clock.ts'
import { action } from './endpoint.ts'
import { chat, Done, INVALID_PHONE, identifier, oneOf } from './fields.ts'

/** Of a question about many people (auth-and-limits.md). */
const BATCH_DEADLINE = 45 * SECOND

/** A number as somebody may write it: it need not be registered, so a LID is none. */
const number = z
  .string()
  .min(1)
  .superRefine((value, context) => {
    if (value !== '' && !/^\d{5,20}$/.test(value))
      context.addIssue({ code: 'custom', message: 'must be a number of 5 to 20 digits', params: INVALID_PHONE })
  })
  .meta({ description: 'A number, 5 to 20 digits.', pattern: '^\\d{5,20}$', examples: ['5511988887777'] })

const lid = z.string().nullable().meta({ description: 'Null when it is not known.' })

export const exists = action('contacts.exists', 'GET /phone-exists/{phone}', {
  writes: false,
  summary: 'Whether a number has an account',
  input: { phone: number },
  reply: z.object({
    exists: z.boolean(),
    phone: z.string().meta({ description: 'The registered form; as it was asked for when there is no account.' }),
    lid,
  }),
  errors: ['invalid_phone'],
  examples: [
    {
      name: 'an account',
      input: { phone: '5511988887777' },
      reply: { exists: true, phone: '5511988887777', lid: '123456789012345@lid' },
    },
  ],
})

export const existsBatch = action('contacts.existsBatch', 'POST /phone-exists-batch', {
  writes: false,
  deadlineMs: BATCH_DEADLINE,
  summary: 'Which of up to 50 numbers have an account',
  description: 'One query to the network, however many numbers. Answers are in the order of the numbers, one each.',
  input: { phones: z.array(number).min(1).max(50) },
  reply: z.object({
    data: z.array(
      z.object({
        input_phone: z.string(),
        output_phone: z.string().meta({ description: 'The registered form; as it was asked for when there is no account.' }),
        exists: z.boolean(),
        lid,
      }),
    ),
  }),
  errors: ['invalid_phone'],
  examples: [
    {
      name: 'one has, one has not',
      input: { phones: ['5511988887777', '551133334444'] },
      reply: {
        data: [
          { input_phone: '5511988887777', output_phone: '5511988887777', exists: true, lid: '123456789012345@lid' },
          { input_phone: '551133334444', output_phone: '551133334444', exists: false, lid: null },
        ],
      },
    },
  ],
})

export const picture = action('contacts.picture', 'GET /contacts/{phone}/picture', {
  writes: false,
  summary: 'Where the picture of a person or group is',
  description: "The URL is the network's and expires, after about 48 h.",
  input: { phone: chat('user', 'group'), size: oneOf(['image', 'preview']).default('image') },
  reply: z.object({ url: z.string().nullable().meta({ description: 'Null when there is no picture, or it is hidden.' }) }),
  errors: ['invalid_phone'],
  examples: [
    {
      name: 'a person',
      input: { phone: '5511988887777', size: 'image' },
      reply: { url: 'https://pps.whatsapp.net/v/t61.24694-24/1_n.jpg' },
    },
  ],
})

const Blocked = z.object({
  blocked: z.array(z.string()).meta({ description: 'Identifiers of everybody who is blocked, at most 64,000.' }),
})
const blockedExample = { blocked: ['5511988887777'] }

export const blocked = action('contacts.blocked', 'GET /contacts/blocked', {
  writes: false,
  summary: 'Who is blocked',
  reply: Blocked,
  examples: [{ name: 'list', reply: blockedExample }],
})

const person = { phone: identifier(['user']) }

export const block = action('contacts.block', 'POST /contacts/{phone}/block', {
  writes: true,
  notFound: 'phone_not_on_whatsapp',
  summary: 'Block a person',
  input: person,
  reply: Blocked,
  errors: ['invalid_phone'],
  examples: [{ name: 'block', input: { phone: '5511988887777' }, reply: blockedExample }],
})

export const unblock = action('contacts.unblock', 'POST /contacts/{phone}/unblock', {
  writes: true,
  notFound: 'phone_not_on_whatsapp',
  summary: 'Unblock a person',
  input: person,
  reply: Blocked,
  errors: ['invalid_phone'],
  examples: [{ name: 'unblock', input: { phone: '5511988887777' }, reply: { blocked: [] } }],
})

export const report = action('contacts.report', 'POST /contacts/{phone}/report', {
  writes: true,
  notFound: 'phone_not_on_whatsapp',
  summary: 'Report a person or a group to the network',
  input: {
    phone: chat('user', 'group'),
    block: z.boolean().default(false).meta({ description: 'Also block the person; not for groups.', default: false }),
  },
  check({ phone, block: alsoBlock }, issue) {
    if (alsoBlock && phone.kind === 'group') issue('block', 'is only taken with a person')
  },
  reply: Done,
  errors: ['invalid_phone', 'group_not_found'],
  examples: [{ name: 'report', input: { phone: '5511988887777', block: false }, reply: { value: true } }],
})
