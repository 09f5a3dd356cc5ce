import { z } from 'zod'
import { SECOND } from '../../domain/clock.ts'
import { action, type Route } from '../endpoint.ts'
import { instant } from '../fields.ts'
import { autoInvite, groupId, groupIdExample, participantResults, participantResultsExample, phones } from './objects.ts'

/** Time limit in ms. 256 people need thirteen queries, with a pause of one second between two queries. */
const DEADLINE = 45 * SECOND

const EACH = 'A refused person is not an error: each person has their own result, and `value` is true when all succeeded.'

const change = <const Id extends string>(id: Id, route: Route, summary: string) =>
  action(id, route, {
    writes: true,
    deadlineMs: DEADLINE,
    summary,
    description: EACH,
    input: { group_id: groupId, phones },
    reply: z.object({ value: z.boolean(), participants: participantResults }),
    notFound: 'group_not_found',
    errors: ['invalid_phone', 'group_suspended'],
    examples: [
      {
        name: 'people',
        input: { ...groupIdExample, phones: ['5511988887777', '5511977776666'] },
        reply: {
          value: false,
          participants: participantResultsExample.map((result) => ({ ...result, invited: false })),
        },
      },
    ],
  })

export const add = action('groups.addParticipants', 'POST /groups/{group_id}/participants/add', {
  writes: true,
  deadlineMs: DEADLINE,
  summary: 'Add people to a group',
  description: `${EACH} People who cannot be added directly get an invitation through the queue, each with its own \`delivery\` event.`,
  input: { group_id: groupId, phones, auto_invite: autoInvite },
  reply: z.object({ value: z.boolean(), participants: participantResults }),
  notFound: 'group_not_found',
  errors: ['invalid_phone', 'group_suspended'],
  examples: [
    {
      name: 'people',
      input: { ...groupIdExample, phones: ['5511988887777', '5511977776666'] },
      reply: { value: false, participants: participantResultsExample },
    },
  ],
})

export const remove = change(
  'groups.removeParticipants',
  'POST /groups/{group_id}/participants/remove',
  'Remove people from a group',
)
export const promote = change(
  'groups.promoteParticipants',
  'POST /groups/{group_id}/participants/promote',
  'Make people administrators of a group',
)
export const demote = change(
  'groups.demoteParticipants',
  'POST /groups/{group_id}/participants/demote',
  'Take the administrator role from people',
)
export const approve = change(
  'groups.approveParticipants',
  'POST /groups/{group_id}/participants/approve',
  'Accept requests to join a group',
)
export const reject = change(
  'groups.rejectParticipants',
  'POST /groups/{group_id}/participants/reject',
  'Refuse requests to join a group',
)

export const requests = action('groups.participantRequests', 'GET /groups/{group_id}/participants/requests', {
  writes: false,
  summary: 'List the requests to join a group',
  input: { group_id: groupId },
  reply: z.object({
    data: z
      .array(
        z.object({
          phone: z.string(),
          lid: z.string().nullable(),
          requested_at: instant,
          method: z.enum(['invite_link', 'linked_group_join', 'non_admin_add']).nullable(),
        }),
      )
      .meta({ description: 'At most 1,000.' }),
  }),
  notFound: 'group_not_found',
  errors: ['invalid_phone', 'not_allowed', 'group_suspended'],
  examples: [
    {
      name: 'requests',
      input: groupIdExample,
      reply: {
        data: [
          {
            phone: '5511966665555',
            lid: '223344556677889@lid',
            requested_at: '2026-01-31T09:00:00.000Z',
            method: 'invite_link',
          },
        ],
      },
    },
  ],
})
