/** Reads a post of a channel: the object of the API for lists, and the message that later operations find by its id. */
import { proto, type WAMessage } from '@whiskeysockets/baileys'
import type { ReplyOfEndpoint } from '../../../../src/features/endpoint.ts'
import { type Content, type Field, unwrap } from '../../translate/inbound/content.ts'
import { cut, cutOrNull, idOrEmpty, secondsToIso } from '../../wire/bounds.ts'
import type { Post } from '../../wire/newsletters.ts'

type Posts = ReplyOfEndpoint<typeof import('../../../../src/features/newsletters/newsletters.ts').messages>
type PostObject = Posts['data'][number]

const MAX_TEXT = 65_536

const TYPES: Partial<Record<Field, PostObject['type']>> = {
  conversation: 'text',
  extendedTextMessage: 'text',
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
  pollCreationMessage: 'poll',
  pollCreationMessageV2: 'poll',
  pollCreationMessageV3: 'poll',
  pollCreationMessageV5: 'poll',
}

export interface ReadPost {
  shown: PostObject
  /** Null if the post cannot be decoded or has no id. */
  message: WAMessage | null
}

/** Returns null if the post was deleted. A post without an id gets its server id as `message_id`. */
export function readPost(newsletter: string, { id, serverId, at, isOwn, content }: Post): ReadPost | null {
  if (content === null) return null
  const message = decoded(content)
  const shown = {
    message_id: idOrEmpty(id ?? serverId),
    server_id: cut(serverId, 32),
    ...contentOf(message),
    sent_at: secondsToIso(at) ?? new Date(0).toISOString(),
  }
  if (message === null || id === null) return { shown, message: null }
  const key = { remoteJid: newsletter, id, fromMe: isOwn, server_id: serverId }
  return { shown, message: { key, message, messageTimestamp: at } as WAMessage }
}

function decoded(bytes: Uint8Array): Content | null {
  try {
    const message = proto.Message.decode(bytes)
    return message.protocolMessage?.editedMessage ?? message
  } catch {
    // A post that cannot be decoded is still listed, without content.
    return null
  }
}

function contentOf(message: Content | null): Pick<PostObject, 'type' | 'text'> {
  const unwrapped = message && unwrap(message)
  if (unwrapped === null) return { type: 'unknown', text: null }
  const { field, message: inner } = unwrapped
  return { type: TYPES[field] ?? 'unknown', text: cutOrNull(textIn(inner[field]), MAX_TEXT) }
}

function textIn(content: unknown): string | null {
  if (typeof content === 'string') return content
  const { text, caption } = (content ?? {}) as { text?: unknown; caption?: unknown }
  return typeof text === 'string' ? text : typeof caption === 'string' ? caption : null
}
