import { type BinaryNode, child, childBytes, children, node, randomId, seconds } from '../../wire/node.ts'
import { addCommunity, deleteParent, linkedGroups, linkGroup, setWhoAddsGroups, unlinkGroup } from '../communities.ts'
import { addGroup, addMembers, groupNode, isOwner, notifyGroup, participantNode, setRoles } from '../groups.ts'
import type { Group } from '../model.ts'
import { addresses, asAdmin, asMember, MAX_SUBJECT, newcomers, outcome, tokensIn } from './group-access.ts'
import type { Answer, Query } from './query.ts'
import { QueryError } from './query.ts'

/**
 * Creates a group. With `parent` it is a community, with `linked_parent` a group in a community, and otherwise an
 * ordinary group.
 */
export function create({ network, companion, subject }: Query): BinaryNode[] {
  const owner = companion.person
  const name = subject.attrs.subject ?? ''
  const text = childBytes(child(subject, 'description'), 'body')?.toString('utf8') ?? ''
  const { key } = subject.attrs
  // If the answer was lost, the client repeats its request with the same key. Then the group already exists, and
  // only its id is sent.
  const made =
    key === undefined ? undefined : [...network.groups.values()].find((group) => group.owner === owner && group.key === key)
  if (made) return [node('group', { jid: made.id })]
  if (child(subject, 'parent')) {
    if (name === '' || name.length > MAX_SUBJECT) throw new QueryError(406, 'not-acceptable')
    const { parent } = addCommunity(network, owner, name, text)
    if (key !== undefined) parent.key = key
    parent.membersAddGroups = child(subject, 'allow_non_admin_sub_group_creation') !== undefined
    return [groupNode(parent)]
  }
  const wanted = newcomers(subject)
  if (name === '' || name.length > MAX_SUBJECT) throw new QueryError(406, 'not-acceptable')
  const parentId = child(subject, 'linked_parent')?.attrs.jid
  const parent = parentId === undefined ? undefined : network.groups.get(parentId)
  if (parentId !== undefined && !parent?.isCommunity) throw new QueryError(404, 'item-not-found')
  const group = addGroup(network, owner, name, 'lid')
  group.linkedParent = parentId
  if (key !== undefined) group.key = key
  if (text !== '')
    group.description = { id: child(subject, 'description')?.attrs.id ?? randomId(), text, by: owner, at: seconds() }
  const changes = addMembers(network, group, owner, wanted, { isSilent: true, tokens: tokensIn(subject) })
  const created = groupNode(group)
  notifyGroup(network, group, owner, node('create', { type: 'new', key: subject.attrs.key }, [created]))
  // The answer to this query lists the people who could not be added, with the reason. The notification does not list
  // them.
  const refused = outcome(
    group,
    changes.filter(({ error }) => error !== undefined),
  )
  return [{ ...created, content: [...children(created), ...refused] }]
}

function asCommunityAdmin(query: Query) {
  const { group: parent, actor } = asAdmin(query)
  if (!parent.isCommunity) throw new QueryError(400, 'bad-request')
  return { parent, actor }
}

/**
 * Returns the community if the account is its admin. For this query, the network answers all other accounts with 401
 * instead of 403.
 */
function asAuthorized(query: Query) {
  try {
    return asCommunityAdmin(query)
  } catch (error) {
    throw error instanceof QueryError && error.code === 403 ? new QueryError(401, 'not-authorized') : error
  }
}

const answered = (id: string, error: number | undefined) => node('group', { jid: id, error })

function links(query: Query): BinaryNode[] {
  const { parent, actor } = asCommunityAdmin(query)
  const groups = children(child(query.subject, 'link'), 'group').map(({ attrs }) => attrs.jid ?? '')
  const listed = groups.map((id) => answered(id, linkGroup(query.network, parent, actor, id)))
  return [node('links', {}, [node('link', { link_type: 'sub_group' }, listed)])]
}

function unlink(query: Query): BinaryNode[] {
  const { parent, actor } = asAuthorized(query)
  const groups = children(query.subject, 'group').map(({ attrs }) => attrs)
  const listed = groups.map(({ jid = '', remove_orphaned_members: removes }) =>
    answered(jid, unlinkGroup(query.network, parent, actor, jid, removes === 'true')),
  )
  return [node('unlink', { unlink_type: 'sub_group' }, listed)]
}

const allowing =
  (isAllowed: boolean): Answer =>
  (query) => {
    const { parent, actor } = asCommunityAdmin(query)
    setWhoAddsGroups(query.network, parent, actor, isAllowed)
    return undefined
  }

function admin(query: Query): BinaryNode[] {
  const { parent, actor } = asCommunityAdmin(query)
  const action = children(query.subject)[0]
  if (action?.tag !== 'promote' && action?.tag !== 'demote') throw new QueryError(400, 'bad-request')
  const { tag } = action
  const changes = setRoles(query.network, parent, actor, addresses(action), tag)
  const announcement: Group | undefined = linkedGroups(query.network, parent).find((group) => group.isAnnouncementGroup)
  if (announcement) setRoles(query.network, announcement, actor, addresses(action), tag)
  return [node('admin', {}, outcome(parent, changes))]
}

export const COMMUNITY_QUERIES: Record<string, Answer> = {
  'w:g2 set create': create,
  'w:g2 get sub_groups': (query) => [node('sub_groups', {}, linkedGroups(query.network, asMember(query).group).map(groupNode))],
  'w:g2 get linked_groups_participants': (query) => {
    const parent = asMember(query).group
    if (!parent.isCommunity) throw new QueryError(400, 'bad-request')
    const people = new Set(
      linkedGroups(query.network, parent).flatMap((group) => [...group.members.values()].map(({ person }) => person)),
    )
    const listed = [...people].map((person) => {
      const { jid, phone_number } = participantNode(parent, { person, role: 'member' }).attrs
      return node('participant', { jid, phone_number })
    })
    return [node('linked_groups_participants', {}, listed)]
  },
  'w:g2 set links': links,
  'w:g2 set unlink': unlink,
  'w:g2 set allow_non_admin_sub_group_creation': allowing(true),
  'w:g2 set not_allow_non_admin_sub_group_creation': allowing(false),
  'w:g2 set admin': admin,
  'w:g2 set delete_parent': (query) => {
    const { parent, actor } = asAuthorized(query)
    if (!isOwner(parent, actor)) throw new QueryError(401, 'not-authorized')
    deleteParent(query.network, parent, actor)
    return undefined
  },
}
