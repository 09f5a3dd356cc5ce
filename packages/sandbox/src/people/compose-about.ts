import { createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/control-error.ts'
import { type AddContext, type ComposeContext, type Form, form, type KnownMessage, keyOf, known } from './compose-form.ts'
import type { Composed } from './composed.ts'
import { type SecretPurpose, sealAbout } from './secret.ts'

const message_id = v.pipe(v.string(), v.minLength(1))
const { ProtocolMessage, PinInChatMessage, SecretEncryptedMessage, EventResponseMessage } = proto.Message

/**
 * A pin and its duration; 0 seconds removes the pin. Phones allow three durations. Others are sent unchanged, for
 * tests.
 */
const Pin = v.object({ message_id, seconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 604_800) })
const Reaction = v.object({ message_id, emoji: v.string(), encrypted: v.optional(v.boolean(), false) })
const Edit = v.object({ message_id, text: v.string(), encrypted: v.optional(v.boolean(), false) })
const Comment = v.object({ message_id, text: v.string() })
const EventResponse = v.object({
  message_id,
  response: v.picklist(['going', 'not_going', 'maybe']),
  extra_guests: v.optional(v.pipe(v.number(), v.integer()), 0),
})

/** Kinds of messages that refer to an earlier message. */
export const ABOUT_FORMS: Record<string, Form> = {
  reaction: form('message.reaction', Reaction, composeReaction),
  edit: form('message.edit', Edit, composeEdit),
  comment: form('message.comment', Comment, composeComment),
  revoke: form('message.revoke', v.object({ message_id }), ({ message_id: id }, context) => {
    const target = known(context, id)
    return {
      message: { protocolMessage: { key: keyOf(context, target), type: ProtocolMessage.Type.REVOKE } },
      type: 'text',
      edit: target.author === context.self ? '7' : '8',
    }
  }),
  pin: form('message.pin', Pin, ({ message_id: id, seconds }, context) => ({
    message: {
      pinInChatMessage: {
        key: keyOf(context, known(context, id)),
        type: seconds > 0 ? PinInChatMessage.Type.PIN_FOR_ALL : PinInChatMessage.Type.UNPIN_FOR_ALL,
        senderTimestampMs: context.now(),
      },
      messageContextInfo: { messageAddOnDurationInSecs: seconds },
    },
    type: 'text',
    edit: '2',
  })),
  poll_vote: form('message.poll_vote', v.object({ message_id, options: v.array(v.string()) }), composeVote),
  event_response: form('message.event_response', EventResponse, composeEventResponse),
}

/**
 * Composes a reaction. With `encrypted`, it has the form of the announcements of a community, in which readers must not
 * see each other.
 */
function composeReaction(
  { message_id: id, emoji, encrypted }: v.InferOutput<typeof Reaction>,
  context: ComposeContext,
): Composed {
  const target = known(context, id)
  const targetMessageKey = keyOf(context, target)
  const about = { text: emoji, senderTimestampMs: context.now() }
  if (!encrypted) return { message: { reactionMessage: { key: targetMessageKey, ...about } }, type: 'reaction' }
  const inner = proto.Message.ReactionMessage.encode(about).finish()
  const encReactionMessage = { targetMessageKey, ...sealed(context, target, 'Enc Reaction', inner) }
  return { message: { encReactionMessage }, type: 'reaction' }
}

function composeEdit(
  { message_id: id, text, encrypted }: v.InferOutput<typeof Edit>,
  context: ComposeContext,
  addContext: AddContext,
): Composed {
  const target = known(context, id)
  const editedMessage = editedContent(target.message, text)
  addContext(editedMessage)
  const protocolMessage = {
    key: keyOf(context, target),
    type: ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage,
    timestampMs: context.now(),
  }
  if (!encrypted) return { message: { protocolMessage }, type: 'text', edit: '1', hasContext: true }
  const inner = proto.Message.encode({ protocolMessage }).finish()
  const secretEncryptedMessage = {
    targetMessageKey: keyOf(context, target),
    ...sealed(context, target, 'Message Edit', inner),
    secretEncType: SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT,
  }
  return { message: { secretEncryptedMessage }, type: 'text', edit: '1', hasContext: true }
}

