import { isJidNewsletter, proto, toNumber, type WAMessage } from '@whiskeysockets/baileys'
import { Failure } from '../../../../src/domain/failures.ts'
import { type Identifier, toJid } from '../../../../src/domain/ids.ts'
import { hasMedium, type Repost, reposted } from '../../media/repost.ts'
import { sendMedia } from '../../media/send.ts'
import { isOf, surroundings } from '../../send/context-info.ts'
import type { Accepted, SendContext } from '../../send/contract.ts'
import { type Destination, resolveDestination } from '../../send/destination.ts'
import { reactToPost, removePost, sendPost } from '../../send/newsletter.ts'
import { sendMessage } from '../../send/relay.ts'
import { remembering } from '../../send/remembering.ts'
import { changeStatus } from '../../send/status/post.ts'
import {
  isAllowed,
  isOwnAdmin,
  rememberedTarget,
  secretAbout,
  type Target,
  type TargetFields,
  targetOf,
} from '../../send/targets.ts'
import { forwarded, withWords, wordsOf } from '../../translate/outbound/forward.ts'
import { sealAbout } from '../../translate/outbound/secret.ts'
import { EDIT } from '../../translate/outbound/stanza.ts'
import { hideChange } from '../../wire/app-state-actions.ts'
import type { Handlers } from '../types.ts'

const { Type } = proto.Message.ProtocolMessage
const { Type: PinType } = proto.Message.PinInChatMessage
/** How long a message stays pinned, in seconds. */
const PIN_DURATION = { '24_hours': 86_400, '7_days': 604_800, '30_days': 2_592_000 } as const

export const actions: Handlers<typeof import('../../../../src/features/send/actions.ts')> = {
  'send.sendReaction': (context, input) => react(context, input, input.reaction),
  'send.removeReaction': (context, input) => react(context, input, null),

  async 'send.forwardMessage'(context, input) {
    const { message } = await rememberedTarget(context, await chatOf(context, input.message_phone), input.message_id)
    const content = forwarded(message.message ?? {})
    const to = await resolveDestination(context, input.phone)
    const from = message.key.remoteJid
    if (to.kind === 'newsletter') return forwardPost(context, content, { from, to })
    const { text, info } = await surroundings(context, to, input, wordsOf(content))
    const ready = from && isJidNewsletter(from) ? await reposted(context, content, { from, to }) : content
    const proto = withWords(ready, text)
    return sendMessage(context, to, { content: { proto }, info })
  },

  async 'send.pinMessage'(context, input) {
    const { session, now } = context
    const chat = await resolveDestination(context, input.phone)
    const { key, to } = await targetOf(context, chat, input)
    if (!(await isAllowed(context, to, (group) => !group.restrict || isOwnAdmin(session, group))))
      throw new Failure('not_allowed', { message: 'Only admins may pin in this group.' })
    const isPin = input.message_action === 'pin'
    return sendMessage(context, to, {
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
    const chat = await resolveDestination(context, input.phone)
    if (chat.kind === 'newsletter') {
      const post = await context.messages.get(input.message_id, isOf(chat))
      return deleting(context, post, () => removePost(context, chat.jid, input.message_id))
    }
    if (chat.kind === 'user' && !input.owner) return deleteForMe(context, chat, input.message_id)
    const { key, to, message } = await targetOf(context, chat, { ...input, from_me: input.owner }, { orDeleted: true })
    if (input.owner && !key.fromMe)
      throw new Failure('not_allowed', {
        message: 'The account did not send this message, so it cannot be deleted with owner=true.',
      })
    const outgoing = { content: { proto: { protocolMessage: { key, type: Type.REVOKE } } } }
    if (key.fromMe)
      return deleting(context, message, () =>
        to.kind === 'status' ? changeStatus(context, input.message_id, outgoing) : sendMessage(context, to, outgoing),
      )
    if (to.kind === 'status') throw new Failure('not_allowed', { message: 'A status post of somebody else cannot be deleted.' })
    if (!(await isAllowed(context, to, (group) => isOwnAdmin(session, group))))
      throw new Failure('not_allowed', { message: 'Only admins may delete messages of others.' })
    return deleting(context, message, () => sendMessage(context, to, { ...outgoing, attributes: { edit: EDIT.adminRemoval } }))
  },
}

const deleting = (context: SendContext, message: WAMessage | undefined, send: () => Promise<Accepted>): Promise<Accepted> =>
  remembering(context, send, async () => {
    if (message) await context.messages.deleted(message)
  })

/** Forwards a message as a post of a channel. A post contains no secret, and its media must be unencrypted. */
async function forwardPost(
  context: SendContext,
  { messageContextInfo: _, ...content }: proto.IMessage,
  { from, to }: Repost & { to: Destination },
) {
  if (!hasMedium(content)) return sendPost(context, to.jid, content)
  return sendMedia(context, to, { content: await reposted(context, content, { from, to }), info: {} })
}

async function react(context: SendContext, input: TargetFields & { phone: Identifier }, emoji: string | null) {
  const chat = await resolveDestination(context, input.phone)
  if (chat.kind === 'newsletter')
    return reactToPost(context, (await rememberedTarget(context, chat, input.message_id)).message, emoji)
  const target = await targetOf(context, chat, input)
  const reaction = { text: emoji ?? '', senderTimestampMs: context.now() }
  const content = target.to.group?.isCommunityAnnounce
    ? { encReactionMessage: sealedReaction(context, target, reaction) }
    : { reactionMessage: { key: target.key, ...reaction } }
  const attributes = emoji === null ? { attributes: { edit: EDIT.ownRemoval } } : {}
  return sendMessage(context, target.to, { content: { proto: content }, ...attributes })
}

/** Encrypts a reaction with the secret of the message. Used in the announcement group of a community. */
function sealedReaction(context: SendContext, target: Target, reaction: proto.Message.IReactionMessage) {
  const plain = proto.Message.ReactionMessage.encode(reaction).finish()
  return { targetMessageKey: target.key, ...sealAbout(secretAbout(context, target), 'Enc Reaction', plain) }
}

/**
 * Hides a message on the account's own devices only, because the account cannot delete a message of the other person
 * for that person.
 */
async function deleteForMe(context: SendContext, chat: Destination, id: string) {
  const { key, to, message } = await rememberedTarget(context, chat, id, { orDeleted: true })
  const timestamp = toNumber(message.messageTimestamp)
  await context.ask.run(() => context.session.change([hideChange(to.jid, key, timestamp, context.now())]))
  return { message: null }
}

/**
 * Returns the chat of the message to forward. Only a person is looked up, because the chat may have the number or the
 * LID.
 */
async function chatOf(context: SendContext, identifier: Identifier): Promise<Destination> {
  if (identifier.kind === 'user') return resolveDestination(context, identifier)
  return { jid: toJid(identifier), kind: identifier.kind, other: null, group: null }
}
