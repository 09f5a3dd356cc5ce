/**
 * Context that any send may have: a quote, mentions, the message timer of the chat. It is built and attached to the content here, because the library
 * makes two mistakes: it attaches the context to the first field of a message, which is wrong for polls and view-once, and it states the wrong author
 * when a message of the account is quoted in a group that uses LIDs.
 */
import {
  type GroupMetadata,
  getContentType,
  normalizeMessageContent,
  proto,
  type WAMessage,
  type WAMessageKey,
} from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import type { UserIdentifier } from '../../../src/domain/ids.ts'
import type { Session } from '../chats/session.ts'
import { isDeleted } from '../messages/known-messages.ts'
import { chatNamesOf } from '../translate/inbound/referenced.ts'
import { isViewOnce } from '../translate/outbound/forward.ts'
import { bare } from '../wire/jid.ts'
import type { SendContext } from './contract.ts'
import type { Destination } from './destination.ts'
import { memberJids } from './member.ts'

/** Shared fields of a send from its input; undefined or false if they have no effect. */
export interface SharedFields {
  reply_to_message_id?: string | undefined
  mentions?: readonly UserIdentifier[] | undefined
  mention_all?: boolean | undefined
}

export interface Surroundings {
  /** The text. Its mentions use the kind of jid that the chat uses, number or LID. */
  text: string
  info: proto.IContextInfo
  quoted: WAMessage | undefined
}

export async function surroundings(
  context: Pick<SendContext, 'ask' | 'session' | 'messages' | 'disappearing' | 'log'>,
  to: Destination,
  input: SharedFields,
  text = '',
): Promise<Surroundings> {
  const { session } = context
  const quoted = input.reply_to_message_id === undefined ? undefined : await remembered(context, input.reply_to_message_id, to)
  const mentions = await mentioned(context, to, text, input.mentions ?? [])
  const everybody = input.mention_all && to.group ? to.group.participants.map(({ id }) => id) : []
  const jids = [...new Set([...mentions.jids, ...everybody])]
  const expiry = to.group ? expiryOfGroup(to.group) : await context.disappearing.of([to.jid, to.other])
  return {
    text: mentions.text,
    quoted,
    info: {
      ...(quoted ? quote(session, to, quoted) : {}),
      ...(jids.length > 0 ? { mentionedJid: jids } : {}),
      ...(everybody.length > 0 ? { nonJidMentions: 1 } : {}),
      ...expiry,
    },
  }
}

const expiryOfGroup = ({ ephemeralDuration }: GroupMetadata) => (ephemeralDuration ? { expiration: ephemeralDuration } : {})

/** Sets the context on the content's own field. Values that the library has set there are kept. */
export function attach(message: proto.IMessage, info: proto.IContextInfo): void {
  if (Object.keys(info).length === 0) return
  const inner = normalizeMessageContent(message)
  const field = inner && getContentType(inner)
  const content = field && inner[field]
  if (typeof content !== 'object' || content === null) return
  const holder = content as { contextInfo?: proto.IContextInfo | null }
  holder.contextInfo = { ...holder.contextInfo, ...info }
}

export interface Wanted {
  /** Also returns a message whose content was deleted. */
  orDeleted?: boolean
}

/** Finds a stored message of this chat. */
export async function remembered(
  { messages }: Pick<SendContext, 'messages'>,
  id: string,
  to: Destination,
  { orDeleted = false }: Wanted = {},
): Promise<WAMessage> {
  const message = await messages.get(id, isOf(to))
  if (!message) throw new Failure('message_not_found')
  if (isDeleted(message) && !orDeleted) throw new Failure('message_not_found', { message: 'The message was deleted.' })
  return message
}

/** Whether a message was written in this chat. The chat with a person has two jids, with the number and with the LID. */
export const isOf =
  ({ jid, other }: Pick<Destination, 'jid' | 'other'>) =>
  (key: WAMessageKey): boolean =>
    chatNamesOf(key).some((name) => name === jid || name === other)

export function quote(session: Session, to: Destination, { key, message }: WAMessage): proto.IContextInfo {
  const content = normalizeMessageContent(message ?? undefined) ?? {}
  const field = getContentType(content)
  // With its key or its small picture, a view-once message could be viewed again.
  const shown = field && isViewOnce(message ?? {}) ? { viewOnce: true } : field && content[field]
  const copy = field ? proto.Message.fromObject({ [field]: shown }) : undefined
  const inner = field && copy?.[field]
  // A quote inside a quote is removed: apps do not show it, and each answer would make it larger.
  if (typeof inner === 'object' && inner !== null && 'contextInfo' in inner) inner.contextInfo = null
  const chat = key.remoteJid ?? to.jid
  return {
    stanzaId: key.id,
    participant: authorOf(session, to, key),
    ...(copy ? { quotedMessage: copy } : {}),
    ...(bare(chat) === to.jid || bare(chat) === to.other ? {} : { remoteJid: chat }),
  }
}

/** Returns the author of a message of this chat, by the kind of jid that the chat uses. */
export function authorOf(session: Session, to: Destination, key: WAMessage['key']): string {
  const { me } = session
  if (!key.fromMe) return bare(key.participant || key.remoteJid || '')
  const byLid = to.group ? to.group.addressingMode === 'lid' : to.jid.endsWith('@lid')
  return bare((byLid ? me?.lid : me?.id) ?? me?.id ?? '')
}

/**
 * Resolves mentions. The mention and the `@<digits>` in the text must both have the jid by which the group addresses
 * the person.
 */
async function mentioned(
  context: Parameters<typeof memberJids>[0],
  to: Destination,
  text: string,
  mentions: readonly UserIdentifier[],
) {
  const jids = await memberJids(context, to, mentions)
  const called = new Map(mentions.map(({ digits }, index) => [digits, jids[index]!.split('@')[0]!]))
  // All mentions are replaced in one pass. With several passes, the replacement of one person could be replaced again, because it may equal the
  // digits of another.
  return { text: text.replaceAll(/@(\d+)/g, (whole, digits) => `@${called.get(digits) ?? whole.slice(1)}`), jids }
}