/** Composes a comment. The common fields belong to the content that is encrypted, and not to the message around it. */
function composeComment(
  { message_id: id, text }: v.InferOutput<typeof Comment>,
  context: ComposeContext,
  addContext: AddContext,
): Composed {
  const target = known(context, id)
  const comment: proto.IMessage = { extendedTextMessage: { text } }
  addContext(comment)
  const encCommentMessage = {
    targetMessageKey: keyOf(context, target),
    ...sealed(context, target, 'Enc Comment', proto.Message.encode(comment).finish()),
  }
  return { message: { encCommentMessage }, type: 'text', hasContext: true }
}

/** Returns the new content of an edited message. A message with media keeps them, and gets a new caption. */
function editedContent(original: proto.IMessage, text: string): proto.IMessage {
  if (original.imageMessage) return { imageMessage: { ...original.imageMessage, caption: text } }
  if (original.videoMessage) return { videoMessage: { ...original.videoMessage, caption: text } }
  const document = original.documentMessage ?? original.documentWithCaptionMessage?.message?.documentMessage
  if (document) return { documentWithCaptionMessage: { message: { documentMessage: { ...document, caption: text } } } }
  return { conversation: text }
}

function composeVote({ message_id: id, options }: { message_id: string; options: string[] }, context: ComposeContext): Composed {
  const poll = known(context, id)
  const { message } = poll
  const creation = message.pollCreationMessageV3 ?? message.pollCreationMessageV2 ?? message.pollCreationMessage
  if (!creation) throw new ControlError('invalid_request', `message.poll_vote: ${id} is not a poll`)
  const offered = creation.options?.map((option) => option.optionName) ?? []
  const foreign = options.filter((option) => !offered.includes(option))
  if (foreign.length > 0)
    throw new ControlError('invalid_request', `message.poll_vote: the poll has no option ${foreign.join(', ')}`)
  const selectedOptions = options.map((option) => createHash('sha256').update(option).digest())
  const vote = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  const pollUpdateMessage = {
    pollCreationMessageKey: keyOf(context, poll),
    vote: sealed(context, poll, 'Poll Vote', vote),
    senderTimestampMs: context.now(),
  }
  return { message: { pollUpdateMessage }, type: 'poll', meta: { polltype: 'vote' } }
}

const RESPONSES = {
  going: EventResponseMessage.EventResponseType.GOING,
  not_going: EventResponseMessage.EventResponseType.NOT_GOING,
  maybe: EventResponseMessage.EventResponseType.MAYBE,
}

function composeEventResponse(input: v.InferOutput<typeof EventResponse>, context: ComposeContext): Composed {
  const event = known(context, input.message_id)
  if (!event.message.eventMessage)
    throw new ControlError('invalid_request', `message.event_response: ${event.id} is not an event`)
  const response = EventResponseMessage.encode({
    response: RESPONSES[input.response],
    timestampMs: context.now(),
    extraGuestCount: input.extra_guests,
  }).finish()
  const encEventResponseMessage = {
    eventCreationMessageKey: keyOf(context, event),
    ...sealed(context, event, 'Event Response', response),
  }
  return { message: { encEventResponseMessage }, type: 'event', meta: { event_type: 'response' } }
}

function sealed(context: ComposeContext, target: KnownMessage, purpose: SecretPurpose, plain: Uint8Array) {
  const secret = target.message.messageContextInfo?.messageSecret
  if (!secret?.length)
    throw new ControlError('invalid_request', `message: ${target.id} has no secret, nothing can be sealed about it`)
  // The JIDs in the encryption are those of this chat: LIDs if the chat is addressed by LID.
  const about = { secret, messageId: target.id, author: context.jid(target.author), sender: context.jid(context.self) }
  return sealAbout(about, purpose, plain)
}
