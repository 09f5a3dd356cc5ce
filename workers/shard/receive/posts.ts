/** Reports channel posts, which are not encrypted. An edited or removed post arrives with the id of the post. */
import { type BinaryNode, decodeMessageNode, proto, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { SECOND } from '../../../src/domain/clock.ts'
import type { Op } from '../../../src/storage/contract.ts'
import type { SocketSession } from '../chats/session.ts'
import { messageMark } from '../messages/seen-marks.ts'
import { notification } from '../translate/inbound/family.ts'
import { LookupError } from '../translate/inbound/lookup.ts'
import { unsupported } from '../translate/inbound/message.ts'
import { cut, idOrEmpty, idOrNull } from '../wire/bounds.ts'
import { envelopeOf, idOf } from '../wire/envelope.ts'
import { type PostStanza, postStanzaIn } from '../wire/newsletter-post.ts'
import type { Once } from './inbox/tries.ts'
import type { ReceivedEvents } from './received-events.ts'
import { isEvent, type Reported, type Unreported } from './unreported.ts'

export interface PostDeps {
  inbound: Pick<ReceivedEvents, 'context' | 'unread' | 'message'>
  unreported(reason: Unreported): void
  log: Logger
  once: Once
  onMessage(message: WAMessage): void
  authored(key: WAMessageKey): Promise<Op[]>
  postChanged(message: WAMessage): Promise<void>
}

/**
 * Resolves when the event of the post is on disk, or the reason is counted why it has none. Rejects if the network must
 * deliver the post again.
 */
export type AppendPost = (node: BinaryNode) => Promise<void>

export function createPosts({ sock }: Pick<SocketSession, 'sock'>, deps: PostDeps): AppendPost {
  const { inbound, log, once } = deps

  async function postEvent(message: WAMessage, { edit, isRemoved, kind }: PostStanza): Promise<Reported> {
    const { id } = message.key
    if (isRemoved)
      return inbound.unread(message, notification({ notification: 'revoke' }, [], { reference_message_id: idOrNull(id) }))
    if (!message.message) return inbound.unread(message, unsupported(cut(kind, 64)))
    const event = await inbound.message(message)
    // An edited post arrives with its complete content, like a new one, so the event must be marked as an edit.
    return edit && isEvent(event) && event.body.is_edit === false
      ? { ...event, body: { ...event.body, is_edit: true, edit_message_id: idOrEmpty(id) } }
      : event
  }

  /**
   * Returns the post as a message. Null if this fails, for example because the stanza has no valid address. A content
   * that cannot be decoded is left out.
   */
  async function postOf(node: BinaryNode, post: PostStanza): Promise<WAMessage | null> {
    const { isOwn, editedAt } = post
    try {
      const { me } = sock.authState.creds
      const { fullMessage } = decodeMessageNode(node, me?.id ?? '', me?.lid ?? '')
      fullMessage.key.fromMe = isOwn
      fullMessage.message = (await contentOf(fullMessage.key, post)) ?? null
      if (editedAt !== undefined) fullMessage.messageTimestamp = Math.floor(editedAt / SECOND)
      return fullMessage
    } catch (error) {
      if (error instanceof LookupError) throw error
      log.warn({ err: error, stanza: idOf(node) }, 'a channel post stanza is malformed')
      return null
    }
  }

  async function contentOf(
    { id, remoteJid, server_id: serverId }: WAMessageKey,
    post: PostStanza,
  ): Promise<proto.IMessage | undefined> {
    if (post.isRemoved) return undefined
    if (post.reaction !== undefined) {
      const about = await inbound.context()?.post(remoteJid ?? '', serverId ?? '')
      return about ? { reactionMessage: { key: about, text: post.reaction } } : undefined
    }
    if (post.content === null) return undefined
    try {
      return proto.Message.decode(post.content)
    } catch (error) {
      log.warn({ err: error, stanza: id }, 'the content of a channel post is not a valid message')
      return undefined
    }
  }

  return async (node) => {
    const post = postStanzaIn(node)
    const message = await postOf(node, post)
    if (!message) return deps.unreported('malformed')
    const { edit, editedAt, isRemoved } = post
    const isReadable = isRemoved || message.message != null
    const change = edit ? ` ${edit} ${editedAt ?? envelopeOf(node).t}` : ''
    const mark = messageMark({ id: `${message.key.id}${change}`, chat: message.key.remoteJid ?? '', author: '' })
    const more = edit ? [] : await deps.authored(message.key)
    const reported: { made: Reported } = { made: 'again' }
    const make = async () => {
      if (edit && isReadable) await deps.postChanged(message)
      reported.made = await postEvent(message, post)
      return isEvent(reported.made) ? [reported.made] : []
    }
    await once(mark, make, more)
    if (!isEvent(reported.made)) deps.unreported(reported.made)
    if (!edit && isReadable) deps.onMessage(message)
  }
}
