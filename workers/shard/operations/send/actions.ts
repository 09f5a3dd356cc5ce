/** Reactions, forwards, pins, deletions: how `src/features/send/actions.ts` is done on the wire. */
import { proto, toNumber } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import { type Identifier, toJid } from '../../../../src/domain/ids.ts'
import { sendFailure } from '../../connection/failures.ts'
import { within } from '../../connection/within.ts'
import { hasMedium, reposted } from '../../media/repost.ts'
import { sendMedia } from '../../media/send.ts'
import { surroundings } from '../../send/context-info.ts'
import type { SendContext } from '../../send/contract.ts'
import { type Destination, resolveDestination } from '../../send/destination.ts'
import { reactToPost, removePost, sendPost } from '../../send/newsletter.ts'
import { sendLetter } from '../../send/relay.ts'
import { removeStatus } from '../../send/status-post.ts'
import {
  isAllowed,
  isOwnAdmin,
  rememberedTarget,
  secretAbout,
  type Target,
  type TargetFields,
  targetOf,
} from '../../send/targets.ts'
import { forwarded } from '../../translate/outbound/forward.ts'
import { sealAbout } from '../../translate/outbound/secret.ts'
import { EDIT } from '../../translate/outbound/stanza.ts'
import type { Handlers } from '../types.ts'

const { Type } = proto.Message.ProtocolMessage
const { Type: PinType } = proto.Message.PinInChatMessage
const APP_STATE_DEADLINE = 20 * SECOND
/** Seconds. */
const PIN_DURATION = { '24_hours': 86_400, '7_days': 604_800, '30_days': 2_592_000 } as const

export const actions: Handlers<typeof import('../../../../src/features/send/actions.ts')> = {
  'send.sendReaction': (context, input) => react(context, input, input.reaction),
  'send.removeReaction': (context, input) => react(context, input, null),

  async 'send.forwardMessage'(context, input) {
    const { session } = context
    const { message } = rememberedTarget(context, await chatOf(context, input.message_phone), input.message_id)
    const content = forwarded(message.message ?? {})
    const to = await resolveDestination(session, input.phone)
    if (to.kind === 'newsletter') return forwardPost(context, to, content)
    const { info } = await surroundings(context, to, {})
    return sendLetter(context, to, { content: { proto: content }, info })
  },

  async 'send.pinMessage'(context, input) {
    const { session, now } = context
    const chat = await resolveDestination(session, input.phone)
    const { key, to } = await targetOf(context, chat, input)
    if (!(await isAllowed(session, to, (group) => !group.restrict || isOwnAdmin(session, group))))
      throw new Failure('not_allowed', { message: 'Only admins may pin in this group.' })
    const isPin = input.message_action === 'pin'
    return sendLetter(context, to, {
      content: {
        proto: {
          pinInChatMessage: {
            key,
            type: isPin ? PinType.PIN_FOR_ALL : PinType.UNPIN_FOR_ALL,
            senderTimestampMs: now(),
          },
          messageContextInfo: { messageAddOnDurationInSecs: isPin ? PIN_DURATION[input.pin_message_duration] : 0 },
        },
      },
    })
  },

  async 'send.deleteMessage'(context, input) {
    const { session } = context
    const chat = await resolveDestination(session, input.phone)
    if (chat.kind === 'newsletter') return removePost(context, chat.jid, input.message_id)
    if (chat.kind === 'user' && !input.owner) return deleteForMe(context, chat, input.message_id)
    const { key, to } = await targetOf(context, chat, { ...input, from_me: input.owner })
    if (input.owner && !key.fromMe) throw new Failure('not_allowed', { message: 'The message is not yours.' })
    const letter = { content: { proto: { protocolMessage: { key, type: Type.REVOKE } } } }
    if (key.fromMe)
      return to.kind === 'status' ? removeStatus(context, input.message_id, letter) : sendLetter(context, to, letter)
    if (to.kind === 'status') throw new Failure('not_allowed', { message: 'The status is not yours.' })
    if (!(await isAllowed(session, to, (group) => isOwnAdmin(session, group))))
      throw new Failure('not_allowed', { message: 'Only admins may delete messages of others.' })
    return sendLetter(context, to, { ...letter, attributes: { edit: EDIT.adminRemoval } })
  },
}

/** Channels have no secrets, and take media unsealed. */
async function forwardPost(context: SendContext, to: Destination, { messageContextInfo: _, ...content }: proto.IMessage) {
  if (!hasMedium(content)) return sendPost(context, to.jid, content)
  return sendMedia(context, to, { content: await reposted(context, content), info: {} })
}

/** `emoji` null takes the own reaction back. */
async function react(context: SendContext, input: TargetFields & { phone: Identifier }, emoji: string | null) {
  const chat = await resolveDestination(context.session, input.phone)
  if (chat.kind === 'newsletter') return reactToPost(context, rememberedTarget(context, chat, input.message_id).message, emoji)
  const target = await targetOf(context, chat, input)
  const reaction = { text: emoji ?? '', senderTimestampMs: context.now() }
  const content = target.to.group?.isCommunityAnnounce
    ? { encReactionMessage: sealedReaction(context, target, reaction) }
    : { reactionMessage: { key: target.key, ...reaction } }
  const attributes = emoji === null ? { attributes: { edit: EDIT.ownRemoval } } : {}
  return sendLetter(context, target.to, { content: { proto: content }, ...attributes })
}

/** Members of an announcement group must not learn who reacted. */
function sealedReaction(context: SendContext, target: Target, reaction: proto.Message.IReactionMessage) {
  const plain = proto.Message.ReactionMessage.encode(reaction).finish()
  return { targetMessageKey: target.key, ...sealAbout(secretAbout(context, target), 'Enc Reaction', plain) }
}

/** A message of somebody else in a chat of two can only be hidden on the account's own devices, which app state does. */
async function deleteForMe(context: SendContext, chat: Destination, id: string) {
  const { session } = context
  const { key, to, message } = rememberedTarget(context, chat, id)
  const timestamp = toNumber(message.messageTimestamp)
  const change = { deleteForMe: { deleteMedia: false, key, timestamp } }
  await within(session, APP_STATE_DEADLINE, session.sock.chatModify(change, to.jid)).catch((error) => {
    throw sendFailure(error)
  })
  return { message: null }
}

/** The chat a message is in; asked of the network only where a person may have two names. */
async function chatOf({ session }: SendContext, identifier: Identifier): Promise<Destination> {
  if (identifier.kind === 'user') return resolveDestination(session, identifier)
  return { jid: toJid(identifier), kind: identifier.kind, other: null, group: null }
}
