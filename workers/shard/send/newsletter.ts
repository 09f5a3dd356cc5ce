/** Sends posts to a channel. Baileys would omit the media type, and the network refuses media without it (479). */
import { encodeNewsletterMessage, type proto, type WAMessage } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { EDIT, isPostChange, POST_REACTION, type Stanza, stanzaMarks } from '../translate/outbound/stanza.ts'
import { plaintextNode, postStanza, reactionNode } from '../wire/message-nodes.ts'
import type { Accepted, SendContext } from './contract.ts'
import { refusal } from './refusal.ts'

export interface PostMarks {
  mediaType?: string
  attributes?: Record<string, string>
}

export async function sendPost(
  context: SendContext,
  jid: string,
  content: proto.IMessage,
  { mediaType, attributes = {} }: PostMarks = {},
): Promise<Accepted> {
  const marks = stanzaMarks(content)
  const type = marks.attributes.type ?? (mediaType ? 'media' : 'text')
  return deliver(context, content, {
    to: jid,
    attributes: { type, ...attributes },
    enc: mediaType ? { mediatype: mediaType } : {},
    nodes: marks.nodes,
  })
}

export const editPost = (context: SendContext, jid: string, id: string, content: proto.IMessage): Promise<Accepted> =>
  deliver(context, content, { to: jid, attributes: { id, type: 'text', edit: EDIT.post }, enc: {}, nodes: [] })

export const removePost = (context: SendContext, jid: string, id: string): Promise<Accepted> =>
  deliver(context, {}, { to: jid, attributes: { id, type: 'text', edit: EDIT.adminRemoval }, enc: {}, nodes: [] })

export async function reactToPost(context: SendContext, post: WAMessage, emoji: string | null): Promise<Accepted> {
  const { remoteJid, server_id: serverId } = post.key
  if (!remoteJid || !serverId) throw new Failure('message_not_found', { message: 'The server id of the post is not known.' })
  return deliver(
    context,
    {},
    {
      to: remoteJid,
      attributes: { type: POST_REACTION, server_id: serverId, ...(emoji === null ? { edit: EDIT.ownRemoval } : {}) },
      enc: {},
      nodes: [reactionNode(emoji)],
    },
  )
}

/** Stores the post before it is sent, so that exactly the same post can be sent again. */
async function deliver(context: SendContext, message: proto.IMessage, stanza: Stanza): Promise<Accepted> {
  await context.messages.sent.put(context.item.messageId, message, stanza)
  return relayPost(context, message, stanza, { isNew: true })
}

export async function relayPost(
  context: SendContext,
  message: proto.IMessage,
  stanza: Stanza,
  { isNew = false } = {},
): Promise<Accepted> {
  const { ask, session, messages, item, now } = context
  const { to, attributes, enc, nodes } = stanza
  // The content of a reaction is only in its node, so its stanza has no plaintext. An empty text removes a
  // reaction.
  const plaintext = plaintextNode(enc, encodeNewsletterMessage(message))
  const content = attributes.type === POST_REACTION ? nodes : [plaintext, ...nodes]
  // The stanza of an edit or a removal has the id of the post.
  const id = attributes.id ?? item.messageId
  const ack = session.ack(id, to)
  await ask.write(postStanza({ ...attributes, id, to }, content)).catch((error: unknown) => {
    ack.giveUp()
    throw error
  })
  const verdict = await ack.verdict()
  if (!verdict.ok) {
    if (isNew) await context.messages.sent.remove(item.messageId)
    throw await refusal(context, to, verdict.code)
  }
  if (isPostChange(stanza)) return { message: null }
  const { serverId } = verdict
  if (serverId) await context.messages.sent.numbered(item.messageId, serverId)
  const post = {
    key: { remoteJid: to, id: item.messageId, fromMe: true, ...(serverId ? { server_id: serverId } : {}) },
    message,
    messageTimestamp: Math.floor(now() / SECOND),
  } as WAMessage
  messages.add(post)
  return { message: post }
}
