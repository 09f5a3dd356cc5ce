/** Edits a message of the account: a text gets a new text; a picture, video or document gets a new caption. */
import { normalizeMessageContent, proto, type WAUrlInfo } from '@whiskeysockets/baileys'
import { MINUTE, SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import { isViewOnce } from '../../translate/outbound/forward.ts'
import { textMessage } from '../../translate/outbound/text.ts'
import { remembered } from '../context-info.ts'
import type { Accepted, SendContext } from '../contract.ts'
import type { Destination } from '../destination.ts'
import { editPost } from '../newsletter.ts'
import { sendMessage } from '../relay.ts'
import { remembering } from '../remembering.ts'
import { changeStatus } from '../status/post.ts'

const EDIT_WINDOW = 15 * MINUTE

export interface Change {
  text: string
  info: proto.IContextInfo
  card?(): Promise<WAUrlInfo | null>
  isMeant?(content: proto.IMessage): boolean
}

export async function editMessage(context: SendContext, to: Destination, id: string, change: Change): Promise<Accepted> {
  const original = await remembered(context, id, to)
  const ageMs = context.now() - Number(original.messageTimestamp) * SECOND
  if (!original.key.fromMe) throw new Failure('not_allowed', { message: 'Only messages sent by this account can be edited.' })
  if (ageMs > EDIT_WINDOW)
    throw new Failure('not_allowed', { message: 'A message can be edited only within 15 minutes after it was sent.' })
  // A view-once message cannot be edited, because the new content would stay visible after it was viewed.
  if (isViewOnce(original.message ?? {})) throw new Failure('not_allowed', { message: 'View-once messages cannot be edited.' })
  const content = normalizeMessageContent(original.message ?? undefined) ?? {}
  if (change.isMeant?.(content) === false)
    throw new Failure('message_not_found', { message: 'The message is of another kind than its edit.' })
  const isPost = to.kind === 'newsletter'
  const editedMessage = await edited(content, change, isPost)
  const send = () => {
    if (isPost) return editPost(context, to.jid, id, editedMessage)
    const protocolMessage = {
      key: original.key,
      type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage,
      timestampMs: context.now(),
    }
    const outgoing = { content: { proto: { protocolMessage } } }
    if (to.kind === 'status') return changeStatus(context, id, outgoing)
    // The edit is sent to the jid (number or LID) to which the original message was sent.
    const chat = original.key.remoteJid ?? to.jid
    return sendMessage(context, { ...to, jid: chat, other: null }, outgoing)
  }
  return remembering(context, send, () => context.messages.edited(original, editedMessage))
}

/** Returns the new content. Rejects with `not_allowed` if the original is not a text, picture, video or document. */
async function edited(original: proto.IMessage, { text, info, card }: Change, isPost: boolean): Promise<proto.IMessage> {
  const { imageMessage, videoMessage, documentMessage, conversation, extendedTextMessage } = original
  const contextInfo = mentionsOf(info)
  const changed = { caption: text, contextInfo }
  if (imageMessage) return { imageMessage: { ...imageMessage, ...changed } }
  if (videoMessage) return { videoMessage: { ...videoMessage, ...changed } }
  if (documentMessage) {
    const file = { documentMessage: { ...documentMessage, ...changed } }
    return isPost ? file : { documentWithCaptionMessage: { message: file } }
  }
  if (typeof conversation !== 'string' && !extendedTextMessage)
    throw new Failure('not_allowed', { message: 'A message of this kind cannot be edited.' })
  const written = textMessage(text, (await card?.()) ?? null)
  if (isPost) return written
  return {
    extendedTextMessage: {
      text,
      ...looksOf(extendedTextMessage),
      ...written.extendedTextMessage,
      ...(contextInfo ? { contextInfo } : {}),
    },
  }
}

/** Colors and font of a status post, which an edit of the text does not change. */
function looksOf(original: proto.Message.IExtendedTextMessage | null | undefined): proto.Message.IExtendedTextMessage {
  const { backgroundArgb, textArgb, font } = original ?? {}
  return { ...(backgroundArgb ? { backgroundArgb } : {}), ...(textArgb ? { textArgb } : {}), ...(font ? { font } : {}) }
}

export const mentionsOf = ({ mentionedJid, nonJidMentions }: proto.IContextInfo): proto.IContextInfo | null =>
  mentionedJid ? { mentionedJid, ...(nonJidMentions ? { nonJidMentions } : {}) } : null
