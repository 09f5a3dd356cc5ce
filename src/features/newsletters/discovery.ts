/** Operations that find channels. */
import { z } from 'zod'
import { action } from '../endpoint.ts'
import { integer, name, oneOf, paged, paging } from '../fields.ts'
import { linkTo } from '../invitation-links.ts'
import { cursor, linkExample, Newsletter, newsletterExample } from './objects.ts'

const LINK = /^(?:https?:\/\/)?(?:www\.)?whatsapp\.com\/channel\/([\w-]+)\/?(?:[?#].*)?$/i
const url = linkTo(LINK, 'https://whatsapp.com/channel/<code>', linkExample)

export const invitationMetadata = action('newsletters.invitationMetadata', 'GET /newsletters/invitation', {
  writes: false,
  summary: 'Read the channel of a link',
  input: { url },
  reply: Newsletter,
  notFound: 'invite_link_invalid',
  examples: [{ name: 'link', input: { url: linkExample }, reply: { ...newsletterExample, role: null, muted: null } }],
})

export const list = action('newsletters.list', 'GET /newsletters', {
  writes: false,
  summary: 'List the channels that the account owns, administers and follows',
  description: 'Owned ones first.',
  input: paging({ default: 100, max: 500 }),
  reply: paged(Newsletter),
  examples: [
    {
      name: 'channels',
      input: { page: 1, page_size: 100 },
      reply: { data: [{ ...newsletterExample, subscribers_count: null }], page: 1, page_size: 100, total: 1 },
    },
  ],
})

const VIEWS = ['recommended', 'trending', 'popular', 'new'] as const

const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be a country code of ISO 3166-1 alpha-2')
  .transform((value) => value.toUpperCase())
  .meta({ examples: ['BR'] })

export const search = action('newsletters.search', 'POST /newsletters/search', {
  writes: false,
  summary: 'Search the directory of channels',
  input: {
    search_text: name(1, 100)
      .optional()
      .meta({ description: 'Text to search for; if omitted, the directory is listed by view.' }),
    view: oneOf(VIEWS).default('recommended').meta({ description: 'View of the directory; ignored with `search_text`.' }),
    country_codes: z.array(countryCode).max(10).default([]).meta({
      description:
        'Country codes of ISO 3166-1 alpha-2; ignored with `search_text`, because the network only accepts them for views.',
    }),
    limit: integer(1, 100).default(50).meta({ description: 'Number of channels per page.' }),
    cursor,
  },
  ignored: ({ search_text: text }) => (text === undefined ? [] : ['view', 'country_codes']),
  reply: z.object({ data: z.array(Newsletter), next_cursor: z.string().nullable() }),
  examples: [
    {
      name: 'trending',
      input: { view: 'trending', country_codes: ['BR'], limit: 20 },
      reply: { data: [{ ...newsletterExample, reaction_codes: null, role: null, muted: null }], next_cursor: null },
    },
    {
      name: 'text',
      input: { search_text: 'news' },
      reply: { data: [], next_cursor: null },
    },
  ],
})
