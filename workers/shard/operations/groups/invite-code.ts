/**
 * Reads the code in a group's invitation link. If the network refuses the query of the library zapo, the query of the
 * web client is sent.
 */
import { Failure } from '../../../../src/domain/failures.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { inviteCodeIn, inviteCodeQuery, newInviteCodeQuery } from '../../wire/groups.ts'
import { object, textOf } from '../../wire/json.ts'
import type { ActionContext } from '../types.ts'

type Context = Pick<ActionContext, 'ask'>

const NOT_THIS_WAY = new Set([400, 501])

const noCode = () => new Failure('action_failed', { message: 'The network did not return the invitation link.' })

export async function plainInviteCodeOf({ ask }: Context, jid: string): Promise<string> {
  const code = inviteCodeIn(await ask(inviteCodeQuery(jid)))
  if (code === null) throw noCode()
  return code
}

/** Returns the code in the invitation link. If the network refuses both queries, rejects with the first refusal. */
export const inviteCodeOf = (context: Context, jid: string): Promise<string> =>
  plainInviteCodeOf(context, jid).catch((refusal: unknown) => {
    const code = networkCodeOf(refusal)
    const isNoCode = code === null && refusal instanceof Failure && refusal.code === 'action_failed'
    if (!isNoCode && !NOT_THIS_WAY.has(code ?? 0)) throw refusal
    return byGraphQl(context, jid, refusal)
  })

async function byGraphQl({ ask }: Context, jid: string, refusal: unknown): Promise<string> {
  const answer = await ask.mex('FetchGroupInviteCode', { id: jid, query_context: 'INVITE_CODE' }).catch((error: unknown) => {
    throw networkCodeOf(error) === null ? error : refusal
  })
  const code = textOf(object(answer).invite_code)
  if (!code) throw refusal
  return code
}

export async function newInviteCodeOf({ ask }: Context, jid: string): Promise<string> {
  const code = inviteCodeIn(await ask(newInviteCodeQuery(jid)))
  if (code === null) throw noCode()
  return code
}
