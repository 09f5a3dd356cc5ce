/** Status posts and answers to them: how `src/features/status.ts` is done on the wire. */
import { Failure } from '../../../src/domain/failures.ts'
import { toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import { quote } from '../context-info.ts'
import { resolveDestination } from '../destination.ts'
import { sendLetter } from '../sending.ts'
import { postStatus } from '../status-post.ts'
import { bare, STATUS_JID } from '../translate/jid.ts'
import type { Operations, SendContext } from './types.ts'

type Texts = 'sendTextStatus' | 'replyStatusText'

export const status: Pick<Operations<typeof import('../../../src/features/status.ts')>, Texts> = {
  sendTextStatus: (context, input) =>
    postStatus(context, {
      content: { text: input.message, linkPreview: null },
      options: { backgroundColor: input.background_color, font: input.font },
    }),

  async replyStatusText(context, input) {
    const { to, info } = await statusAnswered(context, input)
    return sendLetter(context, to, { content: { text: input.message, linkPreview: null }, info })
  },
}

/** The chat with the author of a status, and the quote that makes a message in it an answer to that status. */
export async function statusAnswered(
  { session, recent }: SendContext,
  { phone, status_message_id: id }: { phone: UserIdentifier | { kind: 'broadcast'; id: string }; status_message_id: string },
) {
  const to = await resolveDestination(session, phone)
  const status = recent.get(id)
  const { remoteJid, fromMe, participant, participantAlt } = status?.key ?? {}
  const author = fromMe ? [session.sock.user?.id, session.sock.user?.lid] : [participant, participantAlt]
  const names = author.flatMap((name) => (name ? [bare(name)] : []))
  const asked = [to.jid, to.other, toJid(phone)]
  if (!status || remoteJid !== STATUS_JID || !names.some((name) => asked.includes(name))) throw new Failure('message_not_found')
  return { to, info: quote(session, to, status) }
}
