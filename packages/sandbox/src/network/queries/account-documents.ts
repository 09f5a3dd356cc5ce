import { seconds } from '../../wire/node.ts'
import type { Person } from '../model.ts'
import { findPerson, textStatusOf } from '../people.ts'
import { type Document, MexError, type MexRequest } from './document.ts'

function reachoutLock({ restrictedUntil = 0 }: Person) {
  const isActive = restrictedUntil > seconds()
  return { is_active: isActive, time_enforcement_ends: isActive ? String(restrictedUntil) : '', enforcement_type: null }
}

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

function about({ network, variables }: MexRequest) {
  const { user_id: id } = (variables.user ?? {}) as { user_id?: string }
  const person = findPerson(network, id ?? '')
  if (!person) throw new MexError(400, 'Bad Request')
  const text = person.blockedMe ? undefined : person.about
  return [{ updates: text === undefined ? [] : [{ __typename: 'XWA2AboutStatus', text }] }]
}

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

function ownUsername({ person: { username, usernameKey } }: MexRequest) {
  if (username === undefined) throw new MexError(404, 'Not Found')
  return { username_info: { username, state: 'ACTIVE', pin: usernameKey ?? null } }
}

function setUsernameKey({ person, variables: { pin } }: MexRequest) {
  if (person.username === undefined) throw new MexError(403, 'Forbidden')
  if (typeof pin !== 'string' || !/^\d{4}$/.test(pin)) throw new MexError(400, 'Bad Request')
  person.usernameKey = pin
  return { result: 'SUCCESS' }
}

const USERNAME = /^[a-z][a-z0-9._]{2,29}$/

function checkUsername({ network, person, variables }: MexRequest): string {
  const name = String(variables.input ?? '')
  const isTaken = [...network.people.values()].some((other) => other !== person && other.username === name)
  if (!USERNAME.test(name) || isTaken) throw new MexError(400, 'Bad Request')
  return name
}

function setUsername(request: MexRequest) {
  request.person.username = request.variables.input == null ? undefined : checkUsername(request)
  return { result: 'SUCCESS' }
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
  { name: 'SetUsernameKey', ids: ['9749436995157074'], path: 'xwa2_username_pin_set', answer: setUsernameKey },
  { name: 'SetUsername', ids: ['25757341163897635'], path: 'xwa2_username_set', answer: setUsername },
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
