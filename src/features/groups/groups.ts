/** Groups: read, changed, left (shared/api/groups-communities.md). */
import { z } from 'zod'
import { action, type Route } from '../endpoint.ts'
import { Done, name, oneOfNumbers, plain } from '../fields.ts'
import { EPHEMERAL_SECONDS, Group, groupExample, groupId, groupIdExample, groupSettings } from './objects.ts'

const about = { notFound: 'group_not_found', errors: ['invalid_phone', 'group_suspended'] } as const

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

const write = <const Id extends string, I extends z.ZodRawShape>(
  id: Id,
  route: Route,
  { summary, input, example }: { summary: string; input: I; example?: Record<string, unknown> },
) =>
  action(id, route, {
    ...about,
    writes: true,
    summary,
    input: { group_id: groupId, ...input },
    reply: Done,
    examples: [{ name: 'write', input: { ...groupIdExample, ...example }, reply: { value: true } }],
  })

export const updateName = write('groups.updateName', 'PUT /groups/{group_id}/name', {
  summary: 'Rename a group',
  input: { value: name(1, 100) },
  example: { value: 'New name' },
})

export const updateDescription = write('groups.updateDescription', 'PUT /groups/{group_id}/description', {
  summary: 'Change or clear the description of a group',
  input: { value: plain(0, 2_048).meta({ description: 'Empty: no description.' }) },
  example: { value: 'Daily notes' },
})

export const leave = write('groups.leave', 'POST /groups/{group_id}/leave', { summary: 'Leave a group', input: {} })

export const updateSettings = action('groups.updateSettings', 'PUT /groups/{group_id}/settings', {
  ...about,
  writes: true,
  summary: 'Change who may do what in a group',
  description:
    'Only the given fields are changed, in this order. When one fails, the earlier ones stay, named in `details.applied` of the error.',
  input: {
    group_id: groupId,
    admin_only_message: groupSettings.admin_only_message.optional(),
    admin_only_settings: groupSettings.admin_only_settings.optional(),
    admin_only_add_member: groupSettings.admin_only_add_member.optional(),
    require_admin_approval: groupSettings.require_admin_approval.optional(),
    ephemeral_seconds: oneOfNumbers(EPHEMERAL_SECONDS)
      .optional()
      .meta({ description: 'Messages disappear after so many seconds; 0: never.' }),
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
