import { type BinaryNode, children, node, seconds } from '../../wire/node.ts'
import { type Change, isAdmin, mayEdit, participantNode } from '../groups.ts'
import type { Group, Person } from '../model.ts'
import { type Query, QueryError } from './query.ts'

export function groupOf({ network, item }: Query): Group {
  const group = network.groups.get(item.attrs.to ?? '')
  if (!group) throw new QueryError(404, 'item-not-found')
  return group
}

export function asMember(query: Query): { group: Group; actor: Person } {
  const group = groupOf(query)
  const actor = query.companion.person
  if (!group.members.has(actor.number)) throw new QueryError(403, 'forbidden')
  // a suspended one can still be looked at
  if (group.isSuspended && query.subject.tag !== 'query') throw new QueryError(423, 'locked')
  return { group, actor }
}

/** Who may change a group's own data: everybody unless it is locked, then admins. */
export function asEditor(query: Query): { group: Group; actor: Person } {
  const { group, actor } = asMember(query)
  if (!mayEdit(group, actor)) throw new QueryError(403, 'forbidden')
  return { group, actor }
}

export function asAdmin(query: Query): { group: Group; actor: Person } {
  const { group, actor } = asMember(query)
  if (!isAdmin(group, actor)) throw new QueryError(403, 'forbidden')
  return { group, actor }
}

/** How long an invitation message holds, in seconds: three days. */
export const INVITE_VALIDITY = 3 * 86_400

export const addresses = (item: BinaryNode | undefined) => children(item, 'participant').map((entry) => entry.attrs.jid ?? '')

/** People who are to come in: a LID goes with the number. */
export function newcomers(item: BinaryNode): string[] {
  for (const { attrs } of children(item, 'participant'))
    if (attrs.jid?.endsWith('@lid') && !attrs.phone_number) throw new QueryError(400, 'bad-request')
  return addresses(item)
}

export function outcome(group: Group, changes: Change[]): BinaryNode[] {
  return changes.map(({ person, address, error }) => {
    if (!person) return node('participant', { jid: address, error })
    const shown = participantNode(group, group.members.get(person.number) ?? { person, role: 'member' }, error)
    // who may not be added can be invited with this
    return error === 403
      ? { ...shown, content: [node('add_request', { code: group.invite, expiration: seconds() + INVITE_VALIDITY })] }
      : shown
  })
}
