import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import type { Composed } from './composed.ts'
import type { MediaKind } from './media.ts'

export interface Description {
  kind: string
  /** The part that a reader sees first: a text, caption, emoji, question or name. */
  text: string | null
  /** Facts about the media, as the message states them. */
  media: { mime: string; bytes: number; sha256: string } | null
}

const ENVELOPES = [
  'deviceSentMessage',
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'editedMessage',
  'groupMentionedMessage',
  'botInvokeMessage',
  'lottieStickerMessage',
  'eventCoverImage',
  'pollCreationMessageV4',
  'associatedChildMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
  'questionMessage',
  'questionReplyMessage',
  'statusAddYours',
  'botTaskMessage',
] as const satisfies readonly (keyof proto.IMessage)[]

const ASIDE = new Set(['messageContextInfo', 'senderKeyDistributionMessage', 'fastRatchetKeySenderKeyDistributionMessage'])

export function unwrap(message: proto.IMessage): proto.IMessage {
  for (const envelope of ENVELOPES) {
    const inner = message[envelope]?.message
    if (inner) return unwrap(inner)
  }
  return message
}

export function contentOf(message: proto.IMessage): { name: string; content: Content } | undefined {
  const entries = Object.entries(unwrap(message))
  const found = entries.find(([name, value]) => !ASIDE.has(name) && value !== null && value !== undefined)
  return found && { name: found[0], content: typeof found[1] === 'object' ? found[1] : { text: String(found[1]) } }
}

/** Fields that the code below reads. Each kind of content has some of them. */
interface Content {
  text?: string | null
  caption?: string | null
  name?: string | null
  displayName?: string | null
  selectedDisplayText?: string | null
  title?: string | null
  body?: string | { text?: string | null } | null
  mimetype?: string | null
  fileSha256?: Uint8Array | null
  fileLength?: unknown
}

const KINDS: Record<string, string> = {
  conversation: 'text',
  extendedTextMessage: 'text',
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'ptv',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
  locationMessage: 'location',
  liveLocationMessage: 'live_location',
  contactMessage: 'contact',
  contactsArrayMessage: 'contacts',
  reactionMessage: 'reaction',
  encReactionMessage: 'reaction',
  pollCreationMessage: 'poll',
  pollCreationMessageV2: 'poll',
  pollCreationMessageV3: 'poll',
  pollCreationMessageV5: 'poll',
  pollUpdateMessage: 'poll_vote',
  eventMessage: 'event',
  encEventResponseMessage: 'event_response',
  pinInChatMessage: 'pin',
  secretEncryptedMessage: 'edit',
  encCommentMessage: 'comment',
  buttonsMessage: 'buttons',
  templateMessage: 'template',
  interactiveMessage: 'interactive',
  listMessage: 'list',
  buttonsResponseMessage: 'button',
  templateButtonReplyMessage: 'button',
  interactiveResponseMessage: 'button',
  listResponseMessage: 'list_row',
  orderMessage: 'order',
  productMessage: 'product',
  groupInviteMessage: 'group_invite',
  newsletterAdminInviteMessage: 'newsletter_admin_invite',
}

export function describe(message: proto.IMessage): Description {
  const found = contentOf(message)
  if (!found) return { kind: 'empty', text: null, media: null }
  const { protocolMessage } = unwrap(message)
  if (protocolMessage) return describeProtocol(protocolMessage)
  return { kind: KINDS[found.name] ?? found.name, text: textOf(found.content), media: mediaOf(found.content) }
}

function describeProtocol(message: proto.Message.IProtocolMessage): Description {
  const { Type } = proto.Message.ProtocolMessage
  if (message.type === Type.REVOKE) return { kind: 'revoke', text: null, media: null }
  if (message.type === Type.MESSAGE_EDIT) return { ...describe(message.editedMessage ?? {}), kind: 'edit' }
  return { kind: `protocol_${(Type[message.type ?? 0] ?? 'unknown').toLowerCase()}`, text: null, media: null }
}

function textOf(content: Content): string | null {
  const body = typeof content.body === 'string' ? content.body : content.body?.text
  const { text, caption, name, displayName, selectedDisplayText, title } = content
  return text ?? caption ?? name ?? displayName ?? selectedDisplayText ?? body ?? title ?? null
}

function mediaOf({ mimetype, fileSha256, fileLength }: Content): Description['media'] {
  if (!fileSha256 || fileLength === undefined) return null
  return { mime: mimetype ?? '', bytes: Number(fileLength), sha256: Buffer.from(fileSha256).toString('hex') }
}

const MEDIA_KINDS: Record<string, MediaKind> = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'ptv',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}

/** Returns the address of a message's media, and the key that decrypts them. */
export function mediaSource(
  message: proto.IMessage,
): { kind: MediaKind; directPath: string; mediaKey: Uint8Array; sha256: Uint8Array } | undefined {
  const found = contentOf(message)
  const kind = found && MEDIA_KINDS[found.name]
  if (!kind) return undefined
  const { directPath, mediaKey, fileSha256 } = found.content as proto.Message.IImageMessage
  return directPath && mediaKey?.length && fileSha256 ? { kind, directPath, mediaKey, sha256: fileSha256 } : undefined
}

/** Returns the attributes of the stanza for a message that is given as a protobuf. */
export function stanzaOf(message: proto.IMessage): Omit<Composed, 'message'> {
  const { kind } = describe(message)
  const name = contentOf(message)?.name ?? ''
  if (kind === 'reaction') return { type: 'reaction' }
  if (kind === 'poll' || kind === 'poll_vote') return { type: 'poll', meta: { polltype: kind === 'poll' ? 'creation' : 'vote' } }
  if (kind === 'event' || kind === 'event_response')
    return { type: 'event', meta: { event_type: kind === 'event' ? 'creation' : 'response' } }
  if (kind === 'pin') return { type: 'text', edit: '2' }
  if (kind === 'edit') return { type: 'text', edit: '1' }
  if (kind === 'revoke') return { type: 'text', edit: message.protocolMessage?.key?.fromMe === false ? '8' : '7' }
  return MEDIA_KINDS[name] ? { type: 'media', mediaType: MEDIA_KINDS[name] } : { type: 'text' }
}
