/**
 * Builds queries about groups (`w:g2`) and parses the answers, as WhatsApp Web does. The queries `leave` and `set` with
 * `<invite>` are those of the library zapo.
 */
import {
  type BinaryNode,
  type GroupMetadata,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  isPnUser,
} from '@whiskeysockets/baileys'
import { extractGroupMetadata } from '@whiskeysockets/baileys/lib/Socket/groups.js'
import { bare } from './jid.ts'

export const ALL_GROUPS = '@g.us'

export const query = (to: string, type: 'get' | 'set', content: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { to, type, xmlns: 'w:g2' },
  content: [content],
})
export const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode => ({
  tag,
  attrs,
  ...(content === undefined ? {} : { content }),
})

export interface Group extends GroupMetadata {
  isSuspended: boolean
  membersAddGroups: boolean
  membersVersion: string | null
}

export const metadataQuery = (group: string) => query(group, 'get', node('query', { request: 'interactive' }))

/** Queries several groups. The network accepts at most 10,000 groups in a query. */
export const batchQuery = (groups: readonly string[]) =>
  query(
    ALL_GROUPS,
    'get',
    node(
      'query',
      {},
      groups.map((jid) => node('group', { jid })),
    ),
  )

export const participatingQuery = () =>
  query(ALL_GROUPS, 'get', node('participating', {}, [node('participants'), node('description')]))

export const inviteCodeQuery = (group: string) => query(group, 'get', node('invite'))

/** Requests a new invite code; the previous one becomes invalid. */
export const newInviteCodeQuery = (group: string) => query(group, 'set', node('invite'))

export const inviteCodeIn = (answer: BinaryNode): string | null => getBinaryNodeChild(answer, 'invite')?.attrs.code || null

export const invitedQuery = (code: string) => query(ALL_GROUPS, 'get', node('invite', { code }))

/** Joins a group. The answer is `<group jid>` or `<membership_approval_request jid>`. */
export const joinQuery = (code: string) => query(ALL_GROUPS, 'set', node('invite', { code }))

/** Leaves a group. If the network refuses, `<group>` in the answer has the attribute `error`. */
export const leaveQuery = (group: string) => query(ALL_GROUPS, 'set', node('leave', {}, [node('group', { id: group })]))

/**
 * `announcement`: only administrators may write. `locked`: only administrators may change the data of the group, such
 * as its name.
 */
export const settingQuery = (group: string, setting: 'announcement' | 'not_announcement' | 'locked' | 'unlocked') =>
  query(group, 'set', node(setting))

export const whoAddsQuery = (group: string, mode: 'admin_add' | 'all_member_add') =>
  query(group, 'set', node('member_add_mode', {}, mode))

export const approvalQuery = (group: string, isOn: boolean) =>
  query(group, 'set', node('membership_approval_mode', {}, [node('group_join', { state: isOn ? 'on' : 'off' })]))

/** Sets the duration of disappearing messages in the group, in seconds. */
export const timerQuery = (group: string, seconds: number) =>
  query(group, 'set', seconds > 0 ? node('ephemeral', { expiration: String(seconds) }) : node('not_ephemeral'))

export const subjectQuery = (group: string, subject: string) => query(group, 'set', node('subject', {}, Buffer.from(subject)))

export function descriptionQuery(group: string, { text, id, prev }: { text: string; id: string; prev: string | undefined }) {
  const before: Record<string, string> = prev ? { prev } : {}
  const description = text
    ? node('description', { id, ...before }, [node('body', {}, Buffer.from(text))])
    : node('description', { delete: 'true', ...before })
  return query(group, 'set', description)
}

export interface Newcomer {
  jid: string
  /** Number of the person, if `jid` is a LID. The network refuses a LID without the number. */
  phoneNumber?: string | undefined
  /** Token that the person gave to this account. With it, the account may add a person who accepts only contacts. */
  token?: Uint8Array | undefined
}

const newcomer = ({ jid, phoneNumber, token }: Newcomer) =>
  node(
    'participant',
    { jid, ...(phoneNumber ? { phone_number: phoneNumber } : {}) },
    token && [node('privacy', {}, Buffer.from(token).toString('hex'))],
  )

export const createQuery = (subject: string, key: string, people: readonly Newcomer[]) =>
  query(ALL_GROUPS, 'set', node('create', { subject, key }, people.map(newcomer)))

/** Adds people to a group. The network accepts at most 1,024 people in a query. */
export const addQuery = (group: string, people: readonly Newcomer[]) => query(group, 'set', node('add', {}, people.map(newcomer)))

export type MemberChange = 'remove' | 'promote' | 'demote'
export type Decision = 'approve' | 'reject'

export const listed = (jids: readonly string[]) => jids.map((jid) => node('participant', { jid }))

export const memberQuery = (group: string, change: MemberChange, jids: readonly string[]) =>
  query(group, 'set', node(change, {}, listed(jids)))

