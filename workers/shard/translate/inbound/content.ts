/** What is inside the wrappers: the content field of a message that carries what a person wrote or did. */
import type { proto } from '@whiskeysockets/baileys'

type Content = proto.IMessage
type Field = keyof Content

/** Wrappers carry another message in `.message`; nested at most this deep, so that a hostile message cannot make us loop. */
const MAX_DEPTH = 8
const WRAPPERS = [
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
  'pollCreationMessageV4',
  'eventCoverImage',
] as const satisfies readonly Field[]

/** Fields that travel beside the content or are the network's own business; none of them is reported. */
const SILENT = new Set<Field>([
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'protocolMessage',
  'albumMessage',
  'keepInChatMessage',
])

export interface Unwrapped {
  field: Field
  message: Content
  viewOnce: boolean
}

/** The content field of a message, or null when there is nothing to report. */
export function unwrap(message: Content): Unwrapped | null {
  let inner = message
  let viewOnce = false
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const wrapper = WRAPPERS.find((name) => inner[name]?.message)
    if (!wrapper) break
    viewOnce ||= wrapper.startsWith('viewOnce')
    inner = inner[wrapper]!.message!
  }
  const field = (Object.keys(inner) as Field[]).find(
    (name) => !SILENT.has(name) && inner[name] !== null && inner[name] !== undefined,
  )
  return field === undefined ? null : { field, message: inner, viewOnce }
}

/** Quote, mentions, forwarding and expiry stand in the content's own `contextInfo`. */
export function contextInfo({ field, message }: Unwrapped): proto.IContextInfo | null {
  const content = message[field]
  if (typeof content !== 'object' || content === null || !('contextInfo' in content)) return null
  return (content.contextInfo as proto.IContextInfo | null | undefined) ?? null
}
