import { z } from 'zod'
import { identifier, instant, plain } from '../fields.ts'

const STATES = ['active', 'suspended', 'geosuspended', 'deleted', 'non_existing'] as const
const REACTION_CODES = ['all', 'basic', 'none', 'blocklist'] as const
const ROLES = ['owner', 'admin', 'subscriber', 'guest'] as const

const newsletter = identifier(['newsletter'], {
  description: 'Id of the channel; the digits alone are also accepted.',
  examples: ['120363166555745933@newsletter'],
})

/** Id of a channel. Bare digits are accepted, although in other fields they are the number of a person. */
export const newsletterId = z.preprocess(
  (value) => (typeof value === 'string' && /^\d+$/.test(value) ? `${value}@newsletter` : value),
  newsletter,
)

export const person = identifier(['user'])

const ofPreviousAnswer = { description: '`next_cursor` of the previous answer.' }

/** Position in a list. WhatsApp creates this cursor, and only WhatsApp can validate it. */
export const cursor = plain(1, 4_096).optional().meta(ofPreviousAnswer)

export const postCursor = z
  .string()
  .regex(/^\d{1,16}$/, 'must be `next_cursor` of a previous answer')
  .optional()
  .meta(ofPreviousAnswer)

export const Newsletter = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    created_at: instant.nullable(),
    state: z.enum(STATES),
    subscribers_count: z.int().nullable().meta({ description: 'Null in lists, because the network does not include it there.' }),
    verified: z.boolean(),
    invite_link: z.string().nullable(),
    handle: z.string().nullable(),
    picture_url: z.string().nullable(),
    preview_url: z.string().nullable(),
    reaction_codes: z.enum(REACTION_CODES).nullable(),
    role: z.enum(ROLES).nullable().meta({ description: 'Role of this account in the channel; null if unknown.' }),
    muted: z.boolean().nullable(),
  })
  .meta({ id: 'Newsletter' })

export const linkExample = 'https://whatsapp.com/channel/0029Va5Xk71aABCDEFGHIJ'

export const newsletterExample = {
  id: '120363166555745933@newsletter',
  name: 'Product news',
  description: 'What changed this week',
  created_at: '2025-09-25T12:05:04.000Z',
  state: 'active',
  subscribers_count: 123,
  verified: false,
  invite_link: linkExample,
  handle: null,
  picture_url: 'https://pps.whatsapp.net/v/t61.24694-24/3_n.jpg',
  preview_url: 'https://pps.whatsapp.net/v/t61.24694-24/3_s.jpg',
  reaction_codes: 'all',
  role: 'owner',
  muted: false,
}

export const idExample = { newsletter_id: '120363166555745933@newsletter' }

export const aboutChannel = { notFound: 'newsletter_not_found', errors: ['invalid_phone'] } as const

export const channel = { ...aboutChannel, path: { newsletter_id: newsletterId }, example: idExample }
