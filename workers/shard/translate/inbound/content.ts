import type { proto } from '@whiskeysockets/baileys'

export type Content = proto.IMessage
export type Field = keyof Content

/**
 * Maximum number of nested wrappers that are opened. Without this limit, a malicious message could keep the thread
 * busy.
 */
export const MAX_DEPTH = 8
export const WRAPPERS = [
  'deviceSentMessage',
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'editedMessage',
  'associatedChildMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
  'lottieStickerMessage',
  'groupMentionedMessage',
  'botInvokeMessage',
  'botForwardedMessage',
  'pollCreationMessageV4',
  'pollCreationOptionImageMessage',
  'eventCoverImage',
  'questionMessage',
  'questionReplyMessage',
  'statusAddYours',
  'botTaskMessage',
] as const satisfies readonly Field[]

/** Fields that cause no event, each with the reason. */
export const NOT_REPORTED = {
  messageContextInfo: 'secret, duration and association of the content beside it',
  senderKeyDistributionMessage: 'key of the sender for this group',
  fastRatchetKeySenderKeyDistributionMessage: 'key of the sender for this group',
  albumMessage: 'header of an album, whose pictures are reported one by one',
  keepInChatMessage: 'request to keep a disappearing message',
  messageHistoryNotice: 'notice that a member of the group shares its history with a new one',
  messageHistoryBundle: 'file with that history, for the new member alone',
  stickerSyncRmrMessage: 'request for stickers between clients',
} as const satisfies Partial<Record<Field, string>>

export interface Unwrapped {
  field: Field
  message: Content
  viewOnce: boolean
  /**
   * Secret, timer and album of the message. They are in the object that contains the content, or in a wrapper around
   * it.
   */
  aside: proto.IMessageContextInfo
}

export function unwrap(message: Content): Unwrapped | null {
  let inner = message
  let viewOnce = false
  let aside: proto.IMessageContextInfo = { ...message.messageContextInfo }
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const wrapper = WRAPPERS.find((name) => inner[name]?.message)
    if (!wrapper) break
    viewOnce ||= wrapper.startsWith('viewOnce')
    inner = inner[wrapper]!.message!
    // The network delivered the outer fields, so the inner message only adds fields that are absent there.
    aside = { ...inner.messageContextInfo, ...aside }
  }
  // Some clients add an empty `conversation` to other content. This field is not the content of the message, so it is
  // skipped.
  const field = (Object.keys(inner) as Field[]).find(
    (name) => !(name in NOT_REPORTED) && inner[name] !== null && inner[name] !== undefined && inner[name] !== '',
  )
  return field === undefined ? null : { field, message: inner, viewOnce: viewOnce || isOnce(inner, field), aside }
}

/** Whether the media itself is marked as view once. Some clients set `viewOnce` there and omit the wrapper. */
function isOnce(message: Content, field: Field): boolean {
  const content = message[field]
  return typeof content === 'object' && content !== null && 'viewOnce' in content && content.viewOnce === true
}

/**
 * Returns the quote, the mentions, the forwarding and the timer of a message. In a template they may be in the inner
 * content.
 */
export function contextInfo({ field, message }: Pick<Unwrapped, 'field' | 'message'>): proto.IContextInfo | null {
  return infoOf(message[field]) ?? infoOf(field === 'templateMessage' && message.templateMessage?.interactiveMessageTemplate)
}

function infoOf(content: unknown): proto.IContextInfo | null {
  if (typeof content !== 'object' || content === null || !('contextInfo' in content)) return null
  return (content.contextInfo as proto.IContextInfo | null | undefined) ?? null
}

/**
 * Fields for content that only changes another message or belongs to it. Such content does not count as activity in the
 * chat.
 */
const QUIET = new Set<Field>([
  'protocolMessage',
  'reactionMessage',
  'encReactionMessage',
  'pollUpdateMessage',
  'secretEncryptedMessage',
  'encEventResponseMessage',
  'pinInChatMessage',
])

/** Whether a message shows that its author is active. Protocol messages, such as deletions, do not. */
export function isSignOfLife(message: Content): boolean {
  const content = unwrap(message)
  return content !== null && content.field !== 'protocolMessage'
}

export function saysSomething(message: Content): boolean {
  const content = unwrap(message)
  return content !== null && !QUIET.has(content.field)
}