export const decisionQuery = (group: string, decision: Decision, jids: readonly string[]) =>
  query(group, 'set', node('membership_requests_action', {}, [node(decision, {}, listed(jids))]))

export const joinRequestsQuery = (group: string) => query(group, 'get', node('membership_approval_requests'))

export interface JoinRequest {
  jid: string
  pn: string | undefined
  lid: string | undefined
  /** Time of the request in epoch seconds; NaN if the answer has none. */
  requestedAt: number
  method: string | undefined
}

export const joinRequestsIn = (answer: BinaryNode): JoinRequest[] =>
  getBinaryNodeChildren(getBinaryNodeChild(answer, 'membership_approval_requests'), 'membership_approval_request').flatMap(
    ({ attrs: { jid, phone_number: pn, lid, request_time: at, request_method: method } }) =>
      jid ? [{ jid, pn, lid, requestedAt: Number(at), method }] : [],
  )

export interface Outcome {
  names: string[]
  code: number
  /** Invitation that may be sent to a person whom the account may not add; null if there is none. */
  invitation: { code: string; expiresAt: number } | null
}

const DONE = 200
const WAITS_FOR_APPROVAL = 202
const NOT_MODIFIED = 304

function codeOf(participant: BinaryNode): number {
  const refused = Number(participant.attrs.error)
  if (refused > 0) return refused
  const request = getBinaryNodeChild(participant, 'membership_approval_request')
  if (!request) return DONE
  const error = Number(request.attrs.error)
  // "Not modified" means that the person has already asked to join and waits for approval.
  return error > 0 && error !== NOT_MODIFIED ? error : WAITS_FOR_APPROVAL
}

function outcomeOf(participant: BinaryNode): Outcome {
  const { jid, phone_number: pn, lid } = participant.attrs
  const { code, expiration } = getBinaryNodeChild(participant, 'add_request')?.attrs ?? {}
  return {
    names: [jid, pn, lid].flatMap((name) => (name ? [bare(name)] : [])),
    code: codeOf(participant),
    invitation: code ? { code, expiresAt: Number(expiration) || 0 } : null,
  }
}

export function outcomesIn(answer: BinaryNode, ...path: string[]): Outcome[] {
  const list = path.reduce<BinaryNode | undefined>(getBinaryNodeChild, answer)
  return getBinaryNodeChildren(list, 'participant').map(outcomeOf)
}

export function groupJidIn(answer: BinaryNode, tag = 'group'): string | null {
  const { jid, id } = getBinaryNodeChild(answer, tag)?.attrs ?? {}
  const name = jid ?? id
  return name ? (name.includes('@') ? name : `${name}@g.us`) : null
}

export function leaveError(answer: BinaryNode): number | null {
  const { error } = getBinaryNodeChild(getBinaryNodeChild(answer, 'leave'), 'group')?.attrs ?? {}
  return Number(error) > 0 ? Number(error) : null
}

/** Parses a group with the library, and adds or corrects some fields. Throws like the library. */
export function groupIn(answer: BinaryNode): Group {
  const group = getBinaryNodeChild(answer, 'group')
  const approval = getBinaryNodeChild(getBinaryNodeChild(group, 'membership_approval_mode'), 'group_join')
  return {
    ...extractGroupMetadata(answer),
    joinApprovalMode: approval?.attrs.state === 'on',
    isSuspended: getBinaryNodeChild(group, 'suspended') !== undefined,
    membersAddGroups: getBinaryNodeChild(group, 'allow_non_admin_sub_group_creation') !== undefined,
    membersVersion: group?.attrs.p_v_id ?? null,
  }
}

/**
 * `truncated`: the answer has only the id, so the group must be queried again. `refused`: the account is not a member.
 */
export type ListedGroup = { is: 'whole'; group: Group } | { is: 'truncated' | 'refused'; jid: string }

/** Yields the groups one at a time, because parsing a group takes some time and there may be thousands. */
export function* groupsIn(answer: BinaryNode): Generator<ListedGroup> {
  for (const group of getBinaryNodeChildren(getBinaryNodeChild(answer, 'groups'), 'group')) {
    const alone: BinaryNode = { tag: 'iq', attrs: {}, content: [group] }
    const { id, error, truncated } = group.attrs
    const jid = groupJidIn(alone)
    if (truncated === 'true') {
      if (jid) yield { is: 'truncated', jid }
    } else if (Number(error) > 0) {
      if (jid) yield { is: 'refused', jid }
    } else if (id && !error) yield { is: 'whole', group: groupIn(alone) }
  }
}

export const namesOf = ({ id, lid, phoneNumber }: GroupMetadata['participants'][number]): string[] =>
  [id, lid, phoneNumber].flatMap((name) => (name && (isPnUser(name) || isLidUser(name)) ? [bare(name)] : []))
