import { type BinaryNode, child, children, node, SERVER } from '../../wire/node.ts'
import { groupNode, isFull, notifyMembers, removeMembers, requestToJoin } from '../groups.ts'
import type { Group, Network, Person } from '../model.ts'
import { groupOf } from './group-access.ts'
import type { Query } from './query.ts'
import { QueryError } from './query.ts'

function byInvite(network: Network, code: string | undefined): Group {
  const groups = [...network.groups.values()]
  const group = groups.find((item) => item.invite === code)
  if (group) return group
  if (code !== undefined && groups.some(({ revokedInvites }) => revokedInvites?.has(code))) throw new QueryError(410, 'gone')
  throw new QueryError(406, 'not-acceptable')
}

/**
 * Returns the group of an invitation link. Throws if the group is suspended, or if an admin has removed the person from
 * it.
 */
function invitedTo({ network, companion, subject }: Query): Group {
  const group = byInvite(network, subject.attrs.code)
  if (group.isSuspended) throw new QueryError(423, 'locked')
  if (group.removed?.has(companion.person.number)) throw new QueryError(401, 'not-authorized')
  return group
}

/**
 * Shows the group of an invitation link. People who are not members see its properties, its creator and its admins, but
 * not the other members.
 */
export function showInvited(query: Query): BinaryNode[] {
  const group = invitedTo(query)
  const whole = groupNode(group)
  if (group.members.has(query.companion.person.number)) return [whole]
  const shown = children(whole).filter(({ tag, attrs }) => tag !== 'participant' || attrs.type !== undefined)
  return [{ ...whole, content: shown }]
}

function enter(network: Network, group: Group, person: Person, reason: string) {
  const member = { person, role: 'member' as const }
  group.members.set(person.number, member)
  notifyMembers(network, group, person, 'add', [member], { reason })
}

/** Joins a group by its link. If admins decide about new members, only a request to join is recorded. */
export function join(query: Query): BinaryNode[] {
  const { network, companion } = query
  const group = invitedTo(query)
  const { person } = companion
  if (group.members.has(person.number)) throw new QueryError(304, 'not-modified')
  if (isFull(group)) throw new QueryError(419, 'resource-limit')
  if (group.joinApproval) {
    requestToJoin(network, group, person, 'invite_link')
    return [node('membership_approval_request', { jid: group.id })]
  }
  enter(network, group, person, 'invite')
  return [node('group', { jid: group.id })]
}

/** Joins a group by an invitation message, which contains the code of the group and the admin who sent it. */
export function accept(query: Query): undefined {
  const group = groupOf(query)
  if (group.members.has(query.companion.person.number)) throw new QueryError(304, 'already-exists')
  if (query.subject.attrs.code !== group.invite) throw new QueryError(404, 'item-not-found')
  enter(query.network, group, query.companion.person, 'accept')
  return undefined
}

export function leave({ network, companion, subject }: Query): BinaryNode[] {
  const { person } = companion
  const left = children(subject).map(({ attrs }) => {
    const group = network.groups.get(attrs.id ?? '')
    if (!group?.members.has(person.number)) return node('group', { id: attrs.id, error: 404 })
    removeMembers(network, group, person, [`${person.number}@${SERVER}`])
    return node('group', { id: group.id })
  })
  return [node('leave', {}, left)]
}

export function showMany({ network, companion, subject }: Query): BinaryNode[] {
  const shown = children(subject, 'group').map(({ attrs }) => {
    const group = network.groups.get(attrs.jid ?? '')
    if (!group) return node('group', { id: attrs.jid, error: 404 })
    return group.members.has(companion.person.number) ? groupNode(group) : node('group', { id: attrs.jid, error: 403 })
  })
  return [node('groups', {}, shown)]
}

export const asksForMany = ({ subject }: Query): boolean => child(subject, 'group') !== undefined
