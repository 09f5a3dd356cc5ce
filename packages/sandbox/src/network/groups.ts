import { randomBytes, randomInt } from 'node:crypto'
import { type BinaryNode, node, randomId, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import { GROUP_SERVER, parseJid } from './jid.ts'
import type { Group, GroupMember, Network, Person } from './model.ts'
import { findPerson, jidOf, lidJidOf, pnOf } from './people.ts'

export function addGroup(network: Network, owner: Person, subject: string, addressing: 'lid' | 'pn'): Group {
  const id = `12036${randomInt(1_000_000_000, 9_999_999_999)}${String(network.groups.size).padStart(3, '0')}@${GROUP_SERVER}`
  const group: Group = {
    id,
    subject,
    subjectAt: seconds(),
    subjectBy: owner,
    description: undefined,
    owner,
    createdAt: seconds(),
    addressing,
    members: new Map([[owner.number, { person: owner, role: 'superadmin' }]]),
    requests: new Map(),
    announce: false,
    restrict: false,
    ephemeralSeconds: 0,
    joinApproval: false,
    memberAddMode: 'all_member_add',
    isSuspended: false,
    invite: newInvite(),
    isCommunity: false,
    membersAddGroups: false,
    isAnnouncementGroup: false,
    linkedParent: undefined,
    picture: undefined,
    keyHolders: new Map(),
    membersVersion: newVersion(),
    settingsVersion: newVersion(),
  }
  network.groups.set(id, group)
  network.changed()
  return group
}

export function newInvite(): string {
  return randomBytes(16).toString('base64url').slice(0, 22)
}

/**
 * Builds the element of a participant. `jid` is a LID or a number, as the group requires. The other address is in
 * another attribute.
 */
export function participantNode(group: Group, { person, role }: GroupMember, error?: number): BinaryNode {
  const other = group.addressing === 'lid' ? { phone_number: pnOf(person) } : { lid: lidJidOf(person) }
  return node('participant', {
    jid: jidOf(person, group.addressing),
    ...other,
    type: role === 'member' ? undefined : role,
    error,
  })
}

export function groupNode(group: Group): BinaryNode {
  const { owner, subjectBy, description, addressing } = group
  const attrs = {
    id: parseJid(group.id).user,
    creator: jidOf(owner, addressing),
    creator_pn: pnOf(owner),
    creation: group.createdAt,
    subject: group.subject,
    s_t: group.subjectAt,
    s_o: jidOf(subjectBy, addressing),
    s_o_pn: pnOf(subjectBy),
    addressing_mode: addressing,
    size: group.members.size,
    p_v_id: group.membersVersion,
    a_v_id: group.settingsVersion,
  }
  const about = description && {
    id: description.id,
    t: description.at,
    participant: jidOf(description.by, addressing),
    participant_pn: pnOf(description.by),
  }
  return node('group', attrs, [
    ...(about && description ? [node('description', about, [node('body', {}, description.text)])] : []),
    ...(group.announce ? [node('announcement')] : []),
    ...(group.restrict ? [node('locked')] : []),
    ...(group.ephemeralSeconds > 0 ? [node('ephemeral', { expiration: group.ephemeralSeconds })] : []),
    node('member_add_mode', {}, group.memberAddMode),
    ...(group.joinApproval ? [node('membership_approval_mode', {}, [node('group_join', { state: 'on' })])] : []),
    ...(group.isSuspended ? [node('suspended')] : []),
    ...[...(group.flags ?? [])].map((tag) => node(tag)),
    ...[...(group.modes ?? [])].map(([tag, mode]) => node(tag, {}, mode)),
    ...(group.isCommunity ? [node('parent')] : []),
    ...(group.membersAddGroups ? [node('allow_non_admin_sub_group_creation')] : []),
    ...(group.isAnnouncementGroup ? [node('default_sub_group')] : []),
    ...(group.linkedParent ? [node('linked_parent', { jid: group.linkedParent })] : []),
    ...[...group.members.values()].map((member) => participantNode(group, member)),
  ])
}

function newVersion(): string {
  return String(Date.now() * 1_000 + randomInt(1_000))
}

export function renewSettings(group: Group) {
  group.settingsVersion = newVersion()
}

/** Makes a new version of the member list. Returns it and the previous one. */
function nextVersion(group: Group): { v_id: string; prev_v_id: string | undefined } {
  const before = group.membersVersion
  group.membersVersion = newVersion()
  return { v_id: group.membersVersion, prev_v_id: before }
}

/** Notifies a group that members were added or removed, or have another role. */
export function notifyMembers(
  network: Network,
  group: Group,
  actor: Person,
  action: 'add' | 'remove' | 'promote' | 'demote',
  members: GroupMember[],
  { reason, also = [] }: { reason?: string; also?: Person[] } = {},
) {
  const change = node(
    action,
    { reason, ...nextVersion(group) },
    members.map((member) => participantNode(group, member)),
  )
  if (action !== 'add') return notifyGroup(network, group, actor, change, also)
  // New members receive the data of the whole group. The other members receive only the list of new members.
  const joined = members.map(({ person }) => person)
  notifyPeople(network, group, actor, node('create', { reason }, [groupNode(group)]), joined)
  notifyPeople(
    network,
    group,
    actor,
    change,
    peopleOf(group).filter((person) => !joined.includes(person)),
  )
}

const peopleOf = (group: Group) => [...group.members.values()].map(({ person }) => person)

/**
 * Notifies the members of a change. The devices of the person who made it are notified, too, because clients learn of
 * changes from notifications.
 */
export function notifyGroup(network: Network, group: Group, actor: Person, change: BinaryNode, also: Person[] = []) {
  notifyPeople(network, group, actor, change, [...peopleOf(group), ...also])
}

function notifyPeople(network: Network, group: Group, actor: Person, change: BinaryNode, people: Person[]) {
  const attrs = {
    from: group.id,
    type: 'w:gp2',
    participant: jidOf(actor, group.addressing),
    participant_pn: pnOf(actor),
    addressing_mode: group.addressing,
    t: seconds(),
    notify: actor.name,
  }
  for (const person of new Set(people)) {
    for (const companion of person.companions.values())
      enqueue(network, companion, node('notification', { ...attrs, id: randomId() }, [change]))
  }
  network.changed()
}

const CAPACITY = 1_025

const roomIn = (group: Group) => (group.capacity ?? CAPACITY) - group.members.size
export const isFull = (group: Group) => roomIn(group) <= 0

/**
 * Returns the error code for a person who cannot be added. Undefined if the person can be added. `token`: the privacy
 * token that the acting person has from this person.
 */
function additionError(group: Group, actor: Person, person: Person, token: string | undefined): number | undefined {
  if (group.members.has(person.number)) return 409
  if (person === actor || person.groupAdd === 'all') return undefined
  const isTrusted = token !== undefined && person.trusted?.get(actor.number) === token
  return person.groupAdd === 'contacts' && isTrusted ? undefined : 403
}

export interface Change {
  person: Person | undefined
  address: string
  error: number | undefined
}

/**
 * Adds people to a group. Returns one result per address, with `error` if the person cannot be added. `tokens`: privacy
 * tokens by address.
 */
export function addMembers(
  network: Network,
  group: Group,
  actor: Person,
  addresses: string[],
  { isSilent = false, tokens }: { isSilent?: boolean; tokens?: ReadonlyMap<string, string> } = {},
): Change[] {
  let room = roomIn(group)
  const changes = addresses.map((address): Change => {
    const person = findPerson(network, address)
    if (!person) return { person, address, error: 404 }
    const error = additionError(group, actor, person, tokens?.get(address))
    return { person, address, error: error === undefined && room-- <= 0 ? 419 : error }
  })
  const added = changes.flatMap(({ person, error }): GroupMember[] =>
    person && error === undefined ? [{ person, role: 'member' }] : [],
  )
  for (const member of added) {
    group.members.set(member.person.number, member)
    group.requests.delete(member.person.number)
    group.removed?.delete(member.person.number)
  }
  // Members of a community's announcement group are also members of the community, so they are added there, too.
  const parent = group.isAnnouncementGroup ? network.groups.get(group.linkedParent ?? '') : undefined
  for (const member of added)
    if (parent && !parent.members.has(member.person.number)) parent.members.set(member.person.number, { ...member })
  if (added.length > 0 && !isSilent) notifyMembers(network, group, actor, 'add', added)
  return changes
}

export function removeMembers(network: Network, group: Group, actor: Person, addresses: string[]): Change[] {
  const changes = addresses.map((address): Change => {
    const person = findPerson(network, address)
    return { person, address, error: person && group.members.has(person.number) ? undefined : 404 }
  })
  const removed = changes.flatMap(({ person, error }) => (person && error === undefined ? [person] : []))
  const shown = removed.map((person): GroupMember => ({ person, role: 'member' }))
  for (const person of removed) group.members.delete(person.number)
  const byOthers = removed.filter((person) => person !== actor).map(({ number }) => number)
  group.removed = new Set([...(group.removed ?? []), ...byOthers])
  group.keyHolders.clear()
  for (const { person } of group.members.values())
    for (const device of person.devices) if (device.hasSignal) device.signal.dropSenderKey(group.id)
  if (removed.length > 0) notifyMembers(network, group, actor, 'remove', shown, { also: removed })
  return changes
}

export function setRoles(
  network: Network,
  group: Group,
  actor: Person,
  addresses: string[],
  action: 'promote' | 'demote',
): Change[] {
  const changes = addresses.map((address): Change => {
    const person = findPerson(network, address)
    return { person, address, error: person && group.members.has(person.number) ? undefined : 404 }
  })
  const members = changes.flatMap(({ person }) => (person ? (group.members.get(person.number) ?? []) : []))
  for (const member of members) member.role = action === 'promote' ? 'admin' : 'member'
  if (members.length > 0) notifyMembers(network, group, actor, action, members)
  return changes
}

export function transferOwnership(network: Network, group: Group, actor: Person, to: Person) {
  const [before, after] = [group.members.get(actor.number), group.members.get(to.number)]
  if (!before || !after) throw new Error('the owner and the new owner must be members of the group')
  before.role = 'admin'
  after.role = 'superadmin'
  notifyMembers(network, group, actor, 'promote', [after])
}

/**
 * Records a request to join. It comes from the person, or from `actor`, who tried to add the person without the right
 * to add people.
 */
export function requestToJoin(network: Network, group: Group, person: Person, method: string, actor = person) {
  group.requests.set(person.number, { person, at: seconds() })
  const shown = participantNode(group, { person, role: 'member' })
  const change = node('created_membership_requests', { request_method: method }, [node('requested_user', shown.attrs), shown])
  notifyGroup(network, group, actor, change)
}

export const isOwner = (group: Group, { number }: Person): boolean => group.members.get(number)?.role === 'superadmin'

export function isAdmin(group: Group, person: Person): boolean {
  const role = group.members.get(person.number)?.role
  return role === 'admin' || role === 'superadmin'
}

/**
 * Returns whether the person may change the group's own data. All members may, or only admins if the group is locked.
 */
export const mayEdit = (group: Group, person: Person): boolean =>
  group.members.has(person.number) && (!group.restrict || isAdmin(group, person))
