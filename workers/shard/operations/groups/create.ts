/** Creates a group at most once, even if the query must be repeated. */
import { type BinaryNode, generateMessageIDV2 } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure, type Issue } from '../../../../src/domain/failures.ts'
import type { InputOfEndpoint } from '../../../../src/features/endpoint.ts'
import { addQuery, createQuery, groupJidIn, namesOf, outcomesIn } from '../../wire/groups.ts'
import { bare, identifierOf } from '../../wire/jid.ts'
import type { ActionContext } from '../types.ts'
import { invitationLinkOf } from './group-object.ts'
import { inviteCodeOf } from './invite-code.ts'
import { type Candidate, candidatesOf, invite } from './newcomers.ts'
import { type Answer, answerOf, resultsOf } from './results.ts'

type Input = InputOfEndpoint<typeof import('../../../../src/features/groups/groups.ts').create>

/** Time limit of the first attempt in ms. It leaves time for a second attempt if the answer is lost. */
const FIRST_TRY = 15 * SECOND
const DONE = 200

export async function create(context: ActionContext, { name, phones, auto_invite }: Input) {
  const { session } = context
  await session.groups.ready()
  const candidates = await candidatesOf(context, phones)
  const own = candidates.findIndex((candidate) => candidate?.names.some((one) => session.identity.isMe(one)))
  if (own >= 0) throw Failure.invalid({ path: `phones.${own}`, message: 'must not be the number of this account' })
  const people = [...new Map(candidates.flatMap((one) => (one ? [[one.id, one] as const] : []))).values()]
  if (people.length === 0) throw new Failure('phone_not_on_whatsapp')

  const { jid, answers } = await make(context, name, people)
  session.groups.joined(jid)
  const link = await inviteCodeOf(context, jid).then(invitationLinkOf, (error: unknown) => {
    context.log.warn({ err: error }, 'the invitation link of a new group could not be read')
    return null
  })
  const asked = phones.map((phone, at) => ({ phone, candidate: candidates[at] }))
  const invited = auto_invite ? await invite(context, 'groups.create', { jid, subject: name }, asked, answers) : undefined
  const { participants } = resultsOf(phones, candidates, answers, invited)
  return { phone: identifierOf(jid), name, invitation_link: link, participants }
}

async function make(
  context: ActionContext,
  name: string,
  people: readonly Candidate[],
): Promise<{ jid: string; answers: Map<string, Answer> }> {
  const answer = await askOnce(context, createQuery(name, generateMessageIDV2(context.session.me?.id), people))
  const jid = groupJidIn(answer)
  if (jid === null) throw new Failure('action_failed', { message: 'The network did not return the id of the group.' })
  const outcomes = outcomesIn(answer, 'group')
  if (outcomes.length > 0) return { jid, answers: new Map(people.map((one) => [one.id, answerOf(outcomes, one)])) }
  return { jid, answers: await afterwards(context, jid, people) }
}

/**
 * Sends a query, and repeats it if the answer is lost. The query contains a key by which the network recognizes a
 * repetition. Rejects with `issue` if the network refuses the content of the query, because it does not say which field
 * it refuses.
 */
export const askOnce = (
  { ask }: Pick<ActionContext, 'ask'>,
  query: BinaryNode,
  issue: Issue = { path: 'name', message: 'was not accepted by the network' },
): Promise<BinaryNode> =>
  ask(query, { atMostMs: FIRST_TRY })
    .catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'send_timeout') return ask(query)
      throw error
    })
    .catch((cause: unknown) => {
      if (!(cause instanceof Failure && cause.code === 'invalid_request')) throw cause
      throw Object.assign(Failure.invalid(issue), { cause })
    })

/**
 * Determines the result of each person after the answer was lost. Members of the group were added. The others are added
 * again, so that the network answers with the reason of each refusal.
 */
async function afterwards(
  { ask, session }: ActionContext,
  jid: string,
  people: readonly Candidate[],
): Promise<Map<string, Answer>> {
  const { participants } = await ask.run(() => session.groups.refresh(jid))
  const members = new Set(participants.flatMap((participant) => [bare(participant.id), ...namesOf(participant)]))
  const isIn = ({ names }: Candidate) => names.some((one) => members.has(one))
  const missing = people.filter((one) => !isIn(one))
  const outcomes = missing.length === 0 ? [] : outcomesIn(await ask(addQuery(jid, missing)), 'add')
  return new Map(people.map((one) => [one.id, isIn(one) ? { code: DONE, invitation: null } : answerOf(outcomes, one)]))
}
