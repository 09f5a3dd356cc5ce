import { randomBytes } from 'node:crypto'
import { normalizeMessageContent, type proto } from '@whiskeysockets/baileys'
import type { Accepted, SendContext } from '../send/contract.ts'
import type { Destination } from '../send/destination.ts'
import { sendPost } from '../send/newsletter.ts'
import { sendMessage } from '../send/relay.ts'
import { postStatus } from '../send/status/post.ts'
import type { Uploaded } from './upload.ts'

export interface OutgoingMedia {
  content: proto.IMessage
  info: proto.IContextInfo
}

/**
 * Size in bytes of a message's secret. The secret encrypts later messages about the message (votes, edits, reports).
 */
const SECRET_BYTES = 32

export function sendMedia(context: SendContext, to: Destination, { content, info }: OutgoingMedia): Promise<Accepted> {
  // A post of a channel has no wrapper, no quote and no secret.
  if (to.kind === 'newsletter') {
    const { content: plain, handle } = withoutHandle(normalizeMessageContent(content) ?? content)
    const attributes = handle ? { attributes: { media_id: handle } } : {}
    return sendPost(context, to.jid, plain, { mediaType: mediaType(plain), ...attributes })
  }
  const message = { ...content, messageContextInfo: { messageSecret: randomBytes(SECRET_BYTES) } }
  const outgoing = { content: { proto: message }, info }
  return to.kind === 'status' ? postStatus(context, outgoing) : sendMessage(context, to, outgoing)
}

/** Separates the handle of an upload from the content, because it is not a field of the message. */
function withoutHandle(content: proto.IMessage): { content: proto.IMessage; handle: string | undefined } {
  const [[field, medium] = ['', {}]] = Object.entries(content).filter(([, value]) => value?.directPath)
  const { handle, ...fields } = medium as Pick<Uploaded, 'handle'>
  return field ? { content: { ...content, [field]: fields }, handle } : { content, handle: undefined }
}

function mediaType({ imageMessage, videoMessage, ptvMessage, audioMessage, stickerMessage }: proto.IMessage): string {
  if (imageMessage) return 'image'
  if (videoMessage) return videoMessage.gifPlayback ? 'gif' : 'video'
  if (ptvMessage) return 'ptv'
  if (audioMessage) return audioMessage.ptt ? 'ptt' : 'audio'
  return stickerMessage ? 'sticker' : 'document'
}
