import { ControlError } from '../control/control-error.ts'
import type { GroupInput } from '../control/schemas/chats.ts'
import { node } from '../wire/node.ts'
import { linkGroup } from './communities.ts'
import { findKnown } from './control-people.ts'
import * as settings from './group-settings.ts'
import { addGroup, addMembers, groupNode, notifyGroup, removeMembers, requestToJoin, setRoles } from './groups.ts'
import type { Group, Network, Person } from './model.ts'
import { pnOf } from './people.ts'

function findGroup(network: Network, id: string): Group {
  const group = network.groups.get(id)
  if (!group) throw new ControlError('not_found', `there is no group ${id}`)
  return group
}

export function addGroupByControl(network: Network, input: GroupInput): { id: string } {
  const owner = findKnown(network, input.owner)
  const group = addGroup(network, owner, input.subject, input.addressing ?? 'lid')
  addMembers(
    network,
    group,
    owner,
    input.participants.map((phone) => pnOf(findKnown(network, phone))),
    { isSilent: true },
  )
  notifyGroup(network, group, owner, node('create', { type: 'new' }, [groupNode(group)]))
  applyChanges(network, group, owner, input.settings ?? {})
  return { id: group.id }
}

export function changeParticipants(
  network: Network,
  id: string,
  by: Person,
  action: string,
  phones: string[],
  method = 'invite_link',
) {
  const group = findGroup(network, id)
  const people = phones.map((phone) => findKnown(network, phone))
  const addresses = people.map((person) => pnOf(person))
  switch (action) {
    case 'add':
      return void addMembers(network, group, by, addresses)
    case 'remove':
      return void removeMembers(network, group, by, addresses)
    case 'leave':
      return void removeMembers(network, group, by, [pnOf(by)])
    case 'promote':
    case 'demote':
      return void setRoles(network, group, by, addresses, action)
    case 'request':
      for (const person of people) requestToJoin(network, group, person, method, by)
      return
    case 'withdraw':
      return settings.withdrawRequest(network, group, by)
    case 'reject':
      return settings.decideRequests(
        network,
        group,
        by,
        people.map(({ number }) => number),
        false,
      )
    case 'change_number':
      for (const before of people) settings.changeNumber(network, group, by, before)
      return
    default:
      throw new ControlError('invalid_request', `action: ${action} is not something to do with participants`)
  }
}

export function updateGroup(network: Network, id: string, by: Person, changes: Record<string, unknown>) {
  applyChanges(network, findGroup(network, id), by, changes)
}

function applyChanges(network: Network, group: Group, by: Person, changes: Record<string, unknown>) {
  const {
    subject,
    description,
    announce,
    restrict,
    ephemeral_seconds: ephemeral,
    join_approval: approval,
    suspended,
    picture,
    member_add_mode: addMode,
    renew_invite: isNewInvite,
    capacity,
    community,
  } = changes
  if (typeof subject === 'string') settings.setSubject(network, group, by, subject)
  if (typeof description === 'string') settings.setDescription(network, group, by, description)
  if (typeof announce === 'boolean') settings.setAnnounce(network, group, by, announce)
  if (typeof restrict === 'boolean') settings.setRestrict(network, group, by, restrict)
  if (typeof ephemeral === 'number') settings.setEphemeral(network, group, by, ephemeral)
  if (typeof approval === 'boolean') settings.setJoinApproval(network, group, by, approval)
  if (typeof picture === 'string') settings.setGroupPicture(network, group, by, picture || undefined)
  if (typeof suspended === 'boolean') settings.setSuspended(network, group, by, suspended)
  if (addMode === 'admin_add' || addMode === 'all_member_add') settings.setMemberAddMode(network, group, by, addMode)
  if (typeof capacity === 'number') group.capacity = capacity
  if (typeof community === 'string') linkGroup(network, findGroup(network, community), by, group.id)
  if (isNewInvite === true) settings.renewInvite(network, group, by)
}
