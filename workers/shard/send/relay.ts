/**
 * How every queued message leaves: typing, the durable copy for retries, the relay, and the network's ack, which alone decides
 * (shared/api/messages.md, 1.6).
 */
import {
  type AnyMessageContent,
  type BinaryNode,
  generateWAMessage,
  generateWAMessageFromContent,
  type MessageGenerationOptions,
  type MessageRelayOptions,
  normalizeMessageContent,
  type proto,
  type WAMessage,
} from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { withMediaType } from '../baileys/media-type.ts'
import { sendFailure } from '../connection/failures.ts'
import { pause, untilEnd, within } from '../connection/within.ts'
import { type Stanza, stanzaOf } from '../translate/outbound/stanza.ts'
import { attach } from './context-info.ts'
import type { Accepted, SendContext } from './contract.ts'
import type { Destination } from './destination.ts'
import { refusal } from './refusal.ts'

export interface Letter {
  /** What the library composes, or a finished protobuf. */
  content: AnyMessageContent | { proto: proto.IMessage }
  /** Quote, mentions and expiry: `context-info.ts`. */
  info?: proto.IContextInfo
  /** Attributes of the stanza beside those its content asks for (`translate/outbound/stanza.ts`). */
  attributes?: Record<string, string>
  /** Further children of the stanza. */
  nodes?: BinaryNode[]
  /** Options of the library's composer: colours, fonts. */
  options?: Partial<MessageGenerationOptions>
  statusJidList?: string[]
}

/** The other namespace is tried once after these, with the same id: each try counts against the account. */
const TRY_OTHER = new Set([400, 463, 479])
/** Of an account under a reach-out lock, or to somebody who has to be approached in another way: only the lock tells which. */
const RESTRICTED = 463
/** Time for device lists, sessions and the write: two queries of the library at their own time-out. */
const RELAY_DEADLINE = 60 * SECOND
/** Recipients of one stanza of a status. */
const STATUS_BATCH = 2_000

export async function sendLetter(context: SendContext, to: Destination, letter: Letter): Promise<Accepted> {
  await showTyping(context, to, letter)
  const message = await compose(context, to.jid, letter)
  if (letter.info) attach(message, letter.info)
  const stanza = stanzaOf(message, to, letter)
  const store = context.sent.putEncrypted(context.item.messageId, message, stanza)
  return relay(context, { message, stanza, ...(letter.statusJidList ? { statusJidList: letter.statusJidList } : {}) }, store)
}

/** A message as it is stored, ready to leave, for the first time or again. */
export interface Parcel {
  message: proto.IMessage
  stanza: Stanza
  statusJidList?: string[]
}

/** `store`: writes what no commit of keys has taken along; absent where it is on disk already. */
export async function relay(context: SendContext, parcel: Parcel, store?: () => Promise<void>): Promise<Accepted> {
  const first = await attempt(context, parcel, store)
  if (first === 'ok') return accept(context, parcel)
  const { session } = context
  if (first === RESTRICTED) await session.refreshRestriction()
  const { other, ...stanza } = parcel.stanza
  if (other === undefined || !TRY_OTHER.has(first) || session.isRestricted()) throw await refusal(session, stanza.to, first)
  const readdressed = { ...parcel, stanza: { ...stanza, to: other } }
  await context.sent.put(context.item.messageId, parcel.message, readdressed.stanza)
  const second = await attempt(context, readdressed)
  if (second === 'ok') return accept(context, readdressed)
  throw await refusal(session, other, second)
}

/** The code of the refusal, if it is one. */
async function attempt(
  { session, item }: SendContext,
  { message, stanza, statusJidList }: Parcel,
  store?: () => Promise<void>,
): Promise<'ok' | number> {
  const { sock } = session
  const options: MessageRelayOptions = {
    messageId: item.messageId,
    useCachedGroupMetadata: true,
    additionalAttributes: stanza.attributes,
    additionalNodes: stanza.nodes,
  }
  for (const batch of batches(statusJidList)) {
    const ack = session.ack(item.messageId, stanza.to)
    try {
      const relayed = sock.relayMessage(stanza.to, withMediaType(message), {
        ...options,
        ...(batch ? { statusJidList: batch } : {}),
      })
      await within(session, RELAY_DEADLINE, relayed)
    } catch (error) {
      ack.giveUp()
      // After a time-out it may still leave.
      await store?.()
      throw sendFailure(error)
    }
    await store?.()
    const verdict = await untilEnd(session, ack.verdict())
    if (verdict === 'timeout') throw new Failure('send_timeout')
    if (verdict === 'closed') throw new Failure('instance_not_connected')
    if (!verdict.ok) return verdict.code
  }
  return 'ok'
}

/** A long audience goes in several stanzas of the same id; one without audience in one. */
function batches(audience: string[] | undefined): (string[] | undefined)[] {
  if (!audience || audience.length <= STATUS_BATCH) return [audience]
  const count = Math.ceil(audience.length / STATUS_BATCH)
  return Array.from({ length: count }, (_, index) => audience.slice(index * STATUS_BATCH, (index + 1) * STATUS_BATCH))
}

async function compose(context: SendContext, jid: string, { content, options }: Letter): Promise<proto.IMessage> {
  const own = ownOptions(context)
  try {
    const made =
      'proto' in content
        ? generateWAMessageFromContent(jid, content.proto, own)
        : await generateWAMessage(jid, content, {
            ...own,
            upload: context.session.sock.waUploadToServer,
            ...options,
          } as MessageGenerationOptions)
    return made.message!
  } catch (error) {
    throw sendFailure(error)
  }
}

const ownOptions = ({ session, item }: SendContext) => ({ userJid: session.me?.id ?? '', messageId: item.messageId })

function accept(context: SendContext, { message, stanza }: Parcel): Accepted {
  const { recent, now } = context
  const made = generateWAMessageFromContent(stanza.to, message, ownOptions(context))
  const own = { ...made, key: { ...made.key, fromMe: true }, messageTimestamp: Math.floor(now() / SECOND) } as WAMessage
  recent.add(own)
  return { message: own }
}

/** `typing...`, or `recording...` before a voice note, for as long as asked; channels and status have none. */
async function showTyping({ session, item }: SendContext, to: Destination, { content }: Letter): Promise<void> {
  if (item.delayTyping === 0 || to.kind === 'newsletter' || to.kind === 'status') return
  const isVoiceNote = 'proto' in content && normalizeMessageContent(content.proto)?.audioMessage?.ptt === true
  const state = isVoiceNote ? 'recording' : 'composing'
  await within(session, RELAY_DEADLINE, session.sock.sendPresenceUpdate(state, to.jid)).catch((error) => {
    throw sendFailure(error)
  })
  await pause(session, item.delayTyping * SECOND)
}
