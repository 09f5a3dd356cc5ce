/** Messages: how `src/features/messages.ts` is done on the wire. */
import type { proto, WAMessage, WAUrlInfo } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { toJid } from '../../../src/domain/ids.ts'
import { surroundings } from '../context-info.ts'
import { type Destination, resolveDestination } from '../destination.ts'
import { editMessage } from '../edit.ts'
import { linkPreview } from '../link-preview.ts'
import { sendPost } from '../newsletter.ts'
import { keyToRead } from '../read-key.ts'
import { sendLetter } from '../sending.ts'
import type { Session } from '../session.ts'
import { postStatus } from '../status-post.ts'
import { actionFailure } from '../translate/failures.ts'
import { bare } from '../translate/jid.ts'
import { within } from '../within.ts'
import type { Operations } from './types.ts'

const READ_DEADLINE = 20 * SECOND

export const messages: Operations<typeof import('../../../src/features/messages.ts')> = {
  async sendText(context, input) {
    const { session } = context
    const to = await resolveDestination(session, input.phone)
    if (input.edit_message_id !== undefined) return editMessage(context, to, input.edit_message_id, input.message)
    const card = input.link_preview ? await linkPreview(input.message, context.egressAllow, context.log) : null
    if (to.kind === 'newsletter') return sendPost(context, to.jid, postText(input.message, card))

    const around = await surroundings(context, to, input, input.message)
    const { quoted } = around
    if (input.private_answer && to.kind === 'group' && quoted && !quoted.key.fromMe) {
      const author = await authorOf(session, quoted)
      return sendLetter(context, author, {
        content: { text: input.message, linkPreview: card },
        info: { ...around.info, remoteJid: to.jid },
      })
    }
    const letter = { content: { text: around.text, linkPreview: card }, info: around.info }
    return to.kind === 'status' ? postStatus(context, letter) : sendLetter(context, to, letter)
  },

  async sendPresence(context, { phone, presence }) {
    const { session } = context
    const isAccountWide = presence === 'available' || presence === 'unavailable'
    // The library drops it without a word then.
    if (isAccountWide && !session.me?.name)
      throw new Failure('action_failed', { message: 'The account has no profile name yet.' })
    // Of a group nothing has to be known for it.
    const chat = async () => (phone?.kind === 'user' ? (await resolveDestination(session, phone)).jid : phone && toJid(phone))
    const to = isAccountWide ? undefined : await chat()
    await within(session, READ_DEADLINE, session.sock.sendPresenceUpdate(presence, to)).catch((error) => {
      throw actionFailure(error, 'chat_not_found')
    })
    return { value: true } as const
  },

  async readMessage(context, input) {
    const key = await keyToRead(context, input)
    const { session } = context
    await within(session, READ_DEADLINE, session.sock.readMessages([key])).catch((error) => {
      throw actionFailure(error, 'chat_not_found')
    })
    return { value: true } as const
  },
}

const postText = (text: string, card: WAUrlInfo | null): proto.IMessage =>
  card
    ? {
        extendedTextMessage: {
          text,
          matchedText: card['matched-text'],
          title: card.title,
          description: card.description ?? null,
        },
      }
    : { conversation: text }

async function authorOf(session: Session, { key }: WAMessage): Promise<Destination> {
  const author = bare(key.participant ?? '')
  const other = key.participantAlt ? bare(key.participantAlt) : await otherName(session, author)
  return { jid: author, kind: 'user', other, group: null }
}

const otherName = (session: Session, jid: string) =>
  jid.endsWith('@lid') ? session.identity.pnOf(jid) : session.identity.lidOf(jid)
