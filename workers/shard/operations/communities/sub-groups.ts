import { Failure } from '../../../../src/domain/failures.ts'
import type { ReplyOfEndpoint } from '../../../../src/features/endpoint.ts'
import type { GroupEntry } from '../../groups/group-entry.ts'
import { cut, cutOrNull, secondsToIso } from '../../wire/bounds.ts'
import { countsOf, type SubGroup, subGroupsIn, subGroupsOf, subGroupsQuery } from '../../wire/communities.ts'
import type { Group } from '../../wire/groups.ts'
import { identifierOf } from '../../wire/jid.ts'
import { readGroup } from '../groups/membership.ts'
import type { ActionContext } from '../types.ts'

export type CommunityObject = ReplyOfEndpoint<typeof import('../../../../src/features/communities/communities.ts').metadata>
type ShownSubGroup = CommunityObject['sub_groups'][number]

const MAX_SUB_GROUPS = 100
const MAX_NAME = 100
const MAX_DESCRIPTION = 2_048

type Context = Pick<ActionContext, 'ask' | 'session' | 'log'>

export async function readCommunity(context: Context, jid: string): Promise<Group> {
  const group = await readGroup(context, jid)
  if (!group.isCommunity) throw new Failure('group_not_found', { message: 'The group is not a community.' })
  return group
}

/**
 * Returns the groups of a community, the announcement group first. If the network refuses the web client's GraphQL
 * query, Baileys' older query is sent.
 */
export async function subGroupsAt({ ask, log }: Context, jid: string): Promise<SubGroup[]> {
  const asked = ask.mex('FetchAllSubgroups', { group_id: jid, query_context: 'INTERACTIVE' }).then(subGroupsOf)
  const found = await asked.catch(async (error: unknown) => {
    if (!isRefused(error)) throw error
    log.info({ err: error }, 'the network refused the query for the groups of a community; the older query is used')
    return subGroupsIn(await ask(subGroupsQuery(jid)))
  })
  return [...found.filter(({ isAnnouncement }) => isAnnouncement), ...found.filter(({ isAnnouncement }) => !isAnnouncement)]
}

export const isRefused = (error: unknown): boolean =>
  error instanceof Failure && error.code !== 'instance_not_connected' && error.code !== 'send_timeout'

/** Returns the jid of a community's announcement group. A message to a community goes to this group. */
export async function announcementOf(context: Context, jid: string): Promise<string> {
  await readCommunity(context, jid)
  const announcement = (await subGroupsAt(context, jid)).find(({ isAnnouncement }) => isAnnouncement)
  if (!announcement) throw new Failure('group_not_found', { message: 'The community has no announcement group.' })
  return announcement.jid
}

/**
 * Returns a function that returns the number of members of a group: as the network counts them, otherwise as `groups`
 * or the stored list of the account's own groups has it. Null if unknown.
 */
async function countsAt(context: Context, jid: string, groups: readonly SubGroup[]): Promise<(group: SubGroup) => number | null> {
  const { ask, session, log } = context
  await session.groups.ready()
  const [hint] = groups
  if (!hint) return () => null
  const input = { group_jid: jid, query_context: 'INTERACTIVE', sub_group_jid_hint: hint.jid }
  const counts = await ask
    .mex('QuerySubgroupParticipantCount', { input })
    .then(countsOf)
    .catch((error: unknown) => {
      if (!isRefused(error)) throw error
      log.info({ err: error }, "the member counts of a community's groups could not be read")
      return new Map<string, number>()
    })
  return ({ jid: group, size }) => counts.get(group) ?? size ?? session.groups.find(group)?.size ?? null
}

export async function communityObject(context: Context, group: Group, found: readonly SubGroup[]): Promise<CommunityObject> {
  const sizeOf = await countsAt(context, group.id, found)
  const groups = found.slice(0, MAX_SUB_GROUPS).map(
    (each): ShownSubGroup => ({
      phone: identifierOf(each.jid),
      name: cut(each.subject, MAX_NAME),
      is_group_announcement: each.isAnnouncement,
      participants_count: sizeOf(each),
    }),
  )
  return {
    ...(await head(context, {
      id: group.id,
      subject: group.subject ?? '',
      description: group.desc ?? null,
      createdAt: group.creation ?? 0,
      owner: group.owner ?? null,
      ownerPn: group.ownerPn ?? null,
    })),
    who_can_add_groups: group.membersAddGroups ? 'all' : 'admins',
    announcement_group: groups.find(({ is_group_announcement }) => is_group_announcement) ?? null,
    sub_groups: groups,
  }
}

type Head = Pick<GroupEntry, 'id' | 'subject' | 'description' | 'createdAt' | 'owner' | 'ownerPn'>

async function head({ session }: Pick<Context, 'session'>, { id, subject, description, createdAt, owner, ownerPn }: Head) {
  const known = owner ?? ownerPn
  return {
    id: identifierOf(id),
    name: cut(subject, MAX_NAME),
    description: cutOrNull(description, MAX_DESCRIPTION),
    created_at: createdAt > 0 ? secondsToIso(createdAt) : null,
    owner: known === null ? null : (await session.identity.person(known, ownerPn)).phone,
  }
}

export const listedCommunity = async (context: Pick<Context, 'session'>, entry: GroupEntry): Promise<CommunityObject> => ({
  ...(await head(context, entry)),
  who_can_add_groups: null,
  announcement_group: null,
  sub_groups: [],
})
