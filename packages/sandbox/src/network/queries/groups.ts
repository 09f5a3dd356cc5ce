import { type BinaryNode, child, childBytes, children, node, textOf } from '../../wire/node.ts'
import { linkedGroups } from '../communities.ts'
import * as settings from '../group-settings.ts'
import {
  addMembers,
  type Change,
  groupNode,
  isAdmin,
  participantNode,
  removeMembers,
  requestToJoin,
  setRoles,
} from '../groups.ts'
import type { Group, Network, Person } from '../model.ts'
import { findPerson } from '../people.ts'
import { addresses, asAdmin, asEditor, asMember, groupOf, MAX_SUBJECT, newcomers, outcome, tokensIn } from './group-access.ts'
import { accept, asksForMany, join, leave, showInvited, showMany } from './group-joining.ts'
import type { Answer, Query } from './query.ts'
import { QueryError } from './query.ts'

function participating({ network, companion }: Query): BinaryNode[] {
  const { number } = companion.person
  companion.hasReadGroups = true
  const own = [...network.groups.values()].filter((group) => group.members.has(number))
  return [node('groups', {}, own.map(groupNode))]
}

const changeMembers =
  (action: 'remove' | 'promote' | 'demote'): Answer =>
  (query) => {
    const { network, subject } = query
    const { group, actor } = asAdmin(query)
    const asked = addresses(subject)
    const creator = action === 'promote' ? [] : asked.filter((address) => isCreator(network, group, address))
    const wanted = asked.filter((address) => !creator.includes(address))
    // In a community, the query can also ask to remove the people from all groups of this community.
    const also = action === 'remove' && subject.attrs.linked_groups === 'true' ? linkedGroups(network, group) : []
    for (const linked of also) removeMembers(network, linked, actor, wanted)
    const changes =
      action === 'remove' ? removeMembers(network, group, actor, wanted) : setRoles(network, group, actor, wanted, action)
    const refused = creator.map((address): Change => ({ person: findPerson(network, address), address, error: 406 }))
    return [node(action, {}, outcome(group, [...changes, ...refused]))]
  }

/** Whether this address is that of the group's creator, who cannot be removed, and stays an admin. */
function isCreator(network: Network, group: Group, address: string): boolean {
  const person = findPerson(network, address)
  return person !== undefined && group.members.get(person.number)?.role === 'superadmin'
}

/**
 * Adds people to a group. If admins decide about new members, and the acting person is not one, requests to join are
 * recorded instead.
 */
function add(query: Query): BinaryNode[] {
  const { network, subject } = query
  const isOpen = groupOf(query).memberAddMode === 'all_member_add'
  const { group, actor } = isOpen ? asMember(query) : asAdmin(query)
  const wanted = newcomers(subject)
  if (!group.joinApproval || isAdmin(group, actor))
    return [node('add', {}, outcome(group, addMembers(network, group, actor, wanted, { tokens: tokensIn(subject) })))]
  const asked = wanted.map((address) => {
    const person = findPerson(network, address)
    if (!person || group.members.has(person.number)) return node('participant', { jid: address, error: person ? 409 : 404 })
    const isWaiting = group.requests.has(person.number)
    if (!isWaiting) requestToJoin(network, group, person, 'non_admin_add', actor)
    const request = node('membership_approval_request', { error: isWaiting ? 304 : undefined })
    return { ...participantNode(group, { person, role: 'member' }), content: [request] }
  })
  return [node('add', {}, asked)]
}

/** Revokes invitation messages. They contain the code of the group's link, so this code is renewed. */
function revoke(query: Query): BinaryNode[] {
  const { group, actor } = asAdmin(query)
  const asked = addresses(query.subject)
  if (asked.length === 0) throw new QueryError(400, 'bad-request')
  settings.renewInvite(query.network, group, actor)
  return [
    node(
      'revoke',
      {},
      asked.map((jid) => node('participant', { jid, error: findPerson(query.network, jid) ? undefined : 404 })),
    ),
  ]
}

function decide(query: Query): BinaryNode[] {
  const { group, actor } = asAdmin(query)
  const [action] = children(query.subject)
  if (action?.tag !== 'approve' && action?.tag !== 'reject') throw new QueryError(400, 'bad-request')
  const people = addresses(action).map((address) => ({ address, person: findPerson(query.network, address) }))
  const known = people.flatMap(({ person }) => (person && group.requests.has(person.number) ? [person.number] : []))
  settings.decideRequests(query.network, group, actor, known, action.tag === 'approve')
  const answered = people.map(({ address, person }) =>
    node('participant', { jid: address, error: person && known.includes(person.number) ? undefined : 404 }),
  )
  return [node('membership_requests_action', {}, [node(action.tag, {}, answered)])]
}

