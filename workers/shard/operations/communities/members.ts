import { type GroupIdentifier, renderIdentifier, toJid, type UserIdentifier } from '../../../../src/domain/ids.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { communityAdminQuery, linkCodesIn, linkQuery, removeFromAllQuery, unlinkQuery } from '../../wire/communities.ts'
import { type MemberChange, memberQuery, namesOf, type Outcome, outcomesIn } from '../../wire/groups.ts'
import { bare, identifierOf } from '../../wire/jid.ts'
import { invitationLinkOf } from '../groups/group-object.ts'
import { newInviteCodeOf, plainInviteCodeOf } from '../groups/invite-code.ts'
import { changing, inGroup, readGroup } from '../groups/membership.ts'
import { addTo, settle } from '../groups/participants.ts'
import type { Listed } from '../groups/results.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { announcementOf } from './sub-groups.ts'

const NOT_THERE = 404
const DONE = 200
const BAD_REQUEST = 400
/**
 * Codes with which the network refuses the query for a community's invite link. The link of the announcement group is
 * then queried.
 */
const NOT_OF_THE_PARENT = new Set([400, 404, 405])

type People = { community_id: GroupIdentifier; phones: UserIdentifier[] }
type Change = (parent: string, announcement: string, ids: string[]) => Promise<Outcome[]>

export const communityMembers: Handlers<typeof import('../../../../src/features/communities/members.ts')> = {
  'communities.linkGroups': (context, { community_id, groups }) =>
    changing(context, community_id, async (jid) => {
      const answer = await context.ask(linkQuery(jid, jidsOf(groups)))
      return linkResults(context, groups, linkCodesIn(answer, 'links', 'link'))
    }),

  'communities.unlinkGroups': (context, { community_id, groups, remove_orphaned_members }) =>
    changing(context, community_id, async (jid) => {
      const answer = await context.ask(unlinkQuery(jid, jidsOf(groups), remove_orphaned_members))
      return linkResults(context, groups, linkCodesIn(answer, 'unlink'))
    }),

  'communities.addParticipants': (context, input) =>
    changing(context, input.community_id, async (jid) =>
      addTo(context, await announcementOf(context, jid), input, 'communities.addParticipants'),
    ),

  'communities.removeParticipants': (context, input) =>
    changePeople(context, input, async (jid, _, ids) => outcomesIn(await context.ask(removeFromAllQuery(jid, ids)), 'remove')),

  'communities.promoteParticipants': (context, input) => changePeople(context, input, roles(context, 'promote')),
  'communities.demoteParticipants': (context, input) => changePeople(context, input, roles(context, 'demote')),

  'communities.invitationLink': (context, { community_id }) =>
    link(context, community_id, (jid) => plainInviteCodeOf(context, jid)),

  'communities.resetInvitationLink': (context, { community_id }) =>
    link(context, community_id, (jid) => newInviteCodeOf(context, jid)),
}

const jidsOf = (groups: readonly GroupIdentifier[]) => [...new Set(groups.map(toJid))]

/**
 * Returns the result of each group. Drops the cached metadata of these groups, because the notices of the network name
 * only the community.
 */
function linkResults(context: ActionContext, groups: readonly GroupIdentifier[], codes: ReadonlyMap<string, number>) {
  context.session.groups.changed(groups.map(toJid))
  const results = groups.map((group) => {
    const code = codes.get(toJid(group)) ?? NOT_THERE
    return { phone: renderIdentifier(group), success: code === DONE, code }
  })
  return { value: results.every(({ success }) => success), groups: results }
}

/**
 * Changes members of a community. Everybody in a community is in the list of its announcement group; its administrators
 * are in the list of the community itself.
 */
const changePeople = (context: ActionContext, { community_id, phones }: People, change: Change) =>
  changing(context, community_id, async (jid) => {
    const announcement = await announcementOf(context, jid)
    const groups = [await readGroup(context, announcement), await context.session.groups.get(jid)]
    const members = groups.flatMap(({ participants }) => participants)
    const listed = members.map((one): Listed => ({ id: bare(one.id), names: namesOf(one) }))
    return settle(context, phones, listed, (ids) => change(jid, announcement, ids))
  })

/**
 * Changes roles in a community. If the network does not know the query for communities, the roles are changed in the
 * announcement group.
 */
const roles =
  ({ ask }: ActionContext, change: Exclude<MemberChange, 'remove'>): Change =>
  async (jid, announcement, ids) => {
    try {
      return outcomesIn(await ask(communityAdminQuery(jid, change, ids)), 'admin')
    } catch (error) {
      if (networkCodeOf(error) !== BAD_REQUEST) throw error
      return outcomesIn(await ask(memberQuery(announcement, change, ids)), change)
    }
  }

const link = (context: ActionContext, community: GroupIdentifier, ask: (jid: string) => Promise<string>) =>
  inGroup(context, community, async (jid) => {
    const code = await ask(jid).catch(async (error: unknown) => {
      if (!NOT_OF_THE_PARENT.has(networkCodeOf(error) ?? 0)) throw error
      return ask(await announcementOf(context, jid))
    })
    return { phone: identifierOf(jid), invitation_link: invitationLinkOf(code) }
  })
