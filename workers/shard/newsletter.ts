/**
 * Posts to a channel: plaintext, built by hand, because the library leaves out the media type and sends a wrong path, which the network
 * refuses with 479 for anything but plain text (shared/api/messages.md, 1.6).
 */
import { encodeNewsletterMessage, type proto, type WAMessage, type WAUrlInfo } from '@whiskeysockets/baileys'
import { Failure } from '../../src/domain/failures.ts'
import type { Accepted, SendContext } from './operations/types.ts'
import { ackFailure, sendFailure } from './translate/failures.ts'

export async function sendNewsletterText(
  { session, recent, item, now }: SendContext,
  jid: string,
  text: string,
  card: WAUrlInfo | null,
): Promise<Accepted> {
  const content: proto.IMessage = card
    ? {
        extendedTextMessage: {
          text,
          matchedText: card['matched-text'],
          title: card.title,
          description: card.description ?? null,
        },
      }
    : { conversation: text }
  const ack = session.ack(item.messageId)
  await session.sock
    .sendNode({
      tag: 'message',
      attrs: { id: item.messageId, to: jid, type: 'text' },
      content: [{ tag: 'plaintext', attrs: {}, content: encodeNewsletterMessage(content) }],
    })
    .catch((error: unknown) => {
      throw sendFailure(error, 'newsletter_not_found')
    })
  const verdict = await Promise.race([ack, session.ended])
  if (verdict === 'timeout') throw new Failure('send_timeout')
  if (verdict === 'closed') throw new Failure('instance_not_connected')
  if (!verdict.ok)
    throw verdict.code === 404 ? new Failure('newsletter_not_found') : ackFailure(verdict.code, session.isRestricted())
  const message = {
    key: { remoteJid: jid, id: item.messageId, fromMe: true, ...(verdict.serverId ? { server_id: verdict.serverId } : {}) },
    message: content,
    messageTimestamp: Math.floor(now() / 1_000),
  } as WAMessage
  recent.add(message)
  return { message }
}
