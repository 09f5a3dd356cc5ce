import { SECOND } from '../../domain/clock.ts'
import { action } from '../endpoint.ts'
import { name, paged, paging, plain } from '../fields.ts'
import { Group, groupExample } from '../groups/objects.ts'
import { writesAt } from '../writes.ts'
import { aboutCommunity, Community, communityExample, communityId, communityIdExample, whoCanAddGroups } from './objects.ts'

export const create = action('communities.create', 'POST /communities', {
  writes: true,
  deadlineMs: 45 * SECOND,
  summary: 'Create a community',
  description: 'An announcement group and a general group are created with it. At first, only administrators may add groups.',
  input: {
    name: name(1, 100).meta({ description: 'Name of the community and of its announcement group.' }),
    description: plain(0, 2_048).optional().meta({ description: 'Description of the community; empty for none.' }),
  },
  reply: Community,
  errors: ['group_suspended'],
  examples: [{ name: 'community', input: { name: 'Customers', description: 'News and support' }, reply: communityExample }],
})

export const list = action('communities.list', 'GET /communities', {
  writes: false,
  deadlineMs: 45 * SECOND,
  summary: 'List the communities of the account',
  description: 'Newest first, without their groups.',
  input: paging({ default: 100, max: 500 }),
  reply: paged(Community),
  examples: [
    {
      name: 'page',
      input: { page: 1, page_size: 100 },
      reply: {
        data: [{ ...communityExample, who_can_add_groups: null, announcement_group: null, sub_groups: [] }],
        page: 1,
        page_size: 100,
        total: 1,
      },
    },
  ],
})

export const metadata = action('communities.metadata', 'GET /communities/{community_id}', {
  ...aboutCommunity,
  writes: false,
  summary: 'Read a community and its groups',
  input: { community_id: communityId },
  reply: Community,
  examples: [{ name: 'community', input: communityIdExample, reply: communityExample }],
})

export const announcement = action('communities.announcement', 'GET /communities/{community_id}/announcement', {
  ...aboutCommunity,
  writes: false,
  summary: 'Read the announcement group of a community',
  description: 'To send to the community, send to the `phone` of this group.',
  input: { community_id: communityId },
  reply: Group,
  examples: [
    {
      name: 'announcement group',
      input: communityIdExample,
      reply: {
        ...groupExample,
        phone: '120363186053925766-group',
        community_id: communityExample.id,
        is_group_announcement: true,
        admin_only_message: true,
        invitation_link: null,
      },
    },
  ],
})

const { write, picture } = writesAt({ ...aboutCommunity, path: { community_id: communityId }, example: communityIdExample })

export const updateName = write('communities.updateName', 'PUT /communities/{community_id}/name', {
  summary: 'Rename a community',
  input: { value: name(1, 100).meta({ description: 'New name.' }) },
  example: { value: 'Customers' },
})

export const updateDescription = write('communities.updateDescription', 'PUT /communities/{community_id}/description', {
  summary: 'Change or clear the description of a community',
  input: { value: plain(0, 2_048).meta({ description: 'New description; empty removes it.' }) },
  example: { value: 'News' },
})

export const updatePhoto = picture(
  'communities.updatePhoto',
  'PUT /communities/{community_id}/photo',
  'Change the picture of a community',
)

export const updateSettings = write('communities.updateSettings', 'PUT /communities/{community_id}/settings', {
  summary: 'Change who may add groups to a community',
  input: { who_can_add_groups: whoCanAddGroups },
  example: { who_can_add_groups: 'admins' },
})

export const deactivate = write('communities.deactivate', 'DELETE /communities/{community_id}', {
  summary: 'Deactivate a community; its groups continue without it',
  input: {},
})
