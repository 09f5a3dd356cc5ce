import type { WAMessage } from '@whiskeysockets/baileys'
import { STATUS_BACKGROUND, STATUS_FONT } from '../../../../src/domain/status-text.ts'
import type { Session } from '../../chats/session.ts'
import { editMessage } from '../../send/compose/edit.ts'
import { linkPreview } from '../../send/compose/link-preview.ts'
import { quote, surroundings } from '../../send/context-info.ts'
import { type Destination, resolveDestination } from '../../send/destination.ts'
import { sendPost } from '../../send/newsletter.ts'
import { sendMessage } from '../../send/relay.ts'
import { postStatus } from '../../send/status/post.ts'
import { textMessage } from '../../translate/outbound/text.ts'
import { bare } from '../../wire/jid.ts'
import type { Handlers } from '../types.ts'

/** The default options of `send-text-status`, so that a text which `send-text` posts to the status looks the same. */
const PLAIN_STATUS = { backgroundColor: STATUS_BACKGROUND, font: STATUS_FONT }

export const text: Handlers<typeof import('../../../../src/features/send/text.ts')> = {
  async 'send.sendText'(context, input) {
    const { session } = context
    const to = await resolveDestination(context, input.phone)
    const cardOf = async () => (input.link_preview ? linkPreview(input.message, context.egressAllow, context.log) : null)
    if (input.edit_message_id !== undefined) {
      const { reply_to_message_id: _, ...named } = input
      const { text, info } = await surroundings(context, to, named, input.message)
      return editMessage(context, to, input.edit_message_id, { text, info, card: cardOf })
    }
    const card = await cardOf()
    if (to.kind === 'newsletter')
      return sendPost(context, to.jid, textMessage(input.message, card), card ? { mediaType: 'url' } : {})

    const around = await surroundings(context, to, input, input.message)
    const { quoted } = around
    if (input.private_answer && to.kind === 'group' && quoted && !quoted.key.fromMe) {
      const author = await authorOf(session, quoted)
      // This answer goes to the 1:1 chat with the author, where the mentions and the timer of the group do not
      // apply.
      const { text, info } = await surroundings(context, author, { mentions: input.mentions }, input.message)
      return sendMessage(context, author, {
        content: { text, linkPreview: card },
        info: { ...quote(session, author, quoted), ...info },
      })
    }
    const outgoing = { content: { text: around.text, linkPreview: card }, info: around.info }
    return to.kind === 'status' ? postStatus(context, { ...outgoing, options: PLAIN_STATUS }) : sendMessage(context, to, outgoing)
  },
}

async function authorOf(session: Session, { key }: WAMessage): Promise<Destination> {
  const author = bare(key.participant ?? '')
  const other = key.participantAlt ? bare(key.participantAlt) : await otherName(session, author)
  return { jid: author, kind: 'user', other, group: null }
}

const otherName = (session: Session, jid: string) =>
  jid.endsWith('@lid') ? session.identity.pnOf(jid) : session.identity.lidOf(jid)
