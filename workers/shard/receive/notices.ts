/** What arrives without a ciphertext and is an event: channel posts, notifications of groups, channels and pictures. */
import {
  type BinaryNode,
  decodeMessageNode,
  getBinaryNodeChild,
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
import type { Session } from '../chats/session.ts'
import { within } from '../connection/within.ts'
import { type InboundContext, notification, type Told } from '../translate/inbound/family.ts'
import { groupNotices } from '../translate/inbound/group-notice.ts'
import { LookupError } from '../translate/inbound/lookup.ts'
import type { ReadableMessage } from '../translate/inbound/message.ts'
import { mexNotices, newsletterNotices } from '../translate/inbound/newsletter-notice.ts'
import { idOrEmpty, idOrNull } from '../wire/bounds.ts'
import { bare } from '../wire/jid.ts'
import { type Mark, messageMark } from './inbox/seen-marks.ts'
import type { Inbound } from './received-events.ts'

export interface NoticeDeps {
  inbound: Pick<Inbound, 'context' | 'told' | 'message'>
  log: Logger
  /** Commits what `make` tells, once per mark. Rejects when it has to come again. */
  once(mark: Mark, make: () => Promise<readonly ReceivedEvent[]>, more?: readonly Op[], others?: readonly Mark[]): Promise<void>
  onMessage(message: WAMessage): void
  /** Who wrote a post, for its commit. */
  authored(key: WAMessageKey): Promise<Op[]>
  /** What a notice about a group says of its admins, for its commit. */
  rolesChanged(notice: BinaryNode): Promise<Op[]>
}

export interface Notices {
  /** Both resolve when the event is on disk, and reject when the stanza has to come again. */
  notification(node: BinaryNode): Promise<void>
  post(node: BinaryNode): Promise<void>
}

/** A notice and the message key it is told under. */
interface Notice {
  chat: string
  participant?: string | undefined
  participantAlt?: string | undefined
  told: Told
}

/** Time to ask where our own new picture lies, in ms: later the event goes without. */
const PICTURE_DEADLINE = 3_000

export function createNotices(session: Session, deps: NoticeDeps): Notices {
  const { inbound, log, once } = deps
  const { sock, identity } = session

  /** Says nothing about the stanza: told when it comes again. */
  const isOurs = (error: unknown) => error instanceof LookupError || session.ended.aborted

  async function events(node: BinaryNode, notices: readonly Notice[]): Promise<ReceivedEvent[]> {
    const { id = '', t, notify } = node.attrs
    const told = await Promise.all(
      notices.map(({ chat, participant, participantAlt, told }) => {
        const key: WAMessageKey = {
          remoteJid: chat,
          id,
          fromMe: participant !== undefined && identity.isMe(participant),
          ...(participant ? { participant: bare(participant) } : {}),
          ...(participantAlt ? { participantAlt } : {}),
        }
        const readable: ReadableMessage = { key, messageTimestamp: Number(t ?? 0), pushName: participant ? notify : null }
        return inbound.told(readable, told)
      }),
    )
    return told.filter((event) => event !== null)
  }

  async function tellNotification(node: BinaryNode): Promise<void> {
    const context = inbound.context()
    if (!context) return
    const { type = '', from = '', id = '', participant = '' } = node.attrs
    const make = async () => {
      try {
        return await events(node, await noticesOf(node, context))
      } catch (error) {
        if (isOurs(error)) throw error
        // A stanza that cannot be understood now cannot be understood when it comes again.
        log.warn({ err: error, type, stanza: id }, 'a notification could not be told')
        return []
      }
    }
    const more = type === 'w:gp2' && isJidGroup(from) ? await deps.rolesChanged(node) : []
    await once(messageMark({ id: `${type} ${id}`, chat: from, author: participant }), make, more)
  }

  async function noticesOf(node: BinaryNode, context: InboundContext): Promise<Notice[]> {
    const { type, from = '', participant, participant_pn, participant_lid } = node.attrs
    switch (type) {
      // What a notice is about is where it comes from, and the network's word alone.
      case 'w:gp2': {
        if (!isJidGroup(from)) return []
        const participantAlt = participant_pn ?? participant_lid
        return (await groupNotices(node, context)).map((told) => ({ chat: from, participant, participantAlt, told }))
      }
      case 'newsletter':
        if (!isJidNewsletter(from)) return []
        return (await newsletterNotices(node, context)).map(({ newsletter, told }) => ({ chat: newsletter, told }))
      case 'mex':
        return (await mexNotices(node, context)).map(({ newsletter, told }) => ({ chat: newsletter, told }))
      case 'picture':
        return pictureNotice(node)
      default:
        return []
    }
  }

  async function pictureNotice(node: BinaryNode): Promise<Notice[]> {
    const { from = '' } = node.attrs
    const set = getBinaryNodeChild(node, 'set')
    const change = set ?? getBinaryNodeChild(node, 'delete')
    if (!change) return []
    if (isJidGroup(from))
      return [
        {
          chat: from,
          participant: change.attrs.author,
          told: notification({ notification: 'group_change_icon' }, [set?.attrs.id ?? '']),
        },
      ]
    if (!identity.isMe(from)) return []
    const updated_photo = set ? await ownPicture() : null
    return [{ chat: bare(from), told: notification({ notification: 'profile_picture_updated', updated_photo }) }]
  }

  const ownPicture = () =>
    within(session, PICTURE_DEADLINE, sock.profilePictureUrl(identity.own()[0] ?? '', 'image')).then(
      (url) => url?.slice(0, 2_048) ?? null,
      (error: unknown) => {
        if (session.ended.aborted) throw error
        log.info({ err: error }, 'the address of our own new picture is not known')
        return null
      },
    )

  /** A post is not sealed: everybody may read it. What becomes of it later comes again under its id. */
  async function tellPost(node: BinaryNode): Promise<void> {
    const message = postOf(node)
    if (!message) return
    const { edit } = node.attrs
    const change = edit ? ` ${edit} ${editedAt(node) ?? node.attrs.t}` : ''
    const mark = messageMark({ id: `${message.key.id}${change}`, chat: message.key.remoteJid ?? '', author: '' })
    const more = edit ? [] : await deps.authored(message.key)
    await once(mark, async () => [await postEvent(message, edit)].filter((event) => event !== null), more)
    if (!edit) deps.onMessage(message)
  }

  async function postEvent(message: WAMessage, edit: string | undefined): Promise<ReceivedEvent | null> {
    const { id } = message.key
    if (isRemoval(edit))
      return inbound.told(message, notification({ notification: 'revoke' }, [], { reference_message_id: idOrNull(id) }))
    const event = await inbound.message(message)
    // An edited post comes whole.
    return edit && event?.body.is_edit === false
      ? { ...event, body: { ...event.body, is_edit: true, edit_message_id: idOrEmpty(id) } }
      : event
  }

  function postOf(node: BinaryNode): WAMessage | null {
    const content = getBinaryNodeChild(node, 'plaintext')?.content
    const isRemoved = isRemoval(node.attrs.edit)
    if (!isRemoved && !(content instanceof Uint8Array)) return null
    try {
      const { me } = sock.authState.creds
      const { fullMessage } = decodeMessageNode(node, me?.id ?? '', me?.lid ?? '')
      fullMessage.key.fromMe = node.attrs.is_sender === 'true'
      fullMessage.message = isRemoved ? null : proto.Message.decode(content as Uint8Array)
      const at = editedAt(node)
      if (at !== undefined) fullMessage.messageTimestamp = Math.floor(at / SECOND)
      return fullMessage
    } catch (error) {
      log.warn({ err: error, stanza: node.attrs.id }, 'a channel post is not a message')
      return null
    }
  }

  return { notification: tellNotification, post: tellPost }
}

/** `edit` of a stanza: taken back by its author, or by an admin. */
const isRemoval = (edit: string | undefined) => edit === '7' || edit === '8'
/** Epoch ms: `t` may be the time of the post itself. */
const editedAt = (node: BinaryNode) => Number(getBinaryNodeChild(node, 'meta')?.attrs.msg_edit_t) || undefined
