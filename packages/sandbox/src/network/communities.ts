import { node } from '../wire/node.ts'
import { addGroup, addMembers, groupNode, notifyGroup, removeMembers } from './groups.ts'
import { parseJid } from './jid.ts'
import type { Group, Network, Person } from './model.ts'
import { pnOf } from './people.ts'

/**
 * A community is a parent group. Its announcement group is for all members; each of its other groups has the members
 * who joined that group.
 */

export interface Community {
  parent: Group
  announcement: Group
  general: Group
}

export function addCommunity(
  network: Network,
  owner: Person,
  subject: string,
  description: string,
  members: string[] = [],
): Community {
  const parent = addGroup(network, owner, subject, 'lid')
  Object.assign(parent, { isCommunity: true, joinApproval: true })
  if (description !== '')
    parent.description = { id: parent.invite.slice(0, 12), text: description, by: owner, at: parent.createdAt }
  const announcement = addGroup(network, owner, subject, 'lid')
  Object.assign(announcement, { isAnnouncementGroup: true, announce: true, linkedParent: parent.id })
  const general = addGroup(network, owner, 'General', 'lid')
  general.linkedParent = parent.id
  for (const group of [parent, announcement, general]) {
    addMembers(network, group, owner, members, { isSilent: true })
    notifyGroup(network, group, owner, node('create', { type: 'new' }, [groupNode(group)]))
  }
  return { parent, announcement, general }
}

export function setWhoAddsGroups(network: Network, parent: Group, actor: Person, isEverybody: boolean) {
  parent.membersAddGroups = isEverybody
  const tag = isEverybody ? 'allow_non_admin_sub_group_creation' : 'not_allow_non_admin_sub_group_creation'
  notifyGroup(network, parent, actor, node(tag))
}

export function linkedGroups(network: Network, parent: Group): Group[] {
  return [...network.groups.values()].filter((group) => group.linkedParent === parent.id)
}

/** A community with this number of groups, without its announcement group, cannot be linked to further groups. */
const MAX_LINKED = 100

export function linkGroup(network: Network, parent: Group, actor: Person, id: string): number | undefined {
  const group = network.groups.get(id)
  if (!group) return 404
  if (group.isCommunity || group.linkedParent !== undefined) return 409
  const role = group.members.get(actor.number)?.role
  if (role !== 'admin' && role !== 'superadmin') return 403
  const before = linkedGroups(network, parent)
  if (before.length > MAX_LINKED) return 419
  group.linkedParent = parent.id
  const announcement = before.find((item) => item.isAnnouncementGroup)
  const members = [...group.members.values()].map(({ person }) => person)
  for (const place of [parent, announcement]) {
    for (const person of members)
      if (place && !place.members.has(person.number)) place.members.set(person.number, { person, role: 'member' })
  }
  const shown = node('group', { jid: group.id, id: parseJid(group.id).user, subject: group.subject })
  notifyGroup(network, parent, actor, node('link', { link_type: 'sub_group' }, [shown]))
  return undefined
}

/**
 * Removes a group from its community. With `removesOrphans`, ordinary members who are then in no group except the
 * announcement group leave the community.
 */
export function unlinkGroup(
  network: Network,
  parent: Group,
  actor: Person,
  id: string,
  removesOrphans: boolean,
): number | undefined {
  const group = network.groups.get(id)
  if (group?.linkedParent !== parent.id) return 404
  if (group.isAnnouncementGroup) return 403
  group.linkedParent = undefined
  const shown = node('group', { jid: group.id, id: parseJid(group.id).user, subject: group.subject })
  notifyGroup(network, parent, actor, node('unlink', { unlink_type: 'sub_group', unlink_reason: 'unlink_group' }, [shown]))
  if (!removesOrphans) return undefined
  const linked = linkedGroups(network, parent)
  const others = linked.filter((item) => !item.isAnnouncementGroup)
  const orphans = [...group.members.values()].filter(
    ({ person }) =>
      parent.members.get(person.number)?.role === 'member' && !others.some(({ members }) => members.has(person.number)),
  )
  const addresses = orphans.map(({ person }) => pnOf(person))
  if (addresses.length === 0) return undefined
  for (const place of [parent, ...linked.filter((item) => item.isAnnouncementGroup)])
    removeMembers(network, place, actor, addresses)
  return undefined
}

export function deleteParent(network: Network, parent: Group, actor: Person) {
  notifyGroup(network, parent, actor, node('delete', { reason: 'delete_parent' }))
  for (const group of linkedGroups(network, parent)) {
    group.linkedParent = undefined
    if (group.isAnnouncementGroup) network.groups.delete(group.id)
  }
  network.groups.delete(parent.id)
  network.changed()
}
