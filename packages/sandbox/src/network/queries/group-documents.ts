import { seconds } from '../../wire/node.ts'
import { linkedGroups, setWhoAddsGroups } from '../communities.ts'
import { isAdmin, isOwner, transferOwnership } from '../groups.ts'
import type { Group } from '../model.ts'
import { findPerson } from '../people.ts'
import { type Document, MexError, type MexRequest } from './document.ts'

function subgroups(request: MexRequest) {
  const { network, variables } = request
  const parent = communityOf(request, variables.group_id)
  const shown = (group: Group) => ({ id: group.id, subject: { value: group.subject, creation_time: String(group.subjectAt) } })
  const groups = linkedGroups(network, parent)
  const announcements = groups.find(({ isAnnouncementGroup }) => isAnnouncementGroup)
  const edges = groups
    .filter((group) => group !== announcements)
    .map((group) => ({
      node: {
        ...shown(group),
        membership_approval_requests: { total_count: group.requests.size },
        properties: { general_chat: false, hidden_group: false, membership_approval_mode_enabled: group.joinApproval },
      },
    }))
  return {
    __typename: 'XWA2Group',
    id: parent.id,
    default_sub_group: announcements ? shown(announcements) : null,
    sub_groups: { edges },
  }
}

/** Returns the community with this id. Throws if there is none, or if the account is not a member. */
function communityOf({ network, person }: MexRequest, id: unknown): Group {
  const parent = network.groups.get(String(id ?? ''))
  if (!parent?.isCommunity || !parent.members.has(person.number)) throw new MexError(400, 'Bad Request')
  return parent
}

function participantCounts(request: MexRequest) {
  const { group_jid: id, sub_group_jid_hint: hint } = (request.variables.input ?? {}) as Record<string, unknown>
  const parent = communityOf(request, id)
  const groups = linkedGroups(request.network, parent)
  if (!groups.some((group) => group.id === hint)) throw new MexError(400, 'Bad Request')
  const edges = groups.map((group) => ({ node: { id: group.id, total_participants_count: group.members.size } }))
  return { __typename: 'XWA2Group', id: parent.id, sub_groups: { edges } }
}

/** Contexts of a query for which the real network returns the invitation code. They come from captured answers. */
const INVITE_CONTEXTS = new Set<unknown>(['INVITE_CODE', 'INTERACTIVE'])

function inviteCode({ network, person, variables }: MexRequest) {
  const group = network.groups.get(String(variables.id ?? ''))
  if (!group || !INVITE_CONTEXTS.has(variables.query_context)) throw new MexError(400, 'Bad Request')
  if (!isAdmin(group, person)) throw new MexError(403, 'Forbidden')
  return { __typename: 'XWA2Group', id: group.id, invite_code: group.invite }
}

function updateProperty(request: MexRequest) {
  const parent = communityOf(request, request.variables.group_id)
  const { allow_non_admin_sub_group_creation: isAllowed } = (request.variables.update ?? {}) as Record<string, unknown>
  if (typeof isAllowed !== 'boolean') throw new MexError(400, 'Bad Request')
  if (!isAdmin(parent, request.person)) throw new MexError(403, 'Forbidden')
  setWhoAddsGroups(request.network, parent, request.person, isAllowed)
  return { id: parent.id, state: 'ACTIVE' }
}

function memberOf({ network, person }: MexRequest, id: unknown): Group {
  const group = network.groups.get(String(id ?? ''))
  if (!group?.members.has(person.number)) throw new MexError(400, 'Bad Request')
  return group
}

/** Answers whether a group belongs to Meta's own employees. This network has no such groups. */
function isInternal(request: MexRequest) {
  const { id } = memberOf(request, request.variables.id)
  return { __typename: 'XWA2Group', id, properties: { internal: false } }
}

/** Answers with the suggested groups of a community. This network has none. */
function suggestions(request: MexRequest) {
  const { group_id: id, query_context: context } = request.variables
  if (context !== 'INTERACTIVE') throw new MexError(400, 'Bad Request')
  return { __typename: 'XWA2Group', id: communityOf(request, id).id, sub_group_suggestions: { edges: [] } }
}

function transferCommunity(request: MexRequest) {
  const { group_id: id, role_updates: updates } = (request.variables.input ?? {}) as {
    group_id?: unknown
    role_updates?: unknown
  }
  const [wanted, ...more] = (Array.isArray(updates) ? updates : []) as { new_role?: unknown; user_jid?: unknown }[]
  if (wanted?.new_role !== 'SUPERADMIN_MEMBER' || more.length > 0) throw new MexError(400, 'Bad Request')
  const parent = communityOf(request, id)
  const person = findPerson(request.network, String(wanted.user_jid ?? ''))
  if (!person || person === request.person || !parent.members.has(person.number)) throw new MexError(400, 'Bad Request')
  if (!isOwner(parent, request.person)) throw new MexError(403, 'Forbidden')
  transferOwnership(request.network, parent, request.person, person)
  return { group_id: parent.id, lid_migration_state: { addressing_mode: parent.addressing.toUpperCase() } }
}

/**
 * Records an appeal against the suspension of a group; only the first one counts. Clients give the id of the group with
 * or without its server.
 */
function appeal(request: MexRequest) {
  const { group_jid: jid } = (request.variables.input ?? {}) as { group_jid?: unknown }
  const id = String(jid ?? '')
  const group = memberOf(request, id.includes('@') ? id : `${id}@g.us`)
  if (!group.isSuspended) throw new MexError(400, 'Bad Request')
  const isKnown = group.appealedAt !== undefined
  group.appealedAt ??= seconds()
  return {
    appeal_creation_time: String(group.appealedAt),
    error_message: null,
    response_code: isKnown ? 'APPEAL_ALREADY_EXISTS' : 'SUCCESS',
  }
}

const GROUP = 'xwa2_group_query_by_id'

export const GROUP_DOCUMENTS: Document[] = [
  { name: 'FetchAllSubgroups', ids: ['9935467776504344'], path: GROUP, answer: subgroups },
  { name: 'QuerySubgroupParticipantCount', ids: ['24079399904996141'], path: GROUP, answer: participantCounts },
  { name: 'FetchGroupInviteCode', ids: ['29247029834912157'], path: GROUP, answer: inviteCode },
  { name: 'FetchGroupIsInternal', ids: ['34119218944390847'], path: GROUP, answer: isInternal },
  { name: 'FetchSubgroupSuggestions', ids: ['23972005349071865'], path: GROUP, answer: suggestions },
  { name: 'UpdateGroupProperty', ids: ['9418211574894172'], path: 'xwa2_group_update_property', answer: updateProperty },
  {
    name: 'TransferCommunityOwnership',
    ids: ['29643783178598899'],
    path: 'xwa2_group_update_users_role',
    answer: transferCommunity,
  },
  { name: 'GroupSuspensionAppeal', ids: ['25946115325088226'], path: 'wa_create_group_suspension_appeal', answer: appeal },
]
