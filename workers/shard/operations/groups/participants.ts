import type { GroupIdentifier, UserIdentifier } from '../../../../src/domain/ids.ts'
import { peopleOf } from '../../chats/accounts.ts'
import { secondsToIso } from '../../wire/bounds.ts'
import {
  addQuery,
  type Decision,
  decisionQuery,
  type JoinRequest,
  joinRequestsIn,
  joinRequestsQuery,
  type MemberChange,
  memberQuery,
  namesOf,
  type Outcome,
  outcomesIn,
} from '../../wire/groups.ts'
import { bare } from '../../wire/jid.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { changing, inGroup } from './membership.ts'
import { candidatesOf, type Inviting, invite } from './newcomers.ts'
import { inBatches, type Listed, resultsOf } from './results.ts'

const MAX_REQUESTS = 1_000

type People = { group_id: GroupIdentifier; phones: UserIdentifier[] }

const METHODS = ['invite_link', 'linked_group_join', 'non_admin_add'] as const
const methodOf = (method: string | undefined) => METHODS.find((known) => known === method) ?? null

export const groupParticipants: Handlers<typeof import('../../../../src/features/groups/participants.ts')> = {
  'groups.addParticipants': (context, input) =>
    changing(context, input.group_id, (jid) => addTo(context, jid, input, 'groups.addParticipants')),
  'groups.removeParticipants': (context, input) => changeMembers(context, input, 'remove'),
  'groups.promoteParticipants': (context, input) => changeMembers(context, input, 'promote'),
  'groups.demoteParticipants': (context, input) => changeMembers(context, input, 'demote'),
  'groups.approveParticipants': (context, input) => decide(context, input, 'approve'),
  'groups.rejectParticipants': (context, input) => decide(context, input, 'reject'),

  'groups.participantRequests': (context, { group_id }) =>
    inGroup(context, group_id, async (jid) => {
      const requests = (await requestsOf(context, jid)).slice(0, MAX_REQUESTS)
      const data = await Promise.all(
        requests.map(async ({ jid: id, pn, requestedAt, method }) => ({
          ...(await context.session.identity.person(id, pn)),
          requested_at: secondsToIso(requestedAt) ?? new Date(0).toISOString(),
          method: methodOf(method),
        })),
      )
      return { data }
    }),
}

const requestsOf = async ({ ask }: ActionContext, jid: string): Promise<JoinRequest[]> =>
  joinRequestsIn(await ask(joinRequestsQuery(jid)))

export async function addTo(
  context: ActionContext,
  jid: string,
  { phones, auto_invite }: { phones: UserIdentifier[]; auto_invite: boolean },
  operation: Inviting,
) {
  const candidates = await candidatesOf(context, phones)
  const known = candidates.filter((one) => one !== undefined)
  const answers = await inBatches(context, known, async (batch) => outcomesIn(await context.ask(addQuery(jid, batch)), 'add'))
  const mayBeInvited = auto_invite && [...answers.values()].some(({ invitation }) => invitation !== null)
  if (!mayBeInvited) return resultsOf(phones, candidates, answers)
  const { subject } = await context.ask.run(() => context.session.groups.get(jid))
  const asked = phones.map((phone, at) => ({ phone, candidate: candidates[at] }))
  return resultsOf(phones, candidates, answers, await invite(context, operation, { jid, subject }, asked, answers))
}

/**
 * Each member is addressed by the jid in the group's own list (a number or a LID), because the network does not find
 * the other jid of a member.
 */
const changeMembers = (context: ActionContext, { group_id, phones }: People, change: MemberChange) =>
  changing(context, group_id, async (jid) => {
    const { participants } = await context.ask.run(() => context.session.groups.refresh(jid))
    const listed = participants.map((participant) => ({ id: bare(participant.id), names: namesOf(participant) }))
    return settle(context, phones, listed, async (ids) => outcomesIn(await context.ask(memberQuery(jid, change, ids)), change))
  })

const decide = (context: ActionContext, { group_id, phones }: People, decision: Decision) =>
  changing(context, group_id, async (jid) => {
    const listed = (await requestsOf(context, jid)).map(({ jid: id, pn, lid }) => ({
      id: bare(id),
      names: [id, pn, lid].flatMap((name) => (name ? [bare(name)] : [])),
    }))
    return settle(context, phones, listed, async (ids) =>
      outcomesIn(await context.ask(decisionQuery(jid, decision, ids)), 'membership_requests_action', decision),
    )
  })

/** Returns a result for each person. People who are not in the group's list are left out of the query. */
export async function settle(
  context: ActionContext,
  phones: readonly UserIdentifier[],
  listed: readonly Listed[],
  ask: (ids: string[]) => Promise<Outcome[]>,
) {
  const people = await peopleOf(context, phones)
  const found = people.map((names) => listed.find((one) => one.names.some((name) => name === names?.pn || name === names?.lid)))
  const known = found.filter((one) => one !== undefined)
  return resultsOf(phones, found, await inBatches(context, known, (batch) => ask(batch.map(({ id }) => id))))
}
