import { type BinaryNode, isJidGroup, isJidNewsletter, type WAMessageKey } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { ReceivedEvent } from '../../../src/features/webhook-payloads.ts'
import type { Op } from '../../../src/storage/contract.ts'
import { pictureOf } from '../chats/picture-of.ts'
import type { SocketSession } from '../chats/session.ts'
import { messageMark } from '../messages/seen-marks.ts'
import { type InboundContext, notification, type Translated } from '../translate/inbound/family.ts'
import { groupNotices } from '../translate/inbound/group-notice.ts'
import { LookupError } from '../translate/inbound/lookup.ts'
import type { ReadableMessage } from '../translate/inbound/message.ts'
import { mexNotices, newsletterNotices } from '../translate/inbound/newsletter-notice.ts'
import { envelopeOf, fromOf } from '../wire/envelope.ts'
import { groupNoticeIn } from '../wire/group-notice.ts'
import { bare } from '../wire/jid.ts'
import { pictureChangeIn } from '../wire/picture.ts'
import type { Once } from './inbox/tries.ts'
import type { ReceivedEvents } from './received-events.ts'

export interface NoticeDeps {
  inbound: Pick<ReceivedEvents, 'context' | 'translated'>
  log: Logger
  once: Once
  rolesChanged(notice: BinaryNode): Promise<Op[]>
}

/**
 * Resolves when the events of the notification are on disk. Rejects if the network must deliver the notification again.
 */
export type AppendNotice = (node: BinaryNode) => Promise<void>

interface Notice {
  chat: string
  participant?: string | undefined
  participantAlt?: string | undefined
  translated: Translated
}

/** Time limit in ms for the query of the account's own new picture. Without an answer the event has no URL. */
const PICTURE_DEADLINE = 3_000

export function createNotices(session: SocketSession, deps: NoticeDeps): AppendNotice {
  const { inbound, log, once } = deps
  const { identity } = session

  /** Whether this service caused the error, and not the stanza. The network then delivers the stanza again. */
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

  async function noticesOf(node: BinaryNode, context: InboundContext): Promise<Notice[]> {
    const { type, from } = envelopeOf(node)
    switch (type) {
      // The network sets `from`, so the group in it can be trusted. A notification that does not come from a group is
      // ignored.
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
    pictureOf({ ask: session.ask, session }, identity.own()[0] ?? '', 'image', { atMostMs: PICTURE_DEADLINE }).then(
      (url) => url?.slice(0, 2_048) ?? null,
      (error: unknown) => {
        if (session.ended.aborted) throw error
        log.info({ err: error }, "the URL of the account's new picture could not be fetched")
        return null
      },
    )

  return async (node) => {
    const context = inbound.context()
    if (!context) return
    const { type, from, id, participant } = envelopeOf(node)
    const make = async () => {
      try {
        return await events(node, await noticesOf(node, context))
      } catch (error) {
        if (isOurs(error)) throw error
        // The stanza is confirmed, because parsing would fail again after another delivery.
        log.warn({ err: error, type, stanza: id }, 'a notification could not be translated')
        return []
      }
    }
    const more = type === 'w:gp2' && isJidGroup(from) ? await deps.rolesChanged(node) : []
    await once(messageMark({ id: `${type} ${id}`, chat: from, author: participant }), make, more)
  }
}
