import { z } from 'zod'
import { identifier, instant } from '../fields.ts'

/** Allowed numbers of seconds after which messages disappear; 0 turns the timer off. */
export const EPHEMERAL_SECONDS = [0, 86_400, 604_800, 7_776_000] as const

const MAX_PHONES = 256

export const groupId = identifier(['group'], {
  description: 'Id of the group or community.',
  examples: ['120363019502650977-group'],
})

export const phones = z
  .array(identifier(['user']))
  .min(1)
  .max(MAX_PHONES)
  .meta({ description: 'Numbers of people.' })

export const autoInvite = z
  .boolean()
  .default(true)
  .meta({ description: 'Whether people who cannot be added directly get an invitation through the queue.' })

const Participant = z
  .object({
    phone: z.string(),
    lid: z.string().nullable(),
    is_admin: z.boolean().meta({ description: 'Whether the person is an administrator or the creator.' }),
    is_super_admin: z.boolean().meta({ description: 'The creator.' }),
  })
  .meta({ id: 'Participant' })

const ParticipantResult = z
  .object({
    phone: z.string().meta({ description: 'Identifier of the person, as in the request.' }),
    success: z.boolean(),
    code: z.int().meta({
      description:
        '200: done. 202: waits for an administrator. 403: the privacy settings of the person forbid it. 404: no account. 408: left recently. ' +
        '409: nothing to change. 402, 412, 419: the group is full. Other codes come from the network.',
    }),
    invited: z.boolean().meta({ description: 'Whether an invitation was queued.' }),
  })
  .meta({ id: 'ParticipantResult' })

export const participantResults = z.array(ParticipantResult)

export const groupSettings = {
  admin_only_message: z.boolean().meta({ description: 'Whether only administrators may send.' }),
  admin_only_settings: z.boolean().meta({ description: 'Whether only administrators may edit name, description and photo.' }),
  admin_only_add_member: z.boolean().meta({ description: 'Whether only administrators may add members.' }),
  require_admin_approval: z.boolean().meta({ description: 'Whether joining requires approval.' }),
  ephemeral_seconds: z.int().meta({ description: 'Seconds after which messages disappear; 0 means never.' }),
}

export const Group = z
  .object({
    phone: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    owner: z.string().nullable().meta({ description: 'Creator.' }),
    created_at: instant.nullable(),
    name_changed_at: instant.nullable(),
    name_changed_by: z.string().nullable(),
    community_id: z.string().nullable().meta({ description: 'Community that the group belongs to.' }),
    is_community: z.boolean(),
    is_group_announcement: z.boolean().meta({ description: 'Whether the group is the announcement group of a community.' }),
    ...groupSettings,
    participants_count: z.int(),
    participants: z.array(Participant).meta({ description: 'Members, at most 5,000; `participants_count` is the full number.' }),
    invitation_link: z.string().nullable().meta({ description: 'Invitation link; only administrators get it.' }),
    invitation_link_error: z.enum(['not_allowed', 'action_failed']).nullable(),
  })
  .meta({ id: 'Group' })

const link = 'https://chat.whatsapp.com/C1adgkdEGki7554BWDdMkd'
export const linkExample = link

export const groupExample = {
  phone: '120363019502650977-group',
  name: 'Launch team',
  description: 'Daily notes',
  owner: '5511999990000',
  created_at: '2025-05-05T23:18:11.000Z',
  name_changed_at: '2025-06-01T10:00:00.000Z',
  name_changed_by: '5511999990000',
  community_id: null,
  is_community: false,
  is_group_announcement: false,
  admin_only_message: false,
  admin_only_settings: true,
  admin_only_add_member: true,
  require_admin_approval: false,
  ephemeral_seconds: 0,
  participants_count: 2,
  participants: [
    { phone: '5511999990000', lid: '998877665544332@lid', is_admin: true, is_super_admin: true },
    { phone: '5511988887777', lid: '123456789012345@lid', is_admin: false, is_super_admin: false },
  ],
  invitation_link: link,
  invitation_link_error: null,
}

export const participantResultsExample = [
  { phone: '5511988887777', success: true, code: 200, invited: false },
  { phone: '5511977776666', success: false, code: 403, invited: true },
]

export const groupIdExample = { group_id: '120363019502650977-group' }
