import { seconds } from '../../wire/node.ts'
import { linkedGroups, setWhoAddsGroups } from '../communities.ts'
import { isAdmin } from '../groups.ts'
import type { Group, Person } from '../model.ts'
import { findPerson, textStatusOf } from '../people.ts'
import { type Document, MexError, type MexRequest } from './document.ts'

function reachoutLock({ restrictedUntil = 0 }: Person) {
  const isActive = restrictedUntil > seconds()
  return { is_active: isActive, time_enforcement_ends: isActive ? String(restrictedUntil) : '', enforcement_type: null }
}

/** Length in seconds of the time over which new chats are counted. */
const CAPPING_CYCLE = 7 * 86_400

function cappingInfo() {
  const now = seconds()
  return {
    capping_status: 'NONE',
    cycle_start_timestamp: String(now),
    cycle_end_timestamp: String(now + CAPPING_CYCLE),
    mv_status: 'NOT_ELIGIBLE',
    ote_status: 'NOT_ELIGIBLE',
    server_sent_timestamp: String(now),
    subscription_status: null,
    total_quota: '250',
    used_quota: '0',
  }
}

/** The about text of the person in the query. */
function about({ network, variables }: MexRequest) {
  const { user_id: id } = (variables.user ?? {}) as { user_id?: string }
  const person = findPerson(network, id ?? '')
  if (!person) throw new MexError(400, 'Bad Request')
  const text = person.blockedMe ? undefined : person.about
  return [{ updates: text === undefined ? [] : [{ __typename: 'XWA2AboutStatus', text }] }]
}

/** The text statuses of the people in the query, for those who have one. */
function textStatuses({ network, variables }: MexRequest) {
  const { user_jids: jids } = (variables.input ?? {}) as { user_jids?: unknown }
  if (!Array.isArray(jids) || jids.length === 0) throw new MexError(400, 'Bad Request')
  return jids.map(String).flatMap((jid) => {
    const person = findPerson(network, jid)
    const status = !person || person.blockedMe ? undefined : textStatusOf(person)
    if (!status) return []
    const { text, emoji, duration, at } = status
    const shown = emoji === null ? null : { content: emoji }
    return [{ jid, text, emoji: shown, ephemeral_duration_sec: duration, last_update_time: String(at) }]
  })
}

/** Neither text nor emoji takes it back. */
function setTextStatus({ person, variables }: MexRequest) {
  const { text = null, emoji = null, ephemeral_duration_sec: duration } = (variables.input ?? {}) as Record<string, unknown>
  if (!Number.isSafeInteger(duration) || text === '') throw new MexError(400, 'Bad Request')
  const content = (emoji as { content?: unknown } | null)?.content
  const status = {
    text: typeof text === 'string' ? text : null,
    emoji: typeof content === 'string' ? content : null,
    duration: Number(duration),
    at: seconds(),
  }
  person.textStatus = status.text === null && status.emoji === null ? undefined : status
  return { result: 'SUCCESS' }
}

function ownUsername({ person: { username } }: MexRequest) {
  if (username === undefined) throw new MexError(404, 'Not Found')
  return { username_info: { username, state: 'ACTIVE', pin: null } }
}

const USERNAME = /^[a-z][a-z0-9._]{2,29}$/

function checkUsername({ network, person, variables }: MexRequest): string {
  const name = String(variables.input ?? '')
  const isTaken = [...network.people.values()].some((other) => other !== person && other.username === name)
  if (!USERNAME.test(name) || isTaken) throw new MexError(400, 'Bad Request')
  return name
}

/** Without a name the account gives up the one it has. */
function setUsername(request: MexRequest) {
  request.person.username = request.variables.input == null ? undefined : checkUsername(request)
  return { result: 'SUCCESS' }
}

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

/** A community of which the querying account is a member. */
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

/** Of the captured answers those with `INTERACTIVE` have a code, too. */
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

export const ACCOUNT_DOCUMENTS: Document[] = [
  { name: 'FetchAboutStatus', ids: ['24535500086059408'], path: 'xwa2_users_updates_since', answer: about },
  { name: 'FetchTextStatusList', ids: ['24072923595647473'], path: 'xwa2_text_status_list', answer: textStatuses },
  { name: 'UpdateTextStatus', ids: ['9152604461510864'], path: 'xwa2_update_text_status', answer: setTextStatus },
  { name: 'GetUsername', ids: ['25347099718279209'], path: 'xwa2_username_get', answer: ownUsername },
  {
    name: 'UsernameAvailability',
    ids: ['26122779627399568'],
    path: 'xwa2_username_check',
    answer: (request) => ({ result: 'SUCCESS', suggestions: [checkUsername(request)] }),
  },
  { name: 'SetUsername', ids: ['25757341163897635'], path: 'xwa2_username_set', answer: setUsername },
  { name: 'FetchAllSubgroups', ids: ['9935467776504344'], path: 'xwa2_group_query_by_id', answer: subgroups },
  {
    name: 'QuerySubgroupParticipantCount',
    ids: ['24079399904996141'],
    path: 'xwa2_group_query_by_id',
    answer: participantCounts,
  },
  { name: 'FetchGroupInviteCode', ids: ['29247029834912157'], path: 'xwa2_group_query_by_id', answer: inviteCode },
  { name: 'UpdateGroupProperty', ids: ['9418211574894172'], path: 'xwa2_group_update_property', answer: updateProperty },
  {
    name: 'FetchReachoutTimelock',
    ids: ['23983697327930364'],
    path: 'xwa2_fetch_account_reachout_timelock',
    answer: ({ person }) => reachoutLock(person),
  },
  {
    name: 'FetchNewChatMessageCappingInfo',
    ids: ['27910975521856601', '24503548349331633'],
    path: 'xwa2_message_capping_info',
    answer: cappingInfo,
  },
]
