import { type BinaryNode, child, children, node, seconds, textOf } from '../../wire/node.ts'
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
  // A member may query a suspended group, but not change it.
  if (group.isSuspended && query.subject.tag !== 'query') throw new QueryError(423, 'locked')
  return { group, actor }
}

/**
 * Throws unless the account may change the group's own data. All members may, or only admins if the group is locked.
 */
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

export const MAX_SUBJECT = 100

const INVITE_VALIDITY = 3 * 86_400

export const addresses = (item: BinaryNode | undefined) => children(item, 'participant').map((entry) => entry.attrs.jid ?? '')

/** Returns the addresses of the people to add. Throws if a person is given by LID, but not also by number. */
export function newcomers(item: BinaryNode): string[] {
  for (const { attrs } of children(item, 'participant'))
    if (attrs.jid?.endsWith('@lid') && !attrs.phone_number) throw new QueryError(400, 'bad-request')
  return addresses(item)
}

/** Returns the privacy tokens in a query, by the address of the person. */
export const tokensIn = (item: BinaryNode): Map<string, string> =>
  new Map(
    children(item, 'participant').flatMap((entry) => {
      const token = textOf(child(entry, 'privacy'))
      return token ? [[entry.attrs.jid ?? '', token] as const] : []
    }),
  )

export function outcome(group: Group, changes: Change[]): BinaryNode[] {
  return changes.map(({ person, address, error }) => {
    if (!person) return node('participant', { jid: address, error })
    const shown = participantNode(group, group.members.get(person.number) ?? { person, role: 'member' }, error)
    // The code 403 means that the person cannot be added, but can be invited. So the answer contains an invitation.
    return error === 403
      ? { ...shown, content: [node('add_request', { code: group.invite, expiration: seconds() + INVITE_VALIDITY })] }
      : shown
  })
}
