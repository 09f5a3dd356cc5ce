/**
 * Corrects `mediatype`, which the network counts and the recipients' phones use for scheduling. The library reads it only from the outermost message
 * (Socket/messages-send.js, getMediaType), so view-once messages and documents with a caption are sent without one. Here the relayed message gets a
 * prototype that exposes the inner field. It is encoded from its own fields, so the encrypted content stays the same.
 */
import { getContentType, normalizeMessageContent, proto } from '@whiskeysockets/baileys'

export function withMediaType(message: proto.IMessage): proto.IMessage {
  const inner = normalizeMessageContent(message)
  const field = getContentType(inner)
  if (!inner || !field || inner === message || field in Object(message) === false || message[field]) return message
  const hint = Object.create(proto.Message.prototype, { [field]: { value: inner[field] } }) as proto.IMessage
  return Object.assign(Object.create(hint), message)
}

/**
 * Returns the type of the inner content by the library's own table (getMediaType), for resends without the library.
 * `withMediaType` exposes the same type; undefined if there is none.
 */
export function mediaTypeOf(message: proto.IMessage): string | undefined {
  const content = normalizeMessageContent(message) ?? {}
  if (content.videoMessage) return content.videoMessage.gifPlayback ? 'gif' : 'video'
  if (content.audioMessage) return content.audioMessage.ptt ? 'ptt' : 'audio'
  return MEDIA_TYPES.find(([field]) => content[field])?.[1]
}

const MEDIA_TYPES = [
  ['imageMessage', 'image'],
  ['contactMessage', 'vcard'],
  ['documentMessage', 'document'],
  ['contactsArrayMessage', 'contact_array'],
  ['liveLocationMessage', 'livelocation'],
  ['stickerMessage', 'sticker'],
  ['listMessage', 'list'],
  ['listResponseMessage', 'list_response'],
  ['buttonsResponseMessage', 'buttons_response'],
  ['orderMessage', 'order'],
  ['productMessage', 'product'],
  ['interactiveResponseMessage', 'native_flow_response'],
  ['groupInviteMessage', 'url'],
] as const satisfies readonly (readonly [keyof proto.IMessage, string])[]
