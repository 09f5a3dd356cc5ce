import { type BinaryNode, node, randomId, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import { newInvite, notifyGroup as notify, notifyMembers, participantNode, renewSettings } from './groups.ts'
import type { Group, Network, Person } from './model.ts'
import { jidOf, pnOf } from './people.ts'
import { pictureId } from './pictures.ts'

function notifyGroup(network: Network, group: Group, actor: Person, change: BinaryNode) {
  renewSettings(group)
  notify(network, group, actor, change)
}

export function setFlag(network: Network, group: Group, actor: Person, tag: string, isOn: boolean, offTag: string) {
  group.flags ??= new Set()
  if (isOn) group.flags.add(tag)
  else group.flags.delete(tag)
  notifyGroup(network, group, actor, node(isOn ? tag : offTag))
}

export function setMode(network: Network, group: Group, actor: Person, tag: string, mode: string) {
  group.modes ??= new Map()
  group.modes.set(tag, mode)
  notifyGroup(network, group, actor, node(tag, {}, mode))
}

export function setSubject(network: Network, group: Group, actor: Person, subject: string) {
  Object.assign(group, { subject, subjectBy: actor, subjectAt: seconds() })
  const attrs = { subject, s_t: group.subjectAt, s_o: jidOf(actor, group.addressing), s_o_pn: pnOf(actor) }
  notifyGroup(network, group, actor, node('subject', attrs))
}

export function setDescription(network: Network, group: Group, actor: Person, text: string, id = randomId()) {
  group.description = text === '' ? undefined : { id, text, by: actor, at: seconds() }
  const change =
    text === '' ? node('description', { id, delete: true }) : node('description', { id, t: seconds() }, [node('body', {}, text)])
  notifyGroup(network, group, actor, change)
}

export function setAnnounce(network: Network, group: Group, actor: Person, announce: boolean) {
  group.announce = announce
  notifyGroup(network, group, actor, node(announce ? 'announcement' : 'not_announcement'))
}

export function setRestrict(network: Network, group: Group, actor: Person, restrict: boolean) {
  group.restrict = restrict
  notifyGroup(network, group, actor, node(restrict ? 'locked' : 'unlocked'))
}

export function setEphemeral(network: Network, group: Group, actor: Person, duration: number) {
  group.ephemeralSeconds = duration
  notifyGroup(network, group, actor, duration > 0 ? node('ephemeral', { expiration: duration }) : node('not_ephemeral'))
}

export function setMemberAddMode(network: Network, group: Group, actor: Person, mode: Group['memberAddMode']) {
  group.memberAddMode = mode
  notifyGroup(network, group, actor, node('member_add_mode', {}, mode))
}

export function setJoinApproval(network: Network, group: Group, actor: Person, isOn: boolean) {
  group.joinApproval = isOn
  const change = node('membership_approval_mode', {}, [node('group_join', { state: isOn ? 'on' : 'off' })])
  notifyGroup(network, group, actor, change)
}

export function setSuspended(network: Network, group: Group, actor: Person, isSuspended: boolean) {
  group.isSuspended = isSuspended
  notifyGroup(network, group, actor, node(isSuspended ? 'suspended' : 'unsuspended'))
}

export function renewInvite(network: Network, group: Group, actor: Person): string {
  group.revokedInvites = new Set([...(group.revokedInvites ?? []), group.invite])
  group.invite = newInvite()
  notifyGroup(network, group, actor, node('invite', { code: group.invite }))
  return group.invite
}

export function withdrawRequest(network: Network, group: Group, person: Person) {
  if (!group.requests.delete(person.number)) return
  const shown = participantNode(group, { person, role: 'member' })
  notifyGroup(network, group, person, node('revoked_membership_requests', {}, [shown]))
}

/**
 * Changes the number of a member. The notification names the person by the earlier number, and has the new number as
 * its author.
 */
export function changeNumber(network: Network, group: Group, person: Person, before: Person) {
  const member = group.members.get(before.number)
  if (!member) return
  group.members.delete(before.number)
  group.members.set(person.number, { person, role: member.role })
  const shown = participantNode(group, { person: before, role: 'member' })
  notifyGroup(network, group, person, node('modify', {}, [shown]))
}

export function decideRequests(network: Network, group: Group, actor: Person, numbers: string[], isApproved: boolean) {
  for (const number of numbers) {
    const request = group.requests.get(number)
    if (!request) continue
    group.requests.delete(number)
    const member = { person: request.person, role: 'member' as const }
    if (isApproved) {
      group.members.set(number, member)
      notifyMembers(network, group, actor, 'add', [member])
      continue
    }
    notifyGroup(network, group, actor, node('revoked_membership_requests', {}, [participantNode(group, member)]))
  }
}

export function setGroupPicture(network: Network, group: Group, actor: Person, picture: string | undefined) {
  group.picture = picture
  const author = jidOf(actor, group.addressing)
  const change =
    picture === undefined
      ? node('delete', { jid: group.id, author })
      : node('set', { jid: group.id, id: pictureId(picture), author })
  for (const { person } of group.members.values()) {
    for (const companion of person.companions.values()) {
      enqueue(
        network,
        companion,
        node('notification', { from: group.id, type: 'picture', id: randomId(), t: seconds() }, [change]),
      )
    }
  }
  network.changed()
}
