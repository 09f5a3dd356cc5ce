/** Determines the attribute `mediatype` of a message, which the network's statistics and the recipients' phones use. */
import { normalizeMessageContent, type proto } from '@whiskeysockets/baileys'

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