const set =
  (apply: (query: Query, group: Group, actor: Person) => void, who: typeof asAdmin = asAdmin): Answer =>
  (query) => {
    const { group, actor } = who(query)
    apply(query, group, actor)
    return undefined
  }

/** Settings that are on or off, each with the elements that turn it on and off. */
const FLAGS = [
  ['no_frequently_forwarded', 'frequently_forwarded_ok'],
  ['group_history', 'no_group_history'],
  ['allow_admin_reports', 'not_allow_admin_reports'],
] as const

const MODES: Record<string, string[]> = {
  member_link_mode: ['admin_link', 'all_member_link'],
  member_share_group_history_mode: ['admin_share', 'all_member_share'],
}

export const GROUP_QUERIES: Record<string, Answer> = {
  'w:g2 get query': (query) => (asksForMany(query) ? showMany(query) : [groupNode(asMember(query).group)]),
  'w:g2 get participating': participating,
  'w:g2 set add': add,
  'w:g2 set remove': changeMembers('remove'),
  'w:g2 set promote': changeMembers('promote'),
  'w:g2 set demote': changeMembers('demote'),
  'w:g2 set leave': leave,
  'w:g2 set subject': set((query, group, actor) => {
    const subject = textOf(query.subject) ?? ''
    if (subject === '' || subject.length > MAX_SUBJECT) throw new QueryError(406, 'not-acceptable')
    settings.setSubject(query.network, group, actor, subject)
  }, asEditor),
  'w:g2 set description': set(({ network, subject }, group, actor) => {
    const text = childBytes(subject, 'body')?.toString('utf8') ?? ''
    if (text.length > 2_048) throw new QueryError(406, 'not-acceptable')
    if (group.description && subject.attrs.prev !== group.description.id) throw new QueryError(409, 'conflict')
    settings.setDescription(network, group, actor, text, subject.attrs.id)
  }, asEditor),
  'w:g2 get invite': (query) => {
    if (query.subject.attrs.code !== undefined) return showInvited(query)
    return [node('invite', { code: asAdmin(query).group.invite })]
  },
  'w:g2 set invite': (query) => {
    if (query.subject.attrs.code !== undefined) return join(query)
    const { group, actor } = asAdmin(query)
    return [node('invite', { code: settings.renewInvite(query.network, group, actor) })]
  },
  'w:g2 set accept': accept,
  'w:g2 set revoke': revoke,
  'w:g2 set announcement': set(({ network }, group, actor) => settings.setAnnounce(network, group, actor, true)),
  'w:g2 set not_announcement': set(({ network }, group, actor) => settings.setAnnounce(network, group, actor, false)),
  'w:g2 set locked': set(({ network }, group, actor) => settings.setRestrict(network, group, actor, true)),
  'w:g2 set unlocked': set(({ network }, group, actor) => settings.setRestrict(network, group, actor, false)),
  'w:g2 set ephemeral': set(
    ({ network, subject }, group, actor) => settings.setEphemeral(network, group, actor, Number(subject.attrs.expiration ?? 0)),
    asEditor,
  ),
  'w:g2 set not_ephemeral': set(({ network }, group, actor) => settings.setEphemeral(network, group, actor, 0), asEditor),
  'w:g2 set member_add_mode': set(({ network, subject }, group, actor) => {
    settings.setMemberAddMode(network, group, actor, textOf(subject) === 'admin_add' ? 'admin_add' : 'all_member_add')
  }),
  'w:g2 set membership_approval_mode': set(({ network, subject }, group, actor) => {
    settings.setJoinApproval(network, group, actor, child(subject, 'group_join')?.attrs.state === 'on')
  }),
  ...Object.fromEntries(
    FLAGS.flatMap(([tag, offTag]) =>
      [true, false].map((isOn) => [
        `w:g2 set ${isOn ? tag : offTag}`,
        set(({ network }, group, actor) => settings.setFlag(network, group, actor, tag, isOn, offTag)),
      ]),
    ),
  ),
  ...Object.fromEntries(
    Object.entries(MODES).map(([tag, modes]) => [
      `w:g2 set ${tag}`,
      set(({ network, subject }, group, actor) => {
        const mode = textOf(subject) ?? ''
        if (!modes.includes(mode)) throw new QueryError(400, 'bad-request')
        settings.setMode(network, group, actor, tag, mode)
      }),
    ]),
  ),
  'w:g2 get membership_approval_requests': (query) => {
    const { group } = asAdmin(query)
    const requests = [...group.requests.values()].map(({ person, at }) => {
      const { jid, phone_number, lid } = participantNode(group, { person, role: 'member' }).attrs
      return node('membership_approval_request', { jid, phone_number, lid, request_time: at, request_method: 'invite_link' })
    })
    return [node('membership_approval_requests', {}, requests)]
  },
  'w:g2 set membership_requests_action': decide,
}
