/** People: who has an account, how they show themselves, who is blocked (shared/api/chats-contacts-profile-privacy.md, Contacts). */
import { z } from 'zod'
import { SECOND } from '../domain/clock.ts'
import { action } from './endpoint.ts'
import { chat, Done, INVALID_PHONE, identifier, instant, name, oneOf, paged, paging } from './fields.ts'

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
  input: { phones: z.array(number).min(1).max(50).meta({ description: 'Numbers to look up.' }) },
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
  input: {
    phone: chat('user', 'group'),
    size: oneOf(['image', 'preview']).default('image').meta({ description: '`preview` is the small one.' }),
  },
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

const contactFields = {
  phone: z.string().meta({ description: 'Identifier of the person.' }),
  lid,
  name: z.string().nullable().meta({ description: 'As saved on the phone.' }),
  short_name: z.string().nullable().meta({ description: 'First name, as saved on the phone.' }),
  push_name: z.string().nullable().meta({ description: 'As the person calls itself.' }),
  verified_name: z.string().nullable().meta({ description: 'Of a business.' }),
}
const contactExample = {
  phone: '5511988887777',
  lid: '123456789012345@lid',
  name: 'Ana Souza',
  short_name: 'Ana',
  push_name: 'Ana',
  verified_name: null,
}

export const list = action('contacts.list', 'GET /contacts', {
  writes: false,
  isKnown: true,
  summary: 'People the account knows, by name and number',
  description: 'Saved on the phone, written with, or met in groups. Answered from what is known here: the network is not asked.',
  input: paging({ default: 100, max: 500 }),
  reply: paged(z.object(contactFields).meta({ id: 'Contact' })),
  examples: [
    {
      name: 'first page',
      input: { page: '1', page_size: '100' },
      reply: { data: [contactExample], page: 1, page_size: 100, total: 1 },
    },
  ],
})

export const get = action('contacts.get', 'GET /contacts/{phone}', {
  writes: false,
  notFound: 'phone_not_on_whatsapp',
  summary: 'One person',
  input: person,
  reply: z.object({
    ...contactFields,
    about: z.string().nullable().meta({ description: 'Null where there is none, or it is hidden.' }),
    about_set_at: instant.nullable(),
    picture_url: z.string().nullable().meta({ description: "The network's, expires after about 48 h." }),
    is_business: z.boolean(),
  }),
  errors: ['invalid_phone', 'phone_not_on_whatsapp'],
  examples: [
    {
      name: 'a person',
      input: { phone: '5511988887777' },
      reply: {
        ...contactExample,
        about: 'Busy',
        about_set_at: '2025-11-02T10:00:00.000Z',
        picture_url: null,
        is_business: false,
      },
    },
  ],
})

const error = z.string().nullable().meta({ description: 'Why not, as an error code.' })

export const add = action('contacts.add', 'POST /contacts', {
  writes: true,
  summary: 'Save people on the phone under a name',
  description: 'Who is saved already is renamed. Works on accounts whose linked devices may edit contacts.',
  input: {
    contacts: z
      .array(
        z.object({
          phone: identifier(['user']),
          first_name: name(1, 50).meta({ description: 'Also the short name.' }),
          last_name: name(0, 50).optional().meta({ description: 'Behind the first name, in the whole one.' }),
          sync_to_addressbook: z
            .boolean()
            .default(true)
            .meta({ description: 'Also in the address book of the phone, when the app may.', default: true }),
        }),
      )
      .min(1)
      .max(50)
      .meta({ description: 'Who is saved, and under which name.' }),
  },
  reply: z.object({
    value: z.boolean().meta({ description: 'All of them were saved.' }),
    results: z.array(z.object({ phone: z.string(), saved: z.boolean(), error })),
  }),
  errors: ['invalid_phone'],
  examples: [
    {
      name: 'one',
      input: { contacts: [{ phone: '5511988887777', first_name: 'Ana', last_name: 'Souza' }] },
      reply: { value: true, results: [{ phone: '5511988887777', saved: true, error: null }] },
    },
  ],
})

export const remove = action('contacts.remove', 'POST /contacts/remove', {
  writes: true,
  summary: 'Save people on the phone no more',
  input: {
    phones: z
      .array(identifier(['user']))
      .min(1)
      .max(50)
      .meta({ description: 'Who is saved no more.' }),
  },
  reply: z.object({
    value: z.boolean().meta({ description: 'None of them is saved any more.' }),
    results: z.array(z.object({ phone: z.string(), removed: z.boolean(), error })),
  }),
  errors: ['invalid_phone'],
  examples: [
    {
      name: 'one',
      input: { phones: ['5511988887777'] },
      reply: { value: true, results: [{ phone: '5511988887777', removed: true, error: null }] },
    },
  ],
})
