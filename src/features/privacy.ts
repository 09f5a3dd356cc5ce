import { z } from 'zod'
import { action, type Route } from './endpoint.ts'
import { Done, identifier, oneOf } from './fields.ts'

const AUDIENCE = ['all', 'contacts', 'contact_blacklist', 'none'] as const
const GROUPS_AUDIENCE = ['all', 'contacts', 'contact_blacklist'] as const
const ONLINE = ['all', 'match_last_seen'] as const

const audienceNote = '`contact_blacklist` means all contacts except those in a list.'

export const get = action('privacy.get', 'GET /privacy', {
  writes: false,
  summary: 'Read the privacy settings of the account',
  reply: z.object({
    last_seen: z.enum(AUDIENCE).nullable(),
    online: z.enum(ONLINE).nullable(),
    profile_photo: z.enum(AUDIENCE).nullable(),
    about: z.enum(AUDIENCE).nullable(),
    groups_add: z.enum(GROUPS_AUDIENCE).nullable(),
    read_receipts: z.boolean().nullable(),
    messages_duration: z
      .int()
      .nullable()
      .meta({ description: 'Seconds after which messages of new 1:1 chats disappear; 0 means never.' }),
  }),
  examples: [
    {
      name: 'settings',
      reply: {
        last_seen: 'contacts',
        online: 'match_last_seen',
        profile_photo: 'all',
        about: 'contact_blacklist',
        groups_add: 'contacts',
        read_receipts: true,
        messages_duration: 0,
      },
    },
  ],
})

const MAX_CHANGES = 256

const contacts = z
  .array(
    z.object({
      action: oneOf(['add', 'remove']).meta({ description: '`add` excludes the person, `remove` ends the exclusion.' }),
      phone: identifier(['user']),
    }),
  )
  .min(1)
  .max(MAX_CHANGES)
  .optional()
  .meta({ description: 'Changes to the list of excluded people, not the whole list; only with `contact_blacklist`.' })

const examplesOfAudience = [
  { name: 'contacts', input: { value: 'contacts' }, reply: { value: true } },
  {
    name: 'contacts but one',
    input: { value: 'contact_blacklist', contacts: [{ action: 'add', phone: '5511988887777' }] },
    reply: { value: true },
  },
]

const audience = <const Id extends string, const A extends readonly [string, ...string[]]>(
  id: Id,
  route: Route,
  summary: string,
  values: A,
) =>
  action(id, route, {
    writes: true,
    summary,
    input: { value: oneOf(values).meta({ description: audienceNote }), contacts },
    check(input, issue) {
      if (input.contacts !== undefined && input.value !== 'contact_blacklist')
        issue('contacts', 'is only allowed with `contact_blacklist`')
    },
    reply: Done,
    errors: ['invalid_phone'],
    examples: examplesOfAudience,
  })

export const lastSeen = audience(
  'privacy.lastSeen',
  'PUT /privacy/last-seen',
  'Choose who sees when the account was last seen',
  AUDIENCE,
)
export const profilePhoto = audience(
  'privacy.profilePhoto',
  'PUT /privacy/profile-photo',
  'Choose who sees the picture',
  AUDIENCE,
)
export const about = audience('privacy.about', 'PUT /privacy/about', 'Choose who sees the about text', AUDIENCE)
export const groupsAdd = audience('privacy.groupsAdd', 'PUT /privacy/groups-add', 'Choose who may add to groups', GROUPS_AUDIENCE)

export const online = action('privacy.online', 'PUT /privacy/online', {
  writes: true,
  summary: 'Choose who sees that the account is online',
  input: { value: oneOf(ONLINE).meta({ description: '`match_last_seen` means everyone who may see the last seen time.' }) },
  reply: Done,
  examples: [{ name: 'like last seen', input: { value: 'match_last_seen' }, reply: { value: true } }],
})

export const readReceipts = action('privacy.readReceipts', 'PUT /privacy/read-receipts', {
  writes: true,
  summary: 'Enable or disable read receipts',
  description:
    'Without read receipts, others do not see what the account has read, and the account does not see it of others. Groups always have them.',
  input: { value: z.boolean().meta({ description: 'True enables read receipts in both directions.' }) },
  reply: Done,
  examples: [{ name: 'off', input: { value: false }, reply: { value: true } }],
})

/** Seconds of message timers: never, a day, a week, 90 days. */
const DURATIONS = [0, 86_400, 604_800, 7_776_000] as const

export const messagesDuration = action('privacy.messagesDuration', 'PUT /privacy/messages-duration', {
  writes: true,
  summary: 'Set the message timer of new 1:1 chats',
  // `enum` repeats the values of the literal, because the OpenAPI library reads only the first of them.
  input: {
    value: z.literal(DURATIONS).meta({
      description: 'Seconds after which messages disappear; 0 means never. Existing chats do not change.',
      enum: DURATIONS,
    }),
  },
  reply: Done,
  examples: [{ name: 'a week', input: { value: 604_800 }, reply: { value: true } }],
})

const LISTS = ['last_seen', 'profile_photo', 'about', 'groups_add'] as const

const OTHER_NAMES = new Map<unknown, (typeof LISTS)[number]>([
  ['photo', 'profile_photo'],
  ['description', 'about'],
  ['group_add', 'groups_add'],
])
const listName = z.preprocess(
  (value) => OTHER_NAMES.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value,
  oneOf(LISTS),
)

export const disallowedContacts = action('privacy.disallowedContacts', 'GET /privacy/disallowed-contacts', {
  writes: false,
  summary: 'List the people that a setting excludes',
  description: 'Empty when the setting is not `contact_blacklist`.',
  input: { type: listName.meta({ description: 'The setting.' }) },
  reply: z.object({
    disallowed_contacts: z.array(z.string()).meta({ description: 'Identifiers of the excluded people, at most 64,000.' }),
  }),
  examples: [{ name: 'last seen', input: { type: 'last_seen' }, reply: { disallowed_contacts: ['5511988887777'] } }],
})
