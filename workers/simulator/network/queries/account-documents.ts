import { seconds } from '../../wire/node.ts'
import { linkedGroups } from '../communities.ts'
import type { Group, Person } from '../model.ts'
import { findPerson } from '../people.ts'
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

/** What people say of themselves, by the one who is asked about. */
function about({ network, variables }: MexRequest) {
  const { user_id: id } = (variables.user ?? {}) as { user_id?: string }
  const person = findPerson(network, id ?? '')
  if (!person) throw new MexError(400, 'Bad Request')
  const text = person.blockedMe ? undefined : person.about
  return [{ updates: text === undefined ? [] : [{ __typename: 'XWA2AboutStatus', text }] }]
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

function setUsername(request: MexRequest) {
  request.person.username = checkUsername(request)
  return { result: 'SUCCESS' }
}

function subgroups({ network, person, variables }: MexRequest) {
  const parent = network.groups.get(String(variables.group_id ?? ''))
  if (!parent?.isCommunity || !parent.members.has(person.number)) throw new MexError(400, 'Bad Request')
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

export const ACCOUNT_DOCUMENTS: Document[] = [
  { name: 'FetchAboutStatus', ids: ['24535500086059408'], path: 'xwa2_users_updates_since', answer: about },
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
