import { z } from 'zod'
import { MEDIA_LIMIT } from '../../domain/media.ts'
import { acknowledged, destination, identifier, media, oneOf, text, url } from '../fields.ts'
import { send } from './queued.ts'

const NUMERIC = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i

/** A latitude or longitude. A text is also accepted, because some programs write numbers as text in JSON. */
const coordinate = (limit: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && NUMERIC.test(value.trim()) ? Number(value) : value),
    z.number().min(-limit).max(limit),
  )

const contactPhone = z
  .string()
  .regex(/^\d{5,20}$/, 'must be 5 to 20 digits')
  .meta({ description: 'Number on the card, digits with country code.' })

export const sendLink = send('send.sendLink', 'POST /send-link', {
  summary: 'Send a link with a card',
  description:
    'If the text does not contain the URL, the URL is appended on a new line. If the picture cannot be downloaded, the message is sent without it.',
  input: {
    phone: destination('user', 'group', 'newsletter'),
    message: text(1, 65_536).meta({ description: 'Text above the card.' }),
    link_url: url.meta({ description: 'URL that the card opens.' }),
    title: text(1, 256).meta({ description: 'First line of the card.' }),
    link_description: text(0, 1_024).optional().meta({ description: 'Second line of the card.' }),
    image: media(MEDIA_LIMIT, 'Picture of the card').optional(),
    link_type: oneOf(['small', 'medium', 'large']).default('small').meta({ description: 'Size of the card, best effort.' }),
  },
  words: ({ message }) => message,
  errors: ['media_invalid'],
  examples: [
    {
      name: 'card',
      input: {
        phone: '5511988887777',
        message: 'See https://shop.example',
        link_url: 'https://shop.example',
        title: 'Example Shop',
        link_description: 'Everything for the house',
        image: 'https://cdn.example/og.jpg',
        link_type: 'large',
      },
      reply: acknowledged,
    },
  ],
})

export const sendLocation = send('send.sendLocation', 'POST /send-location', {
  summary: 'Send a place',
  input: {
    phone: destination('user', 'group'),
    title: text(1, 256).meta({ description: 'Name of the place.' }),
    address: text(1, 1_024).meta({ description: 'Address below the name.' }),
    latitude: coordinate(90).meta({ description: 'Degrees; a numeric string is accepted.' }),
    longitude: coordinate(180).meta({ description: 'Degrees; a numeric string is accepted.' }),
  },
  examples: [
    {
      name: 'office',
      input: {
        phone: '5511988887777',
        title: 'Head office',
        address: 'Av. Paulista, 1000, Sao Paulo',
        latitude: -23.5645,
        longitude: -46.6527,
      },
      reply: acknowledged,
    },
  ],
})

export const sendContact = send('send.sendContact', 'POST /send-contact', {
  summary: 'Send a contact card',
  input: {
    phone: destination('user', 'group'),
    contact_name: text(1, 256).meta({ description: 'Name on the card.' }),
    contact_phone: contactPhone,
    contact_business_description: text(1, 256).optional().meta({ description: 'Description of the business, on the card.' }),
  },
  examples: [
    {
      name: 'one number',
      input: { phone: '5511988887777', contact_name: 'Support', contact_phone: '5511900001111' },
      reply: acknowledged,
    },
  ],
})

export const sendContacts = send('send.sendContacts', 'POST /send-contacts', {
  summary: 'Send several contact cards',
  input: {
    phone: destination('user', 'group'),
    contacts: z
      .array(
        z.object({
          name: text(1, 256).meta({ description: 'Name on the card.' }),
          phones: z.array(contactPhone).min(1).max(10).meta({ description: 'Numbers on the card.' }),
          business_description: text(1, 256).optional().meta({ description: 'Description of the business, on the card.' }),
        }),
      )
      .min(1)
      .max(50)
      .meta({ description: 'Contacts, one card each, in one message.' }),
  },
  examples: [
    {
      name: 'two',
      input: {
        phone: '5511988887777',
        contacts: [
          { name: 'Sales', phones: ['5511900001111'] },
          { name: 'Finance', phones: ['5511900002222', '5511900003333'], business_description: 'Mon to Fri' },
        ],
      },
      reply: acknowledged,
    },
  ],
})

export const sendNewsletterAdminInvite = send('send.sendNewsletterAdminInvite', 'POST /send-newsletter-admin-invite', {
  summary: 'Invite a person to administer a channel',
  description: 'The invitation is first registered with the network. If the network refuses it, nothing is sent.',
  input: {
    phone: destination('user'),
    newsletter_id: identifier(['newsletter'], {
      description: 'A channel that this account owns.',
      examples: ['120363166555745933@newsletter'],
    }),
    caption: text(0, 1_024).optional().meta({ description: 'Text of the invitation.' }),
  },
  words: ({ caption }) => caption,
  examples: [
    {
      name: 'with a word',
      input: {
        phone: '5511988887777',
        newsletter_id: '120363166555745933@newsletter',
        caption: 'Would you help me run this channel?',
      },
      reply: acknowledged,
    },
  ],
})
