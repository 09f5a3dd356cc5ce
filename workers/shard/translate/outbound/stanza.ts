/**
 * Determines the attributes and nodes of a stanza from its content. Baileys sets some of them only in `sendMessage`,
 * and sets others wrong.
 */
import { type BinaryNode, type GroupMetadata, isLidUser, isPnUser, normalizeMessageContent, proto } from '@whiskeysockets/baileys'
import { bare, chatKind } from '../../wire/jid.ts'
import { metaNode } from '../../wire/message-nodes.ts'
import { mediaTypeOf } from './media-type.ts'

export interface StanzaMarks {
  attributes: Record<string, string>
  nodes: BinaryNode[]
}

/** A stanza without the parts for single devices, so that it can be sent again to one device. */
export interface Stanza {
  to: string
  attributes: Record<string, string>
  enc: Record<string, string>
  nodes: BinaryNode[]
  /** The person's other jid (number or LID), which is used once if the network refuses the first one. */
  other?: string
  /** Id that the network gave to a channel post; reactions need it. */
  serverId?: string
}

const { Type } = proto.Message.ProtocolMessage
const { SecretEncType } = proto.Message.SecretEncryptedMessage

export const EDIT = { edit: '1', pin: '2', post: '3', ownRemoval: '7', adminRemoval: '8' } as const

const marks = (attributes: Record<string, string>, meta?: Record<string, string>): StanzaMarks => ({
  attributes,
  nodes: meta ? [metaNode(meta)] : [],
})

/**
 * Returns the attributes and nodes that follow from the content. If an administrator deletes a message of another
 * person, the caller must replace `edit`.
 */
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

/**
 * Whether the stanza changes an earlier post. The network stores an edit, removal or reaction under the id of the post.
 */
export const isPostChange = ({ to, attributes }: Stanza): boolean =>
  chatKind(to) === 'newsletter' && (attributes.edit !== undefined || attributes.type === POST_REACTION)

export const POST_REACTION = 'reaction'

export const pollOf = (content: proto.IMessage): proto.Message.IPollCreationMessage | undefined =>
  content.pollCreationMessageV3 ??
  content.pollCreationMessageV2 ??
  content.pollCreationMessage ??
  content.pollCreationMessageV5 ??
  content.pollCreationMessageV4?.message?.pollCreationMessage ??
  undefined

/** Builds the stanza of a message: its attributes and nodes, and the attributes for groups. */
export function stanzaOf(
  message: proto.IMessage,
  { jid, other, group }: { jid: string; other?: string | null; group: GroupMetadata | null },
  more: { attributes?: Record<string, string>; nodes?: BinaryNode[] } = {},
): Stanza {
  const content = normalizeMessageContent(message) ?? {}
  const { attributes, nodes } = stanzaMarks(message)
  const mediaType = mediaTypeOf(message)
  const isReaction = content.reactionMessage || content.encReactionMessage
  const isHidden = content.reactionMessage || content.pinInChatMessage
  return {
    to: jid,
    attributes: {
      type: isReaction ? 'reaction' : mediaType ? 'media' : 'text',
      ...attributes,
      ...more.attributes,
      ...(group ? { addressing_mode: group.addressingMode || 'lid' } : {}),
      // The number of the recipient, if the message is addressed to the LID.
      ...(other && isLidUser(jid) && isPnUser(other) ? { peer_recipient_pn: bare(other) } : {}),
    },
    enc: { ...(mediaType ? { mediatype: mediaType } : {}), ...(isHidden ? { 'decrypt-fail': 'hide' } : {}) },
    nodes: [...nodes, ...(more.nodes ?? [])],
    ...(other ? { other } : {}),
  }
}
