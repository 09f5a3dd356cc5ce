/** Finds the jids of people to add to a group. Invites people whom the network refuses to add. */
import { type SendCall, sendCall } from '../../../../src/domain/call.ts'
import type { UserIdentifier } from '../../../../src/domain/ids.ts'
import { peopleOf } from '../../chats/accounts.ts'
import type { Newcomer } from '../../wire/groups.ts'
import type { ActionContext } from '../types.ts'
import type { Answer, Listed } from './results.ts'

export interface Candidate extends Listed, Newcomer {}

const CAPTION = 'Invitation to join my WhatsApp group'

/**
 * Returns the people to add, in the order of the identifiers. Undefined for people whom the network refuses to add:
 * people without an account, or with a LID but no known number.
 */
export async function candidatesOf(
  context: Pick<ActionContext, 'ask' | 'session'>,
  phones: readonly UserIdentifier[],
): Promise<(Candidate | undefined)[]> {
  const people = await peopleOf(context, phones)
  const tokens = await context.session.tokens.all(people.flatMap((one) => one?.lid ?? one?.pn ?? []))
  return people.map((names) => {
    if (!names?.pn) return undefined
    const { pn, lid } = names
    const token = tokens.get(lid ?? pn)
    return {
      id: lid ?? pn,
      names: lid === null ? [pn] : [lid, pn],
      jid: lid ?? pn,
      ...(lid === null ? {} : { phoneNumber: pn }),
      ...(token ? { token } : {}),
    }
  })
}

export interface InvitationInput {
  phone: UserIdentifier
  group: string
  name: string
  code: string
  /** Epoch seconds. */
  expires_at: number
  caption: string
}

/** Operations that queue invitations. The queue shows an invitation with the id of its operation. */
export type Inviting = 'groups.create' | 'groups.addParticipants' | 'communities.addParticipants'

/**
 * Queues the invitations, and resolves with the `id`s of the invited people. If an invitation cannot be queued, this
 * does not reject, because the group has already changed.
 */
export async function invite(
  { enqueue, log }: Pick<ActionContext, 'enqueue' | 'log'>,
  operation: Inviting,
  group: { jid: string; subject: string },
  refused: readonly { phone: UserIdentifier; candidate: Candidate | undefined }[],
  answers: ReadonlyMap<string, Answer>,
): Promise<Set<string>> {
  const invited = new Set<string>()
  for (const { phone, candidate } of refused) {
    const invitation = candidate && answers.get(candidate.id)?.invitation
    if (!invitation || invited.has(candidate.id)) continue
    const { code, expiresAt: expires_at } = invitation
    const input: InvitationInput = { phone, group: group.jid, name: group.subject, code, expires_at, caption: CAPTION }
    const call: SendCall = sendCall(operation, input, { to: phone })
    try {
      await enqueue(call)
      invited.add(candidate.id)
    } catch (error) {
      log.warn({ err: error }, 'somebody could not be added to a group, and the invitation for this person could not be queued')
      break
    }
  }
  return invited
}
