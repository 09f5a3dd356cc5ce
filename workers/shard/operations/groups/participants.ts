/** Who is in a group and who asks to join: how `src/features/groups/participants.ts` is done on the wire. */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { type GroupIdentifier, renderIdentifier, type UserIdentifier } from '../../../../src/domain/ids.ts'
import { peopleOf } from '../../chats/accounts.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { pause } from '../../connection/within.ts'
import { secondsToIso } from '../../wire/bounds.ts'
import {
  type Decision,
  decisionQuery,
  type MemberChange,
  memberQuery,
  namesOf,
  type Outcome,
  outcomesIn,
} from '../../wire/groups.ts'
import { bare } from '../../wire/jid.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { changing, inGroup } from './membership.ts'

const MAX_REQUESTS = 1_000
/** People of one query; the next one comes after the pause. */
const BATCH = 20
const BATCH_PAUSE = SECOND
const NOT_THERE = 404
const DONE = 200

type People = { group_id: GroupIdentifier; phones: UserIdentifier[] }

const METHODS = ['invite_link', 'linked_group_join', 'non_admin_add'] as const
const methodOf = (method: string | undefined) => METHODS.find((known) => known === method) ?? null

export const groupParticipants: Handlers<typeof import('../../../../src/features/groups/participants.ts')> = {
  'groups.removeParticipants': (context, input) => changeMembers(context, input, 'remove'),
  'groups.promoteParticipants': (context, input) => changeMembers(context, input, 'promote'),
  'groups.demoteParticipants': (context, input) => changeMembers(context, input, 'demote'),
  'groups.approveParticipants': (context, input) => decide(context, input, 'approve'),
  'groups.rejectParticipants': (context, input) => decide(context, input, 'reject'),

  'groups.participantRequests': (context, { group_id }) =>
    inGroup(context, group_id, async (jid) => {
      const requests = (await requestsOf(context, jid)).slice(0, MAX_REQUESTS)
      const data = await Promise.all(
        requests.map(async ({ jid: id, phone_number: pn, request_time: at, request_method: method }) => ({
          ...(await context.session.identity.person(id!, pn)),
          requested_at: secondsToIso(Number(at)) ?? new Date(0).toISOString(),
          method: methodOf(method),
        })),
      )
      return { data }
    }),
}

const requestsOf = async ({ ask }: ActionContext, jid: string): Promise<BinaryNode['attrs'][]> => {
  const requests = (await ask.library((sock) => sock.groupRequestParticipantsList(jid))) as BinaryNode['attrs'][]
  return requests.filter(({ jid: id }) => id)
}

/** By the ids of the group's own list: by another name of a person the network finds nobody. */
const changeMembers = (context: ActionContext, { group_id, phones }: People, change: MemberChange) =>
  changing(context, group_id, async (jid) => {
    const { participants } = await context.ask.library(() => context.session.groups.refresh(jid))
    const listed = participants.map((participant) => ({ id: bare(participant.id), names: namesOf(participant) }))
    return settle(context, phones, listed, async (ids) => outcomesIn(await context.ask(memberQuery(jid, change, ids)), change))
  })

const decide = (context: ActionContext, { group_id, phones }: People, decision: Decision) =>
  changing(context, group_id, async (jid) => {
    const listed = (await requestsOf(context, jid)).map(({ jid: id, phone_number: pn, lid }) => ({
      id: bare(id!),
      names: [id, pn, lid].flatMap((name) => (name ? [bare(name)] : [])),
    }))
    return settle(context, phones, listed, async (ids) =>
      outcomesIn(await context.ask(decisionQuery(jid, decision, ids)), 'membership_requests_action', decision),
    )
  })

interface Listed {
  id: string
  names: string[]
}

/** A result for each person: who is not listed is not asked about. */
async function settle(
  context: ActionContext,
  phones: readonly UserIdentifier[],
  listed: readonly Listed[],
  ask: (ids: string[]) => Promise<Outcome[]>,
) {
  const people = await peopleOf(context, phones)
  const found = people.map((names) => listed.find((one) => one.names.some((name) => name === names?.pn || name === names?.lid)))
  const codes = await inBatches(context, [...new Set(found.flatMap((one) => (one ? [one.id] : [])))], ask)
  const participants = phones.map((phone, at) => {
    const code = codes.get(found[at]?.id ?? '') ?? NOT_THERE
    return { phone: renderIdentifier(phone), success: code === DONE, code, invited: false }
  })
  return { value: participants.every(({ success }) => success), participants }
}

/** Code by id. A refusal of a later batch is one of its people: the earlier ones are done, and have to be told. */
async function inBatches(
  { session }: ActionContext,
  ids: readonly string[],
  ask: (ids: string[]) => Promise<Outcome[]>,
): Promise<Map<string, number>> {
  const codes = new Map<string, number>()
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH)
    if (from > 0) await pause(session, BATCH_PAUSE)
    try {
      const outcomes = await ask(batch)
      for (const id of batch) codes.set(id, outcomes.find(({ names }) => names.includes(id))?.code ?? NOT_THERE)
    } catch (error) {
      const code = networkCodeOf(error)
      if (from === 0 || code === null) throw error
      for (const id of batch) codes.set(id, code)
    }
  }
  return codes
}
