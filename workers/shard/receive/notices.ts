/** Reports stanzas without a ciphertext: channel posts, notifications of groups, channels and pictures. */
import {
  type BinaryNode,
  decodeMessageNode,
  isJidGroup,
  isJidNewsletter,
  proto,
  type WAMessage,
  type WAMessageKey,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { SECOND } from '../../../src/domain/clock.ts'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { pictureOf } from '../chats/picture-of.ts'
import type { SocketSession } from '../chats/session.ts'
import { type InboundContext, notification, type Translated } from '../translate/inbound/family.ts'
import { groupNotices } from '../translate/inbound/group-notice.ts'
import { LookupError } from '../translate/inbound/lookup.ts'
import { type ReadableMessage, unsupported } from '../translate/inbound/message.ts'
import { mexNotices, newsletterNotices } from '../translate/inbound/newsletter-notice.ts'
import { cut, idOrEmpty, idOrNull } from '../wire/bounds.ts'
import { envelopeOf, fromOf, idOf } from '../wire/envelope.ts'
import { groupNoticeIn } from '../wire/group-notice.ts'
import { bare } from '../wire/jid.ts'
import { type PostStanza, postStanzaIn } from '../wire/newsletter-post.ts'
import { pictureChangeIn } from '../wire/picture.ts'
import { type Mark, messageMark } from './inbox/seen-marks.ts'
import type { ReceivedEvents } from './received-events.ts'
import { isEvent, type Reported, type Unreported } from './unreported.ts'

export interface NoticeDeps {
  inbound: Pick<ReceivedEvents, 'context' | 'translated' | 'unread' | 'message'>
  /** Counts a post that is confirmed without an event. */
  unreported(reason: Unreported): void
  log: Logger
  /** Commits the events of `make`, once per seen mark. Rejects if the stanza must be delivered again. */
  once(mark: Mark, make: () => Promise<readonly ReceivedEvent[]>, more?: readonly Op[], others?: readonly Mark[]): Promise<void>
  onMessage(message: WAMessage): void
  /** Returns the operations that record the author of a post, for its commit. */
  authored(key: WAMessageKey): Promise<Op[]>
  /** A post was edited or removed. The call is idempotent. */
  postChanged(message: WAMessage): Promise<void>
  /** Returns the operations for changes of a group's admins in a notice, for its commit. */
  rolesChanged(notice: BinaryNode): Promise<Op[]>
}

export interface Notices {
  /** These two resolve when the event is on disk, and reject if the stanza must be delivered again. */
  notification(node: BinaryNode): Promise<void>
  post(node: BinaryNode): Promise<void>
}

/** A notice and the message key of its event. */
interface Notice {
  chat: string
  participant?: string | undefined
  participantAlt?: string | undefined
  translated: Translated
}

/** Time limit for querying the URL of our own new picture, in ms; after it the event has none. */
const PICTURE_DEADLINE = 3_000

export function createNotices(session: SocketSession, deps: NoticeDeps): Notices {
  const { inbound, log, once } = deps
  const { sock, identity } = session

  /** Whether the stanza did not cause the failure; its event is then created when it is delivered again. */
  const isOurs = (error: unknown) => error instanceof LookupError || session.ended.aborted

  async function events(node: BinaryNode, notices: readonly Notice[]): Promise<ReceivedEvent[]> {
    const { id, t, pushName } = envelopeOf(node)
    const translated = await Promise.all(
      notices.map(({ chat, participant, participantAlt, translated }) => {
        const key: WAMessageKey = {
          remoteJid: chat,
          id,
          fromMe: participant !== undefined && identity.isMe(participant),
          ...(participant ? { participant: bare(participant) } : {}),
          ...(participantAlt ? { participantAlt } : {}),
        }
        const readable: ReadableMessage = { key, messageTimestamp: Number(t ?? 0), pushName: participant ? pushName : null }
        return inbound.translated(readable, translated)
      }),
    )
    return translated.filter((event) => event !== null)
  }

  async function appendNotification(node: BinaryNode): Promise<void> {
    const context = inbound.context()
    if (!context) return
    const { type, from, id, participant } = envelopeOf(node)
    const make = async () => {
      try {
        return await events(node, await noticesOf(node, context))
      } catch (error) {
        if (isOurs(error)) throw error
        // A stanza that cannot be parsed now cannot be parsed when it is delivered again.
        log.warn({ err: error, type, stanza: id }, 'a notification could not be translated')
        return []
      }
    }
    const more = type === 'w:gp2' && isJidGroup(from) ? await deps.rolesChanged(node) : []
    await once(messageMark({ id: `${type} ${id}`, chat: from, author: participant }), make, more)
  }

  async function noticesOf(node: BinaryNode, context: InboundContext): Promise<Notice[]> {
    const { type, from } = envelopeOf(node)
    switch (type) {
      // The subject of a notice is its sender; only the network vouches for it.
      case 'w:gp2': {
        if (!isJidGroup(from)) return []
        const { jid: participant, alt: participantAlt } = groupNoticeIn(node).actor
        return (await groupNotices(node, context)).map((translated) => ({ chat: from, participant, participantAlt, translated }))
      }
      case 'newsletter':
        if (!isJidNewsletter(from)) return []
        return (await newsletterNotices(node, context)).map(({ newsletter, translated }) => ({ chat: newsletter, translated }))
      case 'mex':
        return (await mexNotices(node, context)).map(({ newsletter, translated }) => ({ chat: newsletter, translated }))
      case 'picture':
        return pictureNotice(node)
      default:
        return []
    }
  }

  async function pictureNotice(node: BinaryNode): Promise<Notice[]> {
    const from = fromOf(node)
    const change = pictureChangeIn(node)
    if (!change) return []
    if (isJidGroup(from))
      return [
        {
          chat: from,
          participant: change.author,
          translated: notification({ notification: 'group_change_icon' }, [change.id]),
        },
      ]
    if (!identity.isMe(from)) return []
    const updated_photo = change.isRemoved ? null : await ownPicture()
    return [{ chat: bare(from), translated: notification({ notification: 'profile_picture_updated', updated_photo }) }]
  }

  const ownPicture = () =>
    pictureOf(session.ask, identity.own()[0] ?? '', 'image', { atMostMs: PICTURE_DEADLINE }).then(
      (url) => url?.slice(0, 2_048) ?? null,
      (error: unknown) => {
        if (session.ended.aborted) throw error
        log.info({ err: error }, "the URL of the account's new picture could not be fetched")
        return null
      },
    )

  /**
   * Appends the event of a post, which is not encrypted, because everybody may read it. Later changes of the post
   * arrive under its id.
   */
  async function appendPost(node: BinaryNode): Promise<void> {
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

  async function postEvent(message: WAMessage, { edit, isRemoved, kind }: PostStanza): Promise<Reported> {
    const { id } = message.key
    if (isRemoved)
      return inbound.unread(message, notification({ notification: 'revoke' }, [], { reference_message_id: idOrNull(id) }))
    if (!message.message) return inbound.unread(message, unsupported(cut(kind, 64)))
    const event = await inbound.message(message)
    // An edited post arrives in full.
    return edit && isEvent(event) && event.body.is_edit === false
      ? { ...event, body: { ...event.body, is_edit: true, edit_message_id: idOrEmpty(id) } }
      : event
  }

  /** Builds the message of a post. Null for a stanza without an address. Without content if there is none that can be decoded. */
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

  return { notification: appendNotification, post: appendPost }
}
