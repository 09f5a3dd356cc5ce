import { z } from 'zod'
import { SECOND } from '../domain/clock.ts'
import { action } from './endpoint.ts'
import { chat, Done, INVALID_PHONE, identifier, instant, name, oneOf, paged, paging } from './fields.ts'

const BATCH_DEADLINE = 45 * SECOND

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
  summary: 'Check whether a number has an account',
  input: { phone: number },
  reply: z.object({
    exists: z.boolean(),
    phone: z.string().meta({ description: 'Number as the account is registered; the requested number if it has no account.' }),
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
  summary: 'Check which of up to 50 numbers have an account',
  description: 'Uses one query to the network. The answer has one entry per number, in the order of the request.',
  input: { phones: z.array(number).min(1).max(50).meta({ description: 'Numbers to look up.' }) },
  reply: z.object({
    data: z.array(
      z.object({
        input_phone: z.string(),
        output_phone: z
          .string()
          .meta({ description: 'Number as the account is registered; the requested number if it has no account.' }),
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
  summary: 'Get the URL of the picture of a person or group',
  description: 'The URL is on the network and expires after about 48 h.',
  input: {
    phone: chat('user', 'group'),
    size: oneOf(['image', 'preview']).default('image').meta({ description: 'Size of the picture; `preview` is the small one.' }),
  },
  reply: z.object({ url: z.string().nullable().meta({ description: 'Null if there is no picture or it is hidden.' }) }),
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
  blocked: z.array(z.string()).meta({ description: 'Identifiers of all blocked people, at most 64,000.' }),
})
const blockedExample = { blocked: ['5511988887777'] }

export const blocked = action('contacts.blocked', 'GET /contacts/blocked', {
  writes: false,
  summary: 'List the blocked people',
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
    block: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether to block the person as well; not for groups.', default: false }),
  },
  check({ phone, block: alsoBlock }, issue) {
    if (alsoBlock && phone.kind === 'group') issue('block', 'is only allowed when phone is a person')
  },
  reply: Done,
  errors: ['invalid_phone', 'group_not_found'],
  examples: [{ name: 'report', input: { phone: '5511988887777', block: false }, reply: { value: true } }],
})

const contactFields = {
  phone: z.string().meta({ description: 'Identifier of the person.' }),
  lid,
  name: z.string().nullable().meta({ description: 'Name as saved on the phone.' }),
  short_name: z.string().nullable().meta({ description: 'First name, as saved on the phone.' }),
  push_name: z.string().nullable().meta({ description: 'Name that the person chose.' }),
  verified_name: z.string().nullable().meta({ description: 'Verified name of a business.' }),
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
  summary: 'List the people that the account knows, by name and number',
  description:
    'These are people saved on the phone, people with a chat, and members of groups. The answer comes from stored data; the network is not queried.',
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
  summary: 'Read a person',
  input: person,
  reply: z.object({
    ...contactFields,
    about: z.string().nullable().meta({ description: 'Null if there is none or it is hidden.' }),
    about_set_at: instant.nullable(),
    picture_url: z.string().nullable().meta({ description: 'URL on the network; it expires after about 48 h.' }),
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

const error = z.string().nullable().meta({ description: 'Reason for a failure, as an error code.' })

export const add = action('contacts.add', 'POST /contacts', {
  writes: true,
  summary: 'Save people on the phone under a name',
  description: 'People who are already saved are renamed. Works for accounts whose linked devices may edit contacts.',
  input: {
    contacts: z
      .array(
        z.object({
          phone: identifier(['user']),
          first_name: name(1, 50).meta({ description: 'First name, also used as the short name.' }),
          last_name: name(0, 50).optional().meta({ description: 'Last name, appended to the first name in the full name.' }),
          sync_to_addressbook: z.boolean().default(true).meta({
            description: 'Whether to save the person in the address book of the phone as well, if the app has the permission.',
            default: true,
          }),
        }),
      )
      .min(1)
      .max(50)
      .meta({ description: 'People to save, with their names.' }),
  },
  reply: z.object({
    value: z.boolean().meta({ description: 'Whether all of them were saved.' }),
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
  summary: 'Remove saved people from the phone',
  input: {
    phones: z
      .array(identifier(['user']))
      .min(1)
      .max(50)
      .meta({ description: 'People to remove.' }),
  },
  reply: z.object({
    value: z.boolean().meta({ description: 'Whether all of them were removed.' }),
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
