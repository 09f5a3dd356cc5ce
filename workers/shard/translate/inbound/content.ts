/** Unwraps a message: finds the field with the content that a person wrote, or the action that a person made. */
import type { proto } from '@whiskeysockets/baileys'

export type Content = proto.IMessage
export type Field = keyof Content

/** Limit of nested wrappers, so that a hostile message cannot keep the thread busy. */
export const MAX_DEPTH = 8
/** Fields with another message in `.message`, which is the content. */
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

/**
 * Fields that cause no event, each with the reason: the first three accompany other content, and clients exchange the others only among themselves.
 */
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
  /** Context with the secret, the timer and the album of the message. It is beside the content, or beside one of the wrappers. */
  aside: proto.IMessageContextInfo
}

/** Finds the content field of a message; null if there is nothing to report. */
export function unwrap(message: Content): Unwrapped | null {
  let inner = message
  let viewOnce = false
  let aside: proto.IMessageContextInfo = { ...message.messageContextInfo }
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const wrapper = WRAPPERS.find((name) => inner[name]?.message)
    if (!wrapper) break
    viewOnce ||= wrapper.startsWith('viewOnce')
    inner = inner[wrapper]!.message!
    // The network delivered the outer fields, so they take precedence; the inner fields only complete them.
    aside = { ...inner.messageContextInfo, ...aside }
  }
  // An empty `conversation` is not a text message: clients add it to other content, and without other content it has no meaning.
  const field = (Object.keys(inner) as Field[]).find(
    (name) => !(name in NOT_REPORTED) && inner[name] !== null && inner[name] !== undefined && inner[name] !== '',
  )
  return field === undefined ? null : { field, message: inner, viewOnce: viewOnce || isOnce(inner, field), aside }
}

/** Whether a content is view once. Some clients omit the wrapper and set `viewOnce` on the media itself. */
function isOnce(message: Content, field: Field): boolean {
  const content = message[field]
  return typeof content === 'object' && content !== null && 'viewOnce' in content && content.viewOnce === true
}

/** Returns the content's own `contextInfo`, with quote, mentions, forwarding and timer; a template may have it in its content. */
export function contextInfo({ field, message }: Pick<Unwrapped, 'field' | 'message'>): proto.IContextInfo | null {
  return infoOf(message[field]) ?? infoOf(field === 'templateMessage' && message.templateMessage?.interactiveMessageTemplate)
}

function infoOf(content: unknown): proto.IContextInfo | null {
  if (typeof content !== 'object' || content === null || !('contextInfo' in content)) return null
  return (content.contextInfo as proto.IContextInfo | null | undefined) ?? null
}

/** Contents that only change or accompany another message: they do not count as activity in the chat. */
const QUIET = new Set<Field>([
  'protocolMessage',
  'reactionMessage',
  'encReactionMessage',
  'pollUpdateMessage',
  'secretEncryptedMessage',
  'encEventResponseMessage',
  'pinInChatMessage',
])

/**
 * Whether a message shows that its author is there: also a vote, a reaction or an answer to an event, but no protocol message, for example a deletion.
 */
export function isSignOfLife(message: Content): boolean {
  const content = unwrap(message)
  return content !== null && content.field !== 'protocolMessage'
}

export function saysSomething(message: Content): boolean {
  const content = unwrap(message)
  return content !== null && !QUIET.has(content.field)
}
