/**
 * Runs queries about a group, and finds out why the network refused one. The network uses the same codes for members
 * and for others, so the group's metadata shows whether the account is a member.
 */
import { Failure } from '../../../../src/domain/failures.ts'
import { type GroupIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import type { Group } from '../../wire/groups.ts'
import type { ActionContext } from '../types.ts'

type Context = Pick<ActionContext, 'ask' | 'session'>

/** Codes with which the network refuses an account that is not a member, and a member without the permission. */
const NO_PERMISSION = new Set([401, 403, 405])

/** Runs `work`. Rejects with `group_not_found` if the network refuses `work` and the account is not a member. */
export async function inGroup<T>(context: Context, group: GroupIdentifier, work: (jid: string) => Promise<T>): Promise<T> {
  const jid = toJid(group)
  try {
    return await work(jid)
  } catch (error) {
    if (!NO_PERMISSION.has(networkCodeOf(error) ?? 0) || (await isMember(context, jid))) throw error
    throw new Failure('group_not_found', { cause: error })
  }
}

/**
 * Runs a change of a group. Also drops the cached group, because the notice about the change arrives after the answer.
 */
export async function changing<T>(context: Context, group: GroupIdentifier, work: (jid: string) => Promise<T>): Promise<T> {
  const { groups } = context.session
  await groups.ready()
  const jid = toJid(group)
  try {
    const result = await inGroup(context, group, work)
    groups.changed([jid])
    return result
  } catch (error) {
    if (isOpen(error)) groups.changed([jid])
    else groups.forget(jid)
    throw error
  }
}

/**
 * Whether the network may have made the change although the operation failed: without an answer, the outcome is
 * unknown.
 */
const isOpen = (error: unknown) =>
  error instanceof Failure && (error.code === 'send_timeout' || error.code === 'instance_not_connected')

/**
 * Whether the account is a member: the network shows a group's metadata only to its members. True also if the network
 * gave no clear answer.
 */
async function isMember({ ask, session }: Context, jid: string): Promise<boolean> {
  try {
    await ask.run(() => session.groups.refresh(jid))
    return true
  } catch (error) {
    const code = networkCodeOf(error)
    return code === null || (code !== 404 && !NO_PERMISSION.has(code))
  }
}

export async function readGroup({ ask, session }: Context, jid: string): Promise<Group> {
  return writable(await ask.run(() => session.groups.refresh(jid)))
}

export function writable(group: Group): Group {
  if (group.isSuspended) throw new Failure('group_suspended')
  return group
}
