import type { proto } from '@whiskeysockets/baileys'
import { surroundings } from '../../send/context-info.ts'
import type { Accepted, SendContext } from '../../send/contract.ts'
import { resolveDestination } from '../../send/destination.ts'
import { sendMessage } from '../../send/relay.ts'
import type { InvitationInput } from '../groups/newcomers.ts'

export async function sendInvitation(context: SendContext, input: InvitationInput): Promise<Accepted> {
  const to = await resolveDestination(context, input.phone)
  const { info } = await surroundings(context, to, {})
  const groupInviteMessage: proto.Message.IGroupInviteMessage = {
    groupJid: input.group,
    groupName: input.name,
    inviteCode: input.code,
    inviteExpiration: input.expires_at,
    caption: input.caption,
  }
  return sendMessage(context, to, { content: { proto: { groupInviteMessage } }, info })
}
