import { z } from 'zod'
import { SECOND } from '../../domain/clock.ts'
import { action } from '../endpoint.ts'
import { instant, name, oneOfNumbers, paged, paging, plain } from '../fields.ts'
import { writesAt } from '../writes.ts'
import {
  autoInvite,
  EPHEMERAL_SECONDS,
  Group,
  groupExample,
  groupId,
  groupIdExample,
  groupSettings,
  linkExample,
  participantResults,
  participantResultsExample,
  phones,
} from './objects.ts'

const about = { notFound: 'group_not_found', errors: ['invalid_phone', 'group_suspended'] } as const

export const create = action('groups.create', 'POST /groups', {
  writes: true,
  deadlineMs: 45 * SECOND,
  summary: 'Create a group',
  description:
    'Each person has their own result. People who cannot be added directly get an invitation through the queue, each with its own `delivery` event.',
  input: {
    name: name(1, 100).meta({ description: 'Name of the group.' }),
    phones: phones.meta({ description: 'Numbers of the people to add, without the number of this account.' }),
    auto_invite: autoInvite,
  },
  reply: z.object({
    phone: z.string(),
    name: z.string(),
    invitation_link: z.string().nullable().meta({ description: 'Null if the group was created but its link could not be read.' }),
    participants: participantResults,
  }),
  notFound: 'phone_not_on_whatsapp',
  errors: ['invalid_phone', 'group_suspended'],
  examples: [
    {
      name: 'team',
      input: { name: 'Launch team', phones: ['5511988887777', '5511977776666'] },
      reply: {
        phone: '120363019502650977-group',
        name: 'Launch team',
        invitation_link: linkExample,
        participants: participantResultsExample,
      },
    },
  ],
})

export const list = action('groups.list', 'GET /groups', {
  writes: false,
  deadlineMs: 45 * SECOND,
  summary: 'List the groups of the account',
  description: 'Ordered by last activity, newest first. Communities are not listed, but their groups are.',
  input: paging({ default: 100, max: 500 }),
  reply: paged(
    z.object({
      phone: z.string(),
      name: z.string(),
      community_id: z.string().nullable().meta({ description: 'Community that the group belongs to.' }),
      is_group_announcement: z.boolean().meta({ description: 'Whether the group is the announcement group of a community.' }),
      participants_count: z.int(),
      unread: z.int(),
      last_message_at: instant.nullable(),
      archived: z.boolean(),
      pinned: z.boolean(),
      muted: z.boolean(),
      mute_ends_at: instant.nullable().meta({ description: 'End of the mute; null if the group is not muted or muted forever.' }),
    }),
  ),
  examples: [
    {
      name: 'page',
      input: { page: 1, page_size: 100 },
      reply: {
        data: [
          {
            phone: '120363019502650977-group',
            name: 'Launch team',
            community_id: null,
            is_group_announcement: false,
            participants_count: 2,
            unread: 0,
            last_message_at: '2026-01-31T11:00:00.000Z',
            archived: false,
            pinned: false,
            muted: false,
            mute_ends_at: null,
          },
        ],
        page: 1,
        page_size: 100,
        total: 1,
      },
    },
  ],
})

export const metadata = action('groups.metadata', 'GET /groups/{group_id}', {
  ...about,
  writes: false,
  summary: 'Read a group',
  input: { group_id: groupId },
  reply: Group,
  examples: [{ name: 'group', input: groupIdExample, reply: groupExample }],
})

export const lightMetadata = action('groups.lightMetadata', 'GET /groups/{group_id}/light', {
  ...about,
  writes: false,
  summary: 'Read a group without its invitation link',
  input: { group_id: groupId },
  reply: Group,
  examples: [
    { name: 'group', input: groupIdExample, reply: { ...groupExample, invitation_link: null, invitation_link_error: null } },
  ],
})

const { write, picture } = writesAt({ ...about, path: { group_id: groupId }, example: groupIdExample })

export const updateName = write('groups.updateName', 'PUT /groups/{group_id}/name', {
  summary: 'Rename a group',
  input: { value: name(1, 100).meta({ description: 'The new name.' }) },
  example: { value: 'New name' },
})

export const updateDescription = write('groups.updateDescription', 'PUT /groups/{group_id}/description', {
  summary: 'Change or clear the description of a group',
  input: { value: plain(0, 2_048).meta({ description: 'New description; empty removes it.' }) },
  example: { value: 'Daily notes' },
})

export const updatePhoto = picture('groups.updatePhoto', 'PUT /groups/{group_id}/photo', 'Change the picture of a group')

export const removePhoto = write('groups.removePhoto', 'DELETE /groups/{group_id}/photo', {
  summary: 'Remove the picture of a group',
  input: {},
})

export const leave = write('groups.leave', 'POST /groups/{group_id}/leave', { summary: 'Leave a group', input: {} })

export const updateSettings = action('groups.updateSettings', 'PUT /groups/{group_id}/settings', {
  ...about,
  writes: true,
  summary: 'Change the permissions of a group',
  description:
    'Only the given fields are changed, in this order. If one fails, the earlier changes stay, and `details.applied` of the error lists them.',
  input: {
    group_id: groupId,
    admin_only_message: groupSettings.admin_only_message.optional(),
    admin_only_settings: groupSettings.admin_only_settings.optional(),
    admin_only_add_member: groupSettings.admin_only_add_member.optional(),
    require_admin_approval: groupSettings.require_admin_approval.optional(),
    ephemeral_seconds: oneOfNumbers(EPHEMERAL_SECONDS)
      .optional()
      .meta({ description: 'Seconds after which messages disappear; 0 means never.' }),
  },
  check({ group_id: _, ...settings }, issue) {
    if (Object.values(settings).every((value) => value === undefined)) issue('', 'must have at least one setting')
  },
  reply: z.object(groupSettings),
  examples: [
    {
      name: 'settings',
      input: { ...groupIdExample, admin_only_message: true, require_admin_approval: false },
      reply: {
        admin_only_message: true,
        admin_only_settings: true,
        admin_only_add_member: true,
        require_admin_approval: false,
        ephemeral_seconds: 0,
      },
    },
  ],
})
