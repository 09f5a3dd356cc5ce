/** Whether the account is in a group, by what the network shows of the group: its refusals of members and of others are the same. */
import { Failure } from '../../../../src/domain/failures.ts'
import { type GroupIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import type { Group } from '../../wire/groups.ts'
import type { ActionContext } from '../types.ts'

type Context = Pick<ActionContext, 'ask' | 'session'>

/** Codes with which the network refuses an account that is no member, and a member without the right. */
const NO_PERMISSION = new Set([401, 403, 405])

/**
 * Runs `work` on the jid of a group. Rejects with `group_not_found` also where the account is not (or no longer) a member: after a refusal one
 * more query reads the group again.
 */
export async function inGroup<T>(context: Context, group: GroupIdentifier, work: (jid: string) => Promise<T>): Promise<T> {
  const jid = toJid(group)
  try {
    return await work(jid)
  } catch (error) {
    if (!NO_PERMISSION.has(networkCodeOf(error) ?? 0) || (await isMember(context, jid))) throw error
    throw new Failure('group_not_found', { cause: error })
  }
}

/** The same for changes of the group: its notice arrives after the answer, and a read in between must not return what was before it. */
export async function changing<T>(
  context: Context & Pick<ActionContext, 'groupDirectory'>,
  group: GroupIdentifier,
  work: (jid: string) => Promise<T>,
): Promise<T> {
  await context.groupDirectory.ready()
  const jid = toJid(group)
  try {
    const result = await inGroup(context, group, work)
    context.groupDirectory.changed([jid])
    return result
  } catch (error) {
    if (isOpen(error)) context.groupDirectory.changed([jid])
    throw error
  } finally {
    context.session.groups.forget(jid)
  }
}

/** Without an answer the network may have made the change; what it refuses leaves the group as it is. */
const isOpen = (error: unknown) =>
  error instanceof Failure && (error.code === 'send_timeout' || error.code === 'instance_not_connected')

/** Their metadata, and what lists of groups show of them, is read again before it is used. */
export function forget({ session, groupDirectory }: Pick<ActionContext, 'session' | 'groupDirectory'>, jids: readonly string[]) {
  for (const jid of jids) session.groups.forget(jid)
  groupDirectory.changed(jids)
}

/** The network shows a group's metadata to its members only. */
async function isMember({ ask, session }: Context, jid: string): Promise<boolean> {
  try {
    await ask.library(() => session.groups.refresh(jid))
    return true
  } catch (error) {
    const code = networkCodeOf(error)
    return code === null || (code !== 404 && !NO_PERMISSION.has(code))
  }
}

/** As the network has it now. */
export async function readGroup({ ask, session }: Context, jid: string): Promise<Group> {
  return writable(await ask.library(() => session.groups.refresh(jid)))
}

export function writable(group: Group): Group {
  if (group.isSuspended) throw new Failure('group_suspended')
  return group
}
