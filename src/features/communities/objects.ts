import { z } from 'zod'
import { instant, oneOf } from '../fields.ts'
import { groupId } from '../groups/objects.ts'

export const communityId = z.preprocess(
  (value) => (typeof value === 'string' && /^\d+$/.test(value) ? `${value}-group` : value),
  groupId.meta({
    description: 'Id of the community: `<digits>-group`, or only the digits.',
    examples: ['120363186053925765-group'],
  }),
)

export const whoCanAddGroups = oneOf(['admins', 'all']).meta({
  description: 'People who may add groups: administrators of the community, or all its members.',
})

const SubGroup = z.object({
  phone: z.string(),
  name: z.string(),
  is_group_announcement: z.boolean().meta({ description: 'Announcement group of the community.' }),
  participants_count: z.int().nullable(),
})

export const Community = z
  .object({
    id: z
      .string()
      .meta({ description: 'Group identifier of the community. Sends to the community go to its announcement group.' }),
    name: z.string(),
    description: z.string().nullable(),
    created_at: instant.nullable(),
    owner: z.string().nullable().meta({ description: 'Creator.' }),
    who_can_add_groups: z.enum(['admins', 'all']).nullable().meta({ description: 'Null in listings.' }),
    announcement_group: SubGroup.nullable(),
    sub_groups: z
      .array(SubGroup)
      .meta({ description: 'Groups of the community, including the announcement group; at most 100.' }),
  })
  .meta({ id: 'Community' })

const announcement = {
  phone: '120363186053925766-group',
  name: 'Customers',
  is_group_announcement: true,
  participants_count: 1,
}

export const communityExample = {
  id: '120363186053925765-group',
  name: 'Customers',
  description: 'News and support',
  created_at: '2026-01-31T12:00:00.000Z',
  owner: '5511999990000',
  who_can_add_groups: 'admins',
  announcement_group: announcement,
  sub_groups: [
    announcement,
    { phone: '120363186053925767-group', name: 'General', is_group_announcement: false, participants_count: 1 },
  ],
}

export const communityIdExample = { community_id: '120363186053925765-group' }

export const aboutCommunity = { notFound: 'group_not_found', errors: ['invalid_phone', 'group_suspended'] } as const
