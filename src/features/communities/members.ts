import { z } from 'zod'
import { SECOND } from '../../domain/clock.ts'
import { action, type Route } from '../endpoint.ts'
import { autoInvite, groupId, linkExample, participantResults, participantResultsExample, phones } from '../groups/objects.ts'
import { aboutCommunity, communityId, communityIdExample } from './objects.ts'

const MAX_GROUPS = 50
/** Time limit in ms. 256 people need thirteen queries, with a pause of one second between two queries. */
const DEADLINE = 45 * SECOND

const groups = z.array(groupId).min(1).max(MAX_GROUPS).meta({ description: 'Groups.' })
const groupsExample = ['120363019502650977-group', '120363019502650978-group']

const links = <const Id extends string, I extends z.ZodRawShape>(id: Id, route: Route, summary: string, input: I) =>
  action(id, route, {
    ...aboutCommunity,
    writes: true,
    summary,
    description: 'A refused group is not an error: each group has its own result, and `value` is true when all succeeded.',
    input: { community_id: communityId, groups, ...input },
    reply: z.object({
      value: z.boolean(),
      groups: z.array(z.object({ phone: z.string(), success: z.boolean(), code: z.int().meta({ description: '200: done.' }) })),
    }),
    examples: [
      {
        name: 'groups',
        input: { ...communityIdExample, groups: groupsExample },
        reply: {
          value: false,
          groups: [
            { phone: groupsExample[0], success: true, code: 200 },
            { phone: groupsExample[1], success: false, code: 403 },
          ],
        },
      },
    ],
  })

export const linkGroups = links(
  'communities.linkGroups',
  'POST /communities/{community_id}/groups/link',
  'Put groups into a community',
  {},
)

export const unlinkGroups = links(
  'communities.unlinkGroups',
  'POST /communities/{community_id}/groups/unlink',
  'Take groups out of a community',
  {
    remove_orphaned_members: z
      .boolean()
      .default(false)
      .meta({ description: 'People who are in no other group of the community leave the community as well.' }),
  },
)

const change = <const Id extends string, I extends z.ZodRawShape>(id: Id, route: Route, summary: string, input: I) =>
  action(id, route, {
    ...aboutCommunity,
    writes: true,
    deadlineMs: DEADLINE,
    summary,
    description: 'A refused person is not an error: each person has their own result, and `value` is true when all succeeded.',
    input: { community_id: communityId, phones, ...input },
    reply: z.object({ value: z.boolean(), participants: participantResults }),
    examples: [
      {
        name: 'people',
        input: { ...communityIdExample, phones: ['5511988887777', '5511977776666'] },
        reply: {
          value: false,
          participants: participantResultsExample.map((result) => ({ ...result, invited: false })),
        },
      },
    ],
  })

export const add = change(
  'communities.addParticipants',
  'POST /communities/{community_id}/participants/add',
  'Add people to a community',
  { auto_invite: autoInvite },
)
export const remove = change(
  'communities.removeParticipants',
  'POST /communities/{community_id}/participants/remove',
  'Remove people from a community and all its groups',
  {},
)
export const promote = change(
  'communities.promoteParticipants',
  'POST /communities/{community_id}/participants/promote',
  'Make people administrators of a community',
  {},
)
export const demote = change(
  'communities.demoteParticipants',
  'POST /communities/{community_id}/participants/demote',
  'Take the administrator role of a community from people',
  {},
)

const InvitationLink = z.object({ phone: z.string(), invitation_link: z.string() })
const invitationLinkExample = { phone: '120363186053925765-group', invitation_link: linkExample }

export const invitationLink = action('communities.invitationLink', 'GET /communities/{community_id}/invitation-link', {
  ...aboutCommunity,
  writes: false,
  summary: 'Read the invitation link of a community',
  input: { community_id: communityId },
  reply: InvitationLink,
  examples: [{ name: 'link', input: communityIdExample, reply: invitationLinkExample }],
})

export const resetInvitationLink = action('communities.resetInvitationLink', 'POST /communities/{community_id}/invitation-link', {
  ...aboutCommunity,
  writes: true,
  summary: 'Revoke the invitation link of a community and create a new one',
  input: { community_id: communityId },
  reply: InvitationLink,
  examples: [{ name: 'link', input: communityIdExample, reply: invitationLinkExample }],
})
