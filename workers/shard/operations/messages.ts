/** Messages: how `src/features/messages.ts` is done on the wire. */
import type { proto, WAMessage, WAMessageKey, WAUrlInfo } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { type Identifier, toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import { isOf, surroundings } from '../context-info.ts'
import { type Destination, resolveDestination } from '../destination.ts'
import { editMessage } from '../edit.ts'
import { linkPreview } from '../link-preview.ts'
import { sendPost } from '../newsletter.ts'
import { sendLetter } from '../sending.ts'
import type { Session } from '../session.ts'
import { postStatus } from '../status-post.ts'
import { actionFailure } from '../translate/failures.ts'
import { bare } from '../translate/jid.ts'
import { within } from '../within.ts'
import type { ActionContext, Operations } from './types.ts'

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
    const to = isAccountWide || !phone ? undefined : (await resolveDestination(session, phone)).jid
    await within(session, READ_DEADLINE, session.sock.sendPresenceUpdate(presence, to)).catch((error) => {
      throw actionFailure(error, 'chat_not_found')
    })
    return { value: true } as const
  },

  async readMessage(context, input) {
    const key = keyToRead(context, toJid(input.phone), input)
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

/** The receipt must go to the jid the message came from, so the remembered key comes first. */
function keyToRead(
  { recent }: ActionContext,
  chat: string,
  input: { phone: Identifier; message_id: string; participant?: UserIdentifier | undefined },
): WAMessageKey {
  const known = recent.get(input.message_id, isOf({ jid: chat, other: null }))
  if (known) return known.key
  if (recent.get(input.message_id, () => true)) throw new Failure('message_not_found')
  if (input.phone.kind === 'user') return { remoteJid: chat, id: input.message_id, fromMe: false }
  if (!input.participant) throw new Failure('message_not_found')
  return { remoteJid: chat, id: input.message_id, fromMe: false, participant: toJid(input.participant) }
}
