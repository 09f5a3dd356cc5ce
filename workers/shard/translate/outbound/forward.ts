/**
 * Copies a message for another chat. Baileys' function also copies the secret of the original, so that everybody who
 * has the original could send encrypted answers to the copy.
 */
import { randomBytes } from 'node:crypto'
import { getContentType, normalizeMessageContent, proto } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'

type Field = keyof proto.IMessage

/** Fields that are not forwarded: they are not content, or are valid only in their own chat. */
const NOT_FORWARDED = new Set<Field>([
  'liveLocationMessage',
  'reactionMessage',
  'encReactionMessage',
  'pollUpdateMessage',
  'pollResultSnapshotMessage',
  'protocolMessage',
  'pinInChatMessage',
  'keepInChatMessage',
  'secretEncryptedMessage',
  'encEventResponseMessage',
  'encCommentMessage',
  'commentMessage',
  'sendPaymentMessage',
  'requestPaymentMessage',
  'declinePaymentRequestMessage',
  'cancelPaymentRequestMessage',
  'paymentInviteMessage',
  'invoiceMessage',
])
const SECRET_BYTES = 32

/**
 * Whether a message can be viewed only once. Its view-once wrapper may be inside a wrapper for disappearing messages.
 */
export function isViewOnce(message: proto.IMessage): boolean {
  const content = message.ephemeralMessage?.message ?? message
  return (
    Boolean(content.viewOnceMessage ?? content.viewOnceMessageV2 ?? content.viewOnceMessageV2Extension) ||
    Boolean(content.imageMessage?.viewOnce ?? content.videoMessage?.viewOnce ?? content.audioMessage?.viewOnce)
  )
}

export const wordsOf = ({ extendedTextMessage, ...content }: proto.IMessage): string =>
  extendedTextMessage?.text ?? captioned(content)?.caption ?? ''

export function withWords(content: proto.IMessage, text: string): proto.IMessage {
  if (text === wordsOf(content)) return content
  const { extendedTextMessage } = content
  if (extendedTextMessage) return { ...content, extendedTextMessage: { ...extendedTextMessage, text } }
  const field = CAPTIONED.find((name) => content[name])
  return field ? { ...content, [field]: { ...content[field], caption: text } } : content
}

const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const

const captioned = (content: proto.IMessage) => CAPTIONED.map((name) => content[name]).find(Boolean)

/** Returns a copy of the content for another chat. Throws `not_allowed` for content that cannot be forwarded. */
export function forwarded(message: proto.IMessage): proto.IMessage {
  const inner = normalizeMessageContent(message)
  const field = inner && (getContentType(inner) as Field | undefined)
  if (!inner || !field || NOT_FORWARDED.has(field) || isViewOnce(message))
    throw new Failure('not_allowed', { message: 'A message of this kind cannot be forwarded.' })
  const copy = proto.Message.decode(proto.Message.encode({ [field]: inner[field] }).finish())
  const content =
    field === 'conversation' ? { extendedTextMessage: { text: copy.conversation } } : ({ [field]: copy[field] } as proto.IMessage)
  const holder = Object.values(content)[0] as { contextInfo?: proto.IContextInfo | null }
  holder.contextInfo = { isForwarded: true, forwardingScore: (holder.contextInfo?.forwardingScore ?? 0) + 1 }
  return { ...content, messageContextInfo: { messageSecret: randomBytes(SECRET_BYTES) } }
}
