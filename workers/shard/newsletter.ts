/**
 * Posts to a channel: plaintext, built by hand, because the library leaves out the media type and sends a wrong path, which the network
 * refuses with 479 for anything but plain text (shared/api/messages.md, 1.6).
 */
import { type BinaryNode, encodeNewsletterMessage, type proto, type WAMessage } from '@whiskeysockets/baileys'
import { SECOND } from '../../src/domain/clock.ts'
import { Failure } from '../../src/domain/failures.ts'
import type { Accepted, SendContext } from './operations/types.ts'
import { ackFailure, sendFailure } from './translate/failures.ts'
import { EDIT, stanzaMarks } from './translate/outbound/stanza.ts'

import { untilEnd } from './within.ts'

export interface PostMarks {
  /** `mediatype` of the plaintext: image, video, url, and so on. */
  mediaType?: string
  /** Further attributes of the stanza. */
  attributes?: Record<string, string>
}

const plaintext = (content: proto.IMessage | null, mediaType?: string): BinaryNode => ({
  tag: 'plaintext',
  attrs: mediaType ? { mediatype: mediaType } : {},
  content: content ? encodeNewsletterMessage(content) : new Uint8Array(0),
})

/** A new post. Its number, which reactions need, is kept beside it. */
export async function sendPost(
  context: SendContext,
  jid: string,
  content: proto.IMessage,
  { mediaType, attributes = {} }: PostMarks = {},
): Promise<Accepted> {
  const { recent, item, now } = context
  const marks = stanzaMarks(content)
  const type = marks.attributes.type ?? (mediaType ? 'media' : 'text')
  const serverId = await deliver(context, {
    tag: 'message',
    attrs: { id: item.messageId, to: jid, type, ...attributes },
    content: [plaintext(content, mediaType), ...marks.nodes],
  })
  const message = {
    key: { remoteJid: jid, id: item.messageId, fromMe: true, ...(serverId ? { server_id: serverId } : {}) },
    message: content,
    messageTimestamp: Math.floor(now() / SECOND),
  } as WAMessage
  recent.add(message)
  return { message }
}

/** The network takes an edit or a removal of a post under the id of the post itself, not under one of its own. */
export async function editPost(context: SendContext, jid: string, id: string, content: proto.IMessage): Promise<Accepted> {
  await deliver(context, {
    tag: 'message',
    attrs: { id, to: jid, type: 'text', edit: EDIT.post },
    content: [plaintext(content)],
  })
  return { message: null }
}

export async function removePost(context: SendContext, jid: string, id: string): Promise<Accepted> {
  await deliver(context, {
    tag: 'message',
    attrs: { id, to: jid, type: 'text', edit: EDIT.adminRemoval },
    content: [plaintext(null)],
  })
  return { message: null }
}

/** `emoji` null takes the reaction back. */
export async function reactToPost(context: SendContext, post: WAMessage, emoji: string | null): Promise<Accepted> {
  const { remoteJid, server_id: serverId } = post.key
  if (!remoteJid || !serverId) throw new Failure('message_not_found', { message: 'The number of the post is not known.' })
  await deliver(context, {
    tag: 'message',
    attrs: {
      id: context.item.messageId,
      to: remoteJid,
      type: 'reaction',
      server_id: serverId,
      ...(emoji === null ? { edit: EDIT.ownRemoval } : {}),
    },
    content: [{ tag: 'reaction', attrs: emoji === null ? {} : { code: emoji } }],
  })
  return { message: null }
}

/** Resolves with the post's number, if the network's ack names one. */
async function deliver({ session }: SendContext, stanza: BinaryNode): Promise<string | undefined> {
  const ack = session.ack(stanza.attrs.id ?? '')
  await session.sock.sendNode(stanza).catch((error: unknown) => {
    ack.giveUp()
    throw sendFailure(error, 'newsletter_not_found')
  })
  const verdict = await untilEnd(session, ack.verdict())
  if (verdict === 'timeout') throw new Failure('send_timeout')
  if (verdict === 'closed') throw new Failure('instance_not_connected')
  if (verdict.ok) return verdict.serverId
  throw verdict.code === 404 ? new Failure('newsletter_not_found') : ackFailure(verdict.code, session.isRestricted())
}
