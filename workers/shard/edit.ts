/** Another text for an own message: a text gets it as its text, a picture, film or document as its caption. */
import { normalizeMessageContent, proto } from '@whiskeysockets/baileys'
import { MINUTE, SECOND } from '../../src/domain/clock.ts'
import { Failure } from '../../src/domain/failures.ts'
import { remembered } from './context-info.ts'
import type { Destination } from './destination.ts'
import { editPost } from './newsletter.ts'
import type { Accepted, SendContext } from './operations/types.ts'
import { sendLetter } from './sending.ts'

/** An own message can be edited this long. */
const EDIT_WINDOW = 15 * MINUTE

export function editMessage(context: SendContext, to: Destination, id: string, text: string): Promise<Accepted> {
  const original = remembered(context, id, to)
  const ageMs = context.now() - Number(original.messageTimestamp) * SECOND
  if (!original.key.fromMe) throw new Failure('not_allowed', { message: 'Only own messages can be edited.' })
  if (ageMs > EDIT_WINDOW) throw new Failure('not_allowed', { message: 'A message can be edited for 15 minutes.' })
  const isPost = to.kind === 'newsletter'
  const editedMessage = edited(original.message ?? {}, text, isPost)
  if (isPost) return editPost(context, to.jid, id, editedMessage)
  const protocolMessage = {
    key: original.key,
    type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage,
    timestampMs: context.now(),
  }
  // The target keeps the namespace it was sent in.
  const chat = original.key.remoteJid ?? to.jid
  return sendLetter(context, { ...to, jid: chat, other: null }, { content: { proto: { protocolMessage } } })
}

function edited(original: proto.IMessage, text: string, isPost: boolean): proto.IMessage {
  const { imageMessage, videoMessage, documentMessage } = normalizeMessageContent(original) ?? {}
  const changed = { caption: text, contextInfo: null }
  if (imageMessage) return { imageMessage: { ...imageMessage, ...changed } }
  if (videoMessage) return { videoMessage: { ...videoMessage, ...changed } }
  if (!documentMessage) return isPost ? { conversation: text } : { extendedTextMessage: { text } }
  const file = { documentMessage: { ...documentMessage, ...changed } }
  return isPost ? file : { documentWithCaptionMessage: { message: file } }
}
