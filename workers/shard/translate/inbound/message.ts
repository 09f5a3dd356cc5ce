/**
 * Translates a readable message to its `received` event. No look-up queries the network, because an event must not wait
 * for an answer.
 */
import { type proto, toNumber, type WAMessage, type WAMessageKey } from '@whiskeysockets/baileys'
import type { ReceivedEvent, ReceivedFields } from '../../../../src/features/webhook-payloads.ts'
import { cut, cutOrNull, idOrEmpty, MAX_NAME } from '../../wire/bounds.ts'
import { type ChatKind, chatKind, identifierOf, jidsOf } from '../../wire/jid.ts'
import type { Person } from '../../wire/person.ts'
import { type Unwrapped, unwrap } from './content.ts'
import { contextFields } from './context-fields.ts'
import { translate } from './families.ts'
import { block, type InboundContext, type Scene, type Translated } from './family.ts'
import { LookupError } from './lookup.ts'
import { type Change, changeBy } from './protocol.ts'

export type { InboundContext } from './family.ts'

export interface ReadableMessage {
  key: WAMessageKey
  message?: proto.IMessage | null | undefined
  /** Time from the stanza, in epoch seconds. */
  messageTimestamp?: WAMessage['messageTimestamp']
  pushName?: string | null | undefined
  broadcast?: boolean | null | undefined
  paymentInfo?: proto.IPaymentInfo | null | undefined
  unknownField?: number | null | undefined
}

/** Returns null if there is nothing to report. `fromApi`: whether this service sent the message. */
export async function receivedEvent(
  context: InboundContext,
  readable: ReadableMessage,
  fromApi = false,
): Promise<ReceivedEvent | null> {
  const content = unwrap(readable.message ?? {})
  if (!content)
    return readable.unknownField ? translatedEvent(context, readable, unsupported(`field ${readable.unknownField}`)) : null
  try {
    return await contentEvent(context, readable, content, fromApi)
  } catch (error) {
    if (error instanceof LookupError) throw error
    // The message is reported as unsupported, because a message of another person must not block later messages.
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
  const translated = await translate(content, scene)
  if (translated === 'silent') return null
  const common = { ...(await contextFields(content, context)), from_api: fromApi }
  return finished(context, readable, people, translated ?? unsupported(cut(content.field, 64)), common)
}

/**
 * Returns the change that a message makes to an earlier one. Null if it changes none, if the change cannot be read, or
 * if the sender may not make it.
 */
export async function messageChange(context: InboundContext, readable: ReadableMessage): Promise<Change | null> {
  const content = unwrap(readable.message ?? {})
  if (!content) return null
  try {
    return await changeBy(content, sceneOf(context, readable, await peopleOf(context, readable.key)))
  } catch (error) {
    if (error instanceof LookupError) throw error
    context.onProblem(error, readable.key)
    return null
  }
}

/** Builds the event from translated content: a notification, or the content that replaces an unreadable message. */
export async function translatedEvent(
  context: InboundContext,
  readable: ReadableMessage,
  translated: Translated,
): Promise<ReceivedEvent> {
  return finished(context, readable, await peopleOf(context, readable.key), translated)
}

export const waiting = (viewOnce: boolean): Translated => ({
  content: { message_type: 'waiting_message', waiting_message: true },
  common: { view_once: viewOnce },
})

export const unsupported = (proto_type: string) => block('unsupported', { proto_type })

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
  // A message to a broadcast list is reported in the 1:1 chat with its sender.
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

/** Returns the name of the chat. If a 1:1 chat has no known name, this is the name that the person has chosen. */
function chatNameOf({ chatName }: InboundContext, { key, pushName }: ReadableMessage, { kind, chat }: People) {
  const isPerson = kind === 'user' || kind === 'broadcast'
  return cutOrNull(chatName(jidsOf(chat)) ?? (isPerson && !key.fromMe ? pushName : null), MAX_NAME)
}

/**
 * Returns the URLs of the pictures of the chat and the author. An unknown picture of the chat may be queried only if
 * another person wrote the message.
 */
function photosOf({ photo }: InboundContext, { key }: ReadableMessage, { kind, chat, author }: People) {
  const isCrowd = kind === 'group' || kind === 'status'
  return {
    photo: kind === 'status' ? null : photo(jidsOf(chat), key.fromMe ? null : 'chat'),
    sender_photo: author && photo(jidsOf(author), isCrowd && !key.fromMe ? 'author' : 'chat'),
  }
}

/**
 * The fields have the order of the API documentation. They are in one object literal with later assignments, because V8
 * turns an object from many spreads into a slow hash table.
 */
function finished(
  context: InboundContext,
  readable: ReadableMessage,
  people: People,
  translated: Translated,
  fields: Partial<ReceivedFields> = {},
): ReceivedEvent {
  const { kind, chat, author } = people
  const { key } = readable
  const fromMe = key.fromMe === true
  const isList = kind === 'broadcast'
  const inGroup = kind === 'group' || kind === 'status' ? author : null
  const { photo, sender_photo } = photosOf(context, readable, people)
  const body = {
    message_id: idOrEmpty(key.id),
    message_type: translated.content.message_type,
    phone: chat.phone,
    chat_lid: chat.lid,
    is_group: kind === 'group',
    is_newsletter: kind === 'newsletter',
    broadcast: kind === 'status' || isList,
    from_me: fromMe,
    from_api: false,
    status: fromMe ? ('sent' as const) : ('received' as const),
    chat_name: chatNameOf(context, readable, people),
    sender_name: kind === 'newsletter' ? null : cutOrNull(readable.pushName, MAX_NAME),
    photo,
    sender_photo,
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
  }
  const server = key.server_id ? { newsletter_server_id: idOrEmpty(key.server_id) } : {}
  const common = Object.assign(body, server, fields, translated.common)
  return { type: 'received', at: timeOf(context, readable), body: Object.assign(common, translated.content) }
}
