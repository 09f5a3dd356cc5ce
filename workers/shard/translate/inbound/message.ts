/**
 * A readable message to its `received` event: the common fields here, the content block by family in the files beside this one.
 * Pure but for the identities it asks for; asks nobody outside this process, so that no lookup can delay an event.
 */
import { type proto, toNumber, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import type { DomainEvent } from '../../../../src/domain/events.ts'
import type { Identity } from '../../identity.ts'
import { chatKind, identifierOf } from '../jid.ts'
import { externalAdReply } from './ad.ts'
import { cutOrNull } from './bounds.ts'
import { contextInfo, type Unwrapped, unwrap } from './content.ts'
import { text } from './text.ts'

/** What a family makes of the content: its block by name, or null when the content is not of this family. */
export type Block = (content: Unwrapped) => Record<string, unknown> | null

const FAMILIES: readonly Block[] = [text]

/** Any other content: its name in the protocol. */
const unsupported: Block = ({ field }) => ({ unsupported: { proto_type: cutOrNull(field, 64) } })

export interface ReadableMessage {
  key: WAMessageKey
  message?: proto.IMessage | null | undefined
  /** Epoch seconds, as the stanza says. */
  messageTimestamp?: WAMessage['messageTimestamp']
  pushName?: string | null | undefined
  broadcast?: boolean | null | undefined
}

export interface InboundContext {
  identity: Identity
  /** The account's own number in digits, null before it is known. */
  connectedPhone(): string | null
  /** Subject of a group from the cache, or null. */
  chatName(jid: string): string | null
}

/** The event of a message, or null when it carries nothing to report. `fromApi`: this service sent it. */
export async function receivedEvent(
  context: InboundContext,
  readable: ReadableMessage,
  fromApi = false,
): Promise<DomainEvent | null> {
  const content = unwrap(readable.message ?? {})
  if (!content) return null
  const block = FAMILIES.map((family) => family(content)).find((found) => found !== null) ?? unsupported(content)!
  const info = contextInfo(content)
  const ad = externalAdReply(info)
  return {
    type: 'received',
    at: toNumber(readable.messageTimestamp) * 1_000,
    body: {
      ...(await commonFields(context, readable, content, info)),
      from_api: fromApi,
      message_type: Object.keys(block)[0],
      ...(readable.key.server_id ? { newsletter_server_id: readable.key.server_id } : {}),
      ...(ad ? { external_ad_reply: ad } : {}),
      ...block,
    },
  }
}

async function commonFields(
  context: InboundContext,
  readable: ReadableMessage,
  content: Unwrapped,
  info: proto.IContextInfo | null,
) {
  const { key } = readable
  const chat = key.remoteJid ?? ''
  const kind = chatKind(chat)
  const fromMe = key.fromMe === true
  const isOneToOne = kind === 'user'
  const person = isOneToOne ? await context.identity.person(chat, key.remoteJidAlt) : null
  const author =
    key.participant && !isOneToOne
      ? await context.identity.person(
          key.participant,
          kind === 'group' ? key.participantAlt : (key.participantAlt ?? key.remoteJidAlt),
        )
      : null
  // A broadcast list is reported in the chat of its sender.
  const isList = kind === 'broadcast'
  const senderName = cutOrNull(readable.pushName, 256)
  return {
    message_id: key.id,
    message_type: '',
    phone: isList && author ? author.phone : (person?.phone ?? identifierOf(chat)),
    chat_lid: person?.lid ?? (isList ? (author?.lid ?? null) : null),
    is_group: kind === 'group',
    is_newsletter: kind === 'newsletter',
    broadcast: kind === 'status' || isList,
    from_me: fromMe,
    from_api: false,
    status: fromMe ? 'sent' : 'received',
    chat_name: cutOrNull(context.chatName(chat) ?? (isOneToOne && !fromMe ? readable.pushName : null), 256),
    sender_name: kind === 'newsletter' ? null : senderName,
    photo: null,
    sender_photo: null,
    participant_phone: isList ? null : (author?.phone ?? null),
    participant_lid: isList ? null : (author?.lid ?? null),
    connected_phone: context.connectedPhone(),
    reference_message_id: info?.stanzaId || null,
    is_status_reply: info?.remoteJid === 'status@broadcast' && info.participant ? context.identity.isMe(info.participant) : false,
    is_edit: false,
    forwarded: info?.isForwarded === true,
    view_once: content.viewOnce,
    waiting_message: false,
    message_expiration_seconds: info?.expiration || null,
    mentions: await Promise.all(
      (info?.mentionedJid ?? []).slice(0, 500).map(async (jid) => (await context.identity.person(jid)).phone),
    ),
  }
}
