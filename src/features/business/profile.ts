/** The profile of a business. It is best effort, because WhatsApp does not document it. */
import { z } from 'zod'
import { action } from '../endpoint.ts'
import { Done, identifier, name, oneOf, plain, url } from '../fields.ts'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const MODES = ['specific_hours', 'open_24h', 'appointment_only'] as const

const MAX_ADDRESS = 256
const MAX_WEBSITE = 256
const MAX_EMAIL = 128
const MAX_PER_DAY = 3

const Category = z.object({ id: z.string(), name: z.string() })

const BusinessProfile = z
  .object({
    phone: z.string(),
    description: z.string().nullable(),
    address: z.string().nullable(),
    email: z.string().nullable(),
    websites: z.array(z.string()),
    categories: z.array(Category),
    hours: z
      .object({
        timezone: z.string().nullable(),
        days: z
          .array(
            z.object({
              day: z.enum(DAYS),
              mode: z.enum(MODES),
              open_time: z.string().nullable().meta({ description: 'Only with `specific_hours`.' }),
              close_time: z.string().nullable(),
            }),
          )
          .meta({ description: 'One entry per interval; a day that is not listed is closed.' }),
      })
      .nullable(),
    cart_enabled: z.boolean().nullable(),
    has_cover_photo: z.boolean(),
  })
  .meta({ id: 'BusinessProfile' })

export const profile = action('business.profile', 'GET /business/profile', {
  writes: false,
  summary: 'Read the profile of a business',
  input: { phone: identifier(['user'], { description: 'Number of the business; by default this account.' }).optional() },
  reply: BusinessProfile,
  notFound: 'not_found',
  errors: ['invalid_phone', 'phone_not_on_whatsapp'],
  examples: [
    {
      name: 'somebody else',
      input: { phone: '5511988887777' },
      reply: {
        phone: '5511988887777',
        description: 'Home repairs',
        address: 'Rua A, 10',
        email: 'hi@example.com',
        websites: ['https://example.com'],
        categories: [{ id: '629412378414563', name: 'Other businesses' }],
        hours: {
          timezone: 'America/Sao_Paulo',
          days: [{ day: 'mon', mode: 'specific_hours', open_time: '08:00', close_time: '18:00' }],
        },
        cart_enabled: true,
        has_cover_photo: false,
      },
    },
  ],
})

const isEmail = z.email()
const email = plain(0, MAX_EMAIL)
  .refine((value) => value === '' || isEmail.safeParse(value).success, { message: 'must be an email address, or empty' })
  .meta({ description: 'Email address of the business; empty for none.', format: 'email' })

const website = url
  .refine((value) => value.length <= MAX_WEBSITE, { message: `must have at most ${MAX_WEBSITE} characters` })
  .meta({ maxLength: MAX_WEBSITE })

export const updateProfile = action('business.updateProfile', 'PUT /business/profile', {
  writes: true,
  summary: 'Change the profile of the business',
  description: 'Only the given fields are changed. An empty text or an empty list of websites clears the field.',
  input: {
    description: plain(0, 512).optional().meta({ description: 'Description of the business; empty for none.' }),
    address: plain(0, MAX_ADDRESS).optional().meta({ description: 'Address of the business; empty for none.' }),
    email: email.optional(),
    websites: z.array(website).max(2).optional().meta({ description: 'Websites of the business; empty for none.' }),
    categories: z
      .array(z.string().regex(/^\d{1,32}$/, 'must be the id of a category, 1 to 32 digits'))
      .min(1)
      .max(3)
      .optional()
      .meta({ description: 'Ids of categories from `GET /business/categories`.' }),
  },
  check(input, issue) {
    if (Object.values(input).every((value) => value === undefined)) issue('', 'must have at least one field')
  },
  reply: Done,
  examples: [
    {
      name: 'description',
      input: { description: 'Home repairs', websites: ['https://example.com'] },
      reply: { value: true },
    },
    { name: 'categories', input: { categories: ['629412378414563'] }, reply: { value: true } },
  ],
})

function isTimeZone(value: string): boolean {
  try {
    return /^[A-Za-z][\w+/-]*$/.test(value) && Boolean(new Intl.DateTimeFormat('en', { timeZone: value }))
  } catch {
    // An exception of `Intl` is the only sign of an invalid name.
    return false
  }
}

const clock = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be `HH:MM`, 00:00 to 23:59')
  .optional()
  .meta({ examples: ['08:00'], description: 'Time of day; only with `specific_hours`.' })

interface Interval {
  day: (typeof DAYS)[number]
  mode: (typeof MODES)[number]
  open_time?: string | undefined
  close_time?: string | undefined
}

function problemOf(entry: Interval, before: readonly Interval[]): [field: string, message: string] | null {
  const { mode, open_time: open, close_time: close } = entry
  const others = before.filter(({ day }) => day === entry.day)
  if (others.length >= MAX_PER_DAY) return ['day', `must have at most ${MAX_PER_DAY} entries per day`]
  if (mode === 'specific_hours') {
    if (open === undefined) return ['open_time', 'is required']
    if (close === undefined) return ['close_time', 'is required']
    if (open >= close) return ['close_time', 'must be after open_time']
  }
  return others.some((other) => overlap(entry, other)) ? ['day', 'must not overlap with another entry of the day'] : null
}

const overlap = (one: Interval, other: Interval) =>
  one.mode !== 'specific_hours' ||
  other.mode !== 'specific_hours' ||
  (one.open_time! < other.close_time! && other.open_time! < one.close_time!)

export const updateHours = action('business.updateHours', 'PUT /business/hours', {
  writes: true,
  summary: 'Change the opening hours of the business',
  input: {
    timezone: plain(1, 64)
      .refine(isTimeZone, { message: 'must be the name of a time zone in the IANA database' })
      .meta({ description: 'Name of a time zone in the IANA database.', examples: ['America/Sao_Paulo'] }),
    days: z
      .array(
        z.object({
          day: oneOf(DAYS).meta({ description: 'Day of the week.' }),
          mode: oneOf(MODES)
            .default('specific_hours')
            .meta({ description: '`specific_hours`: from `open_time` to `close_time`.', default: 'specific_hours' }),
          open_time: clock,
          close_time: clock,
        }),
      )
      .max(21)
      .meta({
        description: 'At most three entries per day. A day that is not listed is closed; an empty list closes every day.',
      }),
  },
  check({ days }, issue) {
    for (const [index, entry] of days.entries()) {
      const [field, message] = problemOf(entry, days.slice(0, index)) ?? []
      if (field !== undefined && message !== undefined) issue(`days.${index}.${field}`, message)
    }
  },
  reply: Done,
  examples: [
    {
      name: 'week',
      input: {
        timezone: 'America/Sao_Paulo',
        days: [
          { day: 'mon', open_time: '08:00', close_time: '12:00' },
          { day: 'mon', open_time: '14:00', close_time: '18:00' },
          { day: 'sat', mode: 'appointment_only' },
        ],
      },
      reply: { value: true },
    },
  ],
})

export const categories = action('business.categories', 'GET /business/categories', {
  writes: false,
  summary: 'List the categories that a business can choose',
  input: { q: name(0, 100).default('').meta({ description: 'Only categories whose name contains this text; if empty, all.' }) },
  reply: z.object({ data: z.array(Category).meta({ description: 'At most 200.' }) }),
  examples: [
    {
      name: 'all',
      input: { q: 'business' },
      reply: { data: [{ id: '629412378414563', name: 'Other businesses' }] },
    },
  ],
})
