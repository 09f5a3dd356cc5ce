/**
 * A readable message to its `received` event: the common fields here, the content block by family in the files beside this one.
 * Pure but for the identities and earlier messages it asks for; asks nobody outside this process, so that no lookup can delay an event.
 */
import { type proto, toNumber, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import { fromJid } from '../../../../src/domain/ids.ts'
import type { ReceivedEvent, ReceivedFields } from '../../../../src/features/webhook-payloads.ts'
import { count, cut, cutOrNull, idOrEmpty, idOrNull, MAX_NAME } from '../../wire/bounds.ts'
import { bare, type ChatKind, chatKind, identifierOf, jidsOf } from '../../wire/jid.ts'
import type { Person } from '../../wire/person.ts'
import { externalAdReply } from './ad.ts'
import { contextInfo, type Unwrapped, unwrap } from './content.ts'
import { tell } from './families.ts'
import { block, type InboundContext, type Scene, type Told } from './family.ts'
import { LookupError } from './lookup.ts'

export type { InboundContext } from './family.ts'

const MAX_MENTIONS = 500

export interface ReadableMessage {
  key: WAMessageKey
  message?: proto.IMessage | null | undefined
  /** Epoch seconds, as the stanza says. */
  messageTimestamp?: WAMessage['messageTimestamp']
  pushName?: string | null | undefined
  broadcast?: boolean | null | undefined
  paymentInfo?: proto.IPaymentInfo | null | undefined
  /** Number of a content field that the library does not know, of a message that has no other (`unknown-content.ts`). */
  unknownField?: number | null | undefined
}

/** The event of a message, or null when it carries nothing to report. `fromApi`: this service sent it. */
export async function receivedEvent(
  context: InboundContext,
  readable: ReadableMessage,
  fromApi = false,
): Promise<ReceivedEvent | null> {
  const content = unwrap(readable.message ?? {})
  if (!content) return readable.unknownField ? toldEvent(context, readable, unsupported(`field ${readable.unknownField}`)) : null
  try {
    return await contentEvent(context, readable, content, fromApi)
  } catch (error) {
    if (error instanceof LookupError) throw error
    // A stranger's message must not hold up those behind it: what cannot be told is told as unsupported.
    context.onProblem(error, readable.key)
    return contentEvent(context, readable, { ...content, message: {}, aside: {} }, fromApi)
  }
}

async function contentEvent(
  context: InboundContext,
  readable: ReadableMessage,
  content: Unwrapped,
  fromApi: boolean,
): Promise<ReceivedEvent | null> {
  const people = await peopleOf(context, readable.key)
  const scene = sceneOf(context, readable, people)
  const told = await tell(content, scene)
  if (told === 'silent') return null
  const info = contextInfo(content)
  const ad = externalAdReply(info)
  const common: Partial<ReceivedFields> = {
    ...(await fromInfo(context, info)),
    view_once: content.viewOnce,
    from_api: fromApi,
    ...(ad ? { external_ad_reply: ad } : {}),
  }
  return finished(context, readable, people, told ?? unsupported(cut(content.field, 64)), common)
}

/** An event of a message that has no content of its own: a notification, or one that cannot be read yet. */
export async function toldEvent(context: InboundContext, readable: ReadableMessage, told: Told): Promise<ReceivedEvent> {
  return finished(context, readable, await peopleOf(context, readable.key), told)
}

/** Not readable yet, or never: shared/api/webhook-payloads.md, 2.3. */
export const waiting = (viewOnce: boolean): Told => ({
  content: { message_type: 'waiting_message', waiting_message: true },
  common: { view_once: viewOnce },
})

const unsupported = (proto_type: string) => block('unsupported', { proto_type })

interface People {
  kind: ChatKind
  chat: Person
  author: Person | null
}

async function peopleOf({ identity }: InboundContext, key: WAMessageKey): Promise<People> {
  const chat = key.remoteJid ?? ''
  const kind = chatKind(chat)
  if (kind === 'user') {
    const person = await identity.person(chat, key.remoteJidAlt)
    return { kind, chat: person, author: key.fromMe ? await ownPerson() : person }
  }
  const author = key.participant
    ? await identity.person(key.participant, kind === 'group' ? key.participantAlt : (key.participantAlt ?? key.remoteJidAlt))
    : key.fromMe && kind !== 'newsletter'
      ? await ownPerson()
      : null
  // A broadcast list is reported in the chat of its sender.
  return { kind, chat: kind === 'broadcast' && author ? author : { phone: identifierOf(chat), lid: null }, author }

  async function ownPerson(): Promise<Person | null> {
    const [own] = identity.own()
    return own === undefined ? null : identity.person(own)
  }
}

const sceneOf = (context: InboundContext, readable: ReadableMessage, { kind, chat, author }: People): Scene => ({
  context,
  key: readable.key,
  kind,
  fromMe: readable.key.fromMe === true,
  at: timeOf(context, readable),
  phone: chat.phone,
  author,
  paymentInfo: readable.paymentInfo ?? null,
})

const timeOf = ({ now }: InboundContext, { messageTimestamp }: ReadableMessage) => toNumber(messageTimestamp) * 1_000 || now()

/** Quote, forwarding, expiry and mentions. */
async function fromInfo({ identity }: InboundContext, info: proto.IContextInfo | null) {
  return {
    reference_message_id: idOrNull(info?.stanzaId),
    is_status_reply: info?.remoteJid === 'status@broadcast' && info.participant ? identity.isMe(info.participant) : false,
    forwarded: info?.isForwarded === true,
    message_expiration_seconds: count(info?.expiration) || null,
    mentions: await Promise.all(
      // What is no person's address was written by a stranger's hand: `""`, `@lid`, a word.
      (info?.mentionedJid ?? [])
        .filter((jid) => fromJid(jid)?.kind === 'user')
        .slice(0, MAX_MENTIONS)
        .map(async (jid) => (await identity.person(bare(jid))).phone),
    ),
  }
}

/** A chat of one person is called as that person calls itself while nothing better is known. */
function chatNameOf({ chatName }: InboundContext, { key, pushName }: ReadableMessage, { kind, chat }: People) {
  const isPerson = kind === 'user' || kind === 'broadcast'
  return cutOrNull(chatName(jidsOf(chat)) ?? (isPerson && !key.fromMe ? pushName : null), MAX_NAME)
}

/** Asked for where somebody else wrote. Our own picture is one, and counts with the chats. */
function photosOf({ photo }: InboundContext, { key }: ReadableMessage, { kind, chat, author }: People) {
  const isCrowd = kind === 'group' || kind === 'status'
  return {
    photo: kind === 'status' ? null : photo(jidsOf(chat), key.fromMe ? null : 'chat'),
    sender_photo: author && photo(jidsOf(author), isCrowd && !key.fromMe ? 'author' : 'chat'),
  }
}

function finished(
  context: InboundContext,
  readable: ReadableMessage,
  people: People,
  told: Told,
  fields: Partial<ReceivedFields> = {},
): ReceivedEvent {
  const { kind, chat, author } = people
  const { key } = readable
  const fromMe = key.fromMe === true
  const isList = kind === 'broadcast'
  // In the order of the contract: what comes again below keeps its place.
  const first = { message_id: idOrEmpty(key.id), message_type: told.content.message_type }
  const inGroup = kind === 'group' || kind === 'status' ? author : null
  return {
    type: 'received',
    at: timeOf(context, readable),
    body: {
      ...first,
      phone: chat.phone,
      chat_lid: chat.lid,
      is_group: kind === 'group',
      is_newsletter: kind === 'newsletter',
      broadcast: kind === 'status' || isList,
      from_me: fromMe,
      from_api: false,
      status: fromMe ? 'sent' : 'received',
      chat_name: chatNameOf(context, readable, people),
      sender_name: kind === 'newsletter' ? null : cutOrNull(readable.pushName, MAX_NAME),
      ...photosOf(context, readable, people),
      participant_phone: inGroup?.phone ?? null,
      participant_lid: inGroup?.lid ?? null,
      connected_phone: context.connectedPhone(),
      reference_message_id: null,
      is_status_reply: false,
      is_edit: false,
      forwarded: false,
      view_once: false,
      waiting_message: false,
      message_expiration_seconds: null,
      mentions: [],
      ...(key.server_id ? { newsletter_server_id: idOrEmpty(key.server_id) } : {}),
      ...fields,
      ...told.common,
      ...told.content,
    },
  }
}
