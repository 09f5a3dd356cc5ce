import { networkCodeOf } from '../../connection/failures.ts'
import { groupIn, groupJidIn, invitedQuery, joinQuery } from '../../wire/groups.ts'
import { identifierOf } from '../../wire/jid.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { groupObject, invitationLinkOf } from './group-object.ts'
import { inviteCodeOf, newInviteCodeOf } from './invite-code.ts'
import { inGroup, writable } from './membership.ts'

const NOT_MODIFIED = 304

export const groupInvitations: Handlers<typeof import('../../../../src/features/groups/invitations.ts')> = {
  async 'groups.invitationMetadata'(context, { url: code }) {
    const group = await invitedTo(context, code)
    return groupObject(context.session.identity, group, {
      invitation_link: invitationLinkOf(code),
      invitation_link_error: null,
    })
  },

  async 'groups.acceptInvitation'(context, { url: code }) {
    const { groups } = context.session
    await groups.ready()
    const { jid, isPending } = await join(context, code)
    if (jid !== null) isPending ? groups.forget(jid) : groups.joined(jid)
    return { value: true, phone: jid === null ? null : identifierOf(jid), pending_approval: isPending } as const
  },

  'groups.invitationLink': (context, { group_id }) =>
    inGroup(context, group_id, async (jid) => shown(jid, await inviteCodeOf(context, jid))),

  'groups.resetInvitationLink': (context, { group_id }) =>
    inGroup(context, group_id, async (jid) => shown(jid, await newInviteCodeOf(context, jid))),
}

const shown = (jid: string, code: string) => ({ phone: identifierOf(jid), invitation_link: invitationLinkOf(code) })

const invitedTo = async ({ ask }: Pick<ActionContext, 'ask'>, code: string) => writable(groupIn(await ask(invitedQuery(code))))

async function join(context: ActionContext, code: string): Promise<{ jid: string | null; isPending: boolean }> {
  try {
    const answer = await context.ask(joinQuery(code))
    const jid = groupJidIn(answer)
    if (jid !== null) return { jid, isPending: false }
    return { jid: groupJidIn(answer, 'membership_approval_request'), isPending: true }
  } catch (error) {
    if (networkCodeOf(error) !== NOT_MODIFIED) throw error
    const { id } = await invitedTo(context, code)
    return { jid: id, isPending: false }
  }
}
