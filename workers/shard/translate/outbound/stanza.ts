/**
 * What a stanza says about its content: `type`, `edit` and `meta`. The library knows some of it inside `sendMessage` only, and calls
 * places, round videos and what is sealed about events `text` (shared/api/messages.md 1.6 and 2, status-and-events.md 2).
 */
import { type BinaryNode, normalizeMessageContent, proto } from '@whiskeysockets/baileys'

export interface StanzaMarks {
  attributes: Record<string, string>
  nodes: BinaryNode[]
}

const { Type } = proto.Message.ProtocolMessage
const { SecretEncType } = proto.Message.SecretEncryptedMessage

export const EDIT = { edit: '1', pin: '2', post: '3', ownRemoval: '7', adminRemoval: '8' } as const

const marks = (attributes: Record<string, string>, meta?: Record<string, string>): StanzaMarks => ({
  attributes,
  nodes: meta ? [{ tag: 'meta', attrs: meta }] : [],
})

/** Only what the library leaves out or gets wrong; an admin's removal is told from an own one by whoever sends it. */
export function stanzaMarks(message: proto.IMessage): StanzaMarks {
  const content = normalizeMessageContent(message) ?? {}
  if (content.locationMessage || content.liveLocationMessage || content.ptvMessage) return marks({ type: 'media' })
  if (pollOf(content)) return marks({ type: 'poll' }, { polltype: 'creation' })
  if (content.pollUpdateMessage) return marks({ type: 'poll' }, { polltype: 'vote' })
  if (content.eventMessage) return marks({ type: 'event' }, { event_type: 'creation' })
  if (content.encEventResponseMessage) return marks({ type: 'event' }, { event_type: 'response' })
  if (content.secretEncryptedMessage?.secretEncType === SecretEncType.EVENT_EDIT)
    return marks({ type: 'event', edit: EDIT.edit }, { event_type: 'edit' })
  if (content.pinInChatMessage) return marks({ edit: EDIT.pin })
  if (content.reactionMessage?.text === '') return marks({ edit: EDIT.ownRemoval })
  if (content.protocolMessage?.type === Type.REVOKE) return marks({ edit: EDIT.ownRemoval })
  if (content.protocolMessage?.type === Type.MESSAGE_EDIT) return marks({ edit: EDIT.edit })
  return marks({})
}

/** A poll under whichever name its kind has. */
export const pollOf = (content: proto.IMessage): proto.Message.IPollCreationMessage | undefined =>
  content.pollCreationMessageV3 ??
  content.pollCreationMessageV2 ??
  content.pollCreationMessage ??
  content.pollCreationMessageV5 ??
  content.pollCreationMessageV4?.message?.pollCreationMessage ??
  undefined
