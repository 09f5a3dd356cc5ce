/**
 * Builds the context that any message may have: a quote, mentions, and the timer of disappearing messages. Baileys
 * would attach the context to the wrong field of some messages, and quote the wrong author in groups that use LIDs.
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

export interface SharedFields {
  reply_to_message_id?: string | undefined
  mentions?: readonly UserIdentifier[] | undefined
  mention_all?: boolean | undefined
}

export interface Surroundings {
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

/** Adds `info` to the context of the message. Other values that Baileys has set in the context are kept. */
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
  orDeleted?: boolean
}

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

/**
 * Returns a function that tells whether a key belongs to this chat. A 1:1 chat has two jids, with the number and with
 * the LID.
 */
export const isOf =
  ({ jid, other }: Pick<Destination, 'jid' | 'other'>) =>
  (key: WAMessageKey): boolean =>
    chatNamesOf(key).some((name) => name === jid || name === other)

export function quote(session: Session, to: Destination, { key, message }: WAMessage): proto.IContextInfo {
  const content = normalizeMessageContent(message ?? undefined) ?? {}
  const field = getContentType(content)
  // Of a view-once message only a mark is quoted. With its media key or small picture, the message could be viewed
  // again through the quote.
  const shown = field && isViewOnce(message ?? {}) ? { viewOnce: true } : field && content[field]
  const copy = field ? proto.Message.fromObject({ [field]: shown }) : undefined
  const inner = field && copy?.[field]
  // The quote inside the quote is removed: apps do not show it, and each answer would make it larger.
  if (typeof inner === 'object' && inner !== null && 'contextInfo' in inner) inner.contextInfo = null
  const chat = key.remoteJid ?? to.jid
  return {
    stanzaId: key.id,
    participant: authorOf(session, to, key),
    ...(copy ? { quotedMessage: copy } : {}),
    ...(bare(chat) === to.jid || bare(chat) === to.other ? {} : { remoteJid: chat }),
  }
}

/**
 * Returns the jid of the message's author. For the account itself this is its number or its LID, whichever the chat
 * uses.
 */
export function authorOf(session: Session, to: Destination, key: WAMessage['key']): string {
  const { me } = session
  if (!key.fromMe) return bare(key.participant || key.remoteJid || '')
  const byLid = to.group ? to.group.addressingMode === 'lid' : to.jid.endsWith('@lid')
  return bare((byLid ? me?.lid : me?.id) ?? me?.id ?? '')
}

/**
 * Returns the jids of the mentioned people, and the text with their digits (`@<digits>`). Both must name a person by
 * the jid that the group uses.
 */
async function mentioned(
  context: Parameters<typeof memberJids>[0],
  to: Destination,
  text: string,
  mentions: readonly UserIdentifier[],
) {
  const jids = await memberJids(context, to, mentions)
  const called = new Map(mentions.map(({ digits }, index) => [digits, jids[index]!.split('@')[0]!]))
  // All mentions are replaced in one pass, because the new digits of one person may be equal to the digits of another.
  return { text: text.replaceAll(/@(\d+)/g, (whole, digits) => `@${called.get(digits) ?? whole.slice(1)}`), jids }
}
