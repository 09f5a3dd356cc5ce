/** Messages: how `src/features/messages.ts` is done on the wire. */
import { areJidsSameUser, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { type Identifier, toJid, type UserIdentifier } from '../../../src/domain/ids.ts'
import { type Destination, resolveDestination } from '../destination.ts'
import { linkPreview } from '../link-preview.ts'
import { sendNewsletterText } from '../newsletter.ts'
import { type Letter, sendLetter } from '../sending.ts'
import type { Session } from '../session.ts'
import { statusAudience } from '../status-audience.ts'
import { actionFailure } from '../translate/failures.ts'
import { bare } from '../translate/jid.ts'
import { within } from '../within.ts'
import type { ActionContext, Operations, SendContext } from './types.ts'

/** An own message can be edited this long. */
const EDIT_WINDOW = 15 * MINUTE
const READ_DEADLINE = 20 * SECOND

export const messages: Operations<typeof import('../../../src/features/messages.ts')> = {
  async sendText(context, input) {
    const { session } = context
    const to = await resolveDestination(session, input.phone)
    if (input.edit_message_id !== undefined) return editText(context, to, input.edit_message_id, input.message)
    const card = input.link_preview ? await linkPreview(input.message, context.egressAllow, context.log) : null
    if (to.kind === 'newsletter') return sendNewsletterText(context, to.jid, input.message, card)

    const quoted = input.reply_to_message_id === undefined ? undefined : remembered(context, input.reply_to_message_id, to)
    const addressed = await mentioned(session, to, input.message, input.mentions ?? [], input.mention_all)
    const letter: Letter = {
      content: { text: addressed.text, linkPreview: card, mentions: addressed.jids },
      quoted,
      adjust(message) {
        const info = message.extendedTextMessage?.contextInfo
        if (info && quoted) correctQuote(session, to, info, quoted)
        if (input.mention_all && to.kind === 'group' && info) info.nonJidMentions = 1
      },
      ...(to.kind === 'status' ? { statusJidList: await statusAudience(session) } : {}),
    }
    if (!input.private_answer || to.kind !== 'group' || !quoted || quoted.key.fromMe) return sendLetter(context, to, letter)
    return sendLetter(context, await authorOf(session, quoted), {
      ...letter,
      content: { text: input.message, linkPreview: card },
      adjust(message) {
        const info = message.extendedTextMessage?.contextInfo
        if (info) info.remoteJid = to.jid
      },
    })
  },

  async readMessage(context, input) {
    const key = keyToRead(context, toJid(input.phone), input)
    const { session } = context
    await within(session, READ_DEADLINE, session.sock.readMessages([key])).catch((error) => {
      throw actionFailure(error, 'chat_not_found')
    })
    return { value: true } as const
  },
}

function remembered({ recent }: SendContext, id: string, to: Destination): WAMessage {
  const message = recent.get(id)
  const chat = message?.key.remoteJid
  const isHere = chat === to.jid || chat === to.other || (message?.key.remoteJidAlt ?? null) === to.jid
  if (!message || !isHere) throw new Failure('message_not_found')
  return message
}

async function editText(context: SendContext, to: Destination, id: string, text: string) {
  const original = remembered(context, id, to)
  const ageMs = context.now() - Number(original.messageTimestamp) * SECOND
  if (!original.key.fromMe) throw new Failure('not_allowed', { message: 'Only own messages can be edited.' })
  if (ageMs > EDIT_WINDOW) throw new Failure('not_allowed', { message: 'A message can be edited for 15 minutes.' })
  // The target keeps the namespace it was sent in.
  const chat = original.key.remoteJid ?? to.jid
  return sendLetter(
    context,
    { ...to, jid: chat, other: null },
    { content: { text, edit: original.key, linkPreview: null }, attributes: { edit: to.kind === 'newsletter' ? '3' : '1' } },
  )
}

/** In groups addressed by LID the mention and the `@<digits>` of the text must both be the LID. */
async function mentioned(
  session: Session,
  to: Destination,
  text: string,
  mentions: readonly UserIdentifier[],
  all: boolean,
): Promise<{ text: string; jids: string[] }> {
  const byLid = to.group?.addressingMode === 'lid'
  let rewritten = text
  const jids: string[] = []
  for (const person of mentions) {
    const jid = toJid(person)
    const lid = byLid && person.space === 'phone' ? await session.identity.lidOf(jid) : null
    if (lid !== null) rewritten = rewritten.replaceAll(new RegExp(`@${person.digits}(?!\\d)`, 'g'), `@${lid.split('@')[0]}`)
    jids.push(lid === null ? jid : bare(lid))
  }
  const everybody = all && to.group ? to.group.participants.map(({ id }) => id) : []
  return { text: rewritten, jids: [...new Set([...jids, ...everybody])] }
}

/** The library writes our number as the author of a quoted own message; in LID groups the author is our LID. */
function correctQuote(session: Session, to: Destination, info: { participant?: string | null }, quoted: WAMessage) {
  const lid = session.sock.user?.lid
  if (to.group?.addressingMode === 'lid' && quoted.key.fromMe && lid) info.participant = bare(lid)
}

async function authorOf(session: Session, { key }: WAMessage): Promise<Destination> {
  const author = bare(key.participant ?? '')
  const other = key.participantAlt ? bare(key.participantAlt) : await otherName(session, author)
  return { jid: author, kind: 'user', other, group: null }
}

const otherName = (session: Session, jid: string) =>
  jid.endsWith('@lid') ? session.identity.pnOf(jid) : session.identity.lidOf(jid)

/** The receipt must go to the jid the message came from, so the remembered key comes first. */
function keyToRead(
  { recent }: ActionContext,
  chat: string,
  input: { phone: Identifier; message_id: string; participant?: UserIdentifier | undefined },
): WAMessageKey {
  const known = recent.get(input.message_id)
  if (known) {
    const { remoteJid, remoteJidAlt } = known.key
    if (![remoteJid, remoteJidAlt].some((jid) => jid && areJidsSameUser(jid, chat))) throw new Failure('message_not_found')
    return known.key
  }
  if (input.phone.kind === 'user') return { remoteJid: chat, id: input.message_id, fromMe: false }
  if (!input.participant) throw new Failure('message_not_found')
  return { remoteJid: chat, id: input.message_id, fromMe: false, participant: toJid(input.participant) }
}
