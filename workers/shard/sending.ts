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
import { SECOND } from '../../src/domain/clock.ts'
import { Failure } from '../../src/domain/failures.ts'
import { withMediaType } from './baileys/media-type.ts'
import { attach } from './context-info.ts'
import type { Destination } from './destination.ts'
import type { Accepted, SendContext } from './operations/types.ts'
import { ackFailure, sendFailure } from './translate/failures.ts'
import { stanzaOf } from './translate/outbound/stanza.ts'
import { pause, untilEnd, within } from './within.ts'

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
  const first = await attempt(context, to, to.jid, letter)
  if (first.ok) return accept(context, first.message)
  const { session } = context
  if (first.code === RESTRICTED) await session.refreshRestriction()
  const isRestricted = session.isRestricted()
  if (to.other === null || !TRY_OTHER.has(first.code) || isRestricted) throw ackFailure(first.code, isRestricted)
  const second = await attempt(context, to, to.other, letter)
  if (second.ok) return accept(context, second.message)
  throw ackFailure(second.code, session.isRestricted())
}

type Attempt = { ok: true; message: WAMessage } | { ok: false; code: number }

async function attempt(context: SendContext, to: Destination, jid: string, letter: Letter): Promise<Attempt> {
  const { session, sent, item } = context
  const { sock } = session
  const message = await compose(context, jid, letter)
  if (letter.info) attach(message.message!, letter.info)
  const stanza = stanzaOf(message.message!, { jid, group: to.group }, letter)
  await sent.put(item.messageId, message.message!, stanza)
  const options: MessageRelayOptions = {
    messageId: item.messageId,
    useCachedGroupMetadata: true,
    additionalAttributes: stanza.attributes,
    additionalNodes: stanza.nodes,
  }
  for (const statusJidList of batches(letter.statusJidList)) {
    const ack = session.ack(item.messageId)
    try {
      const relayed = sock.relayMessage(jid, withMediaType(message.message!), {
        ...options,
        ...(statusJidList ? { statusJidList } : {}),
      })
      await within(session, RELAY_DEADLINE, relayed)
    } catch (error) {
      ack.giveUp()
      throw sendFailure(error)
    }
    const verdict = await untilEnd(session, ack.verdict())
    if (verdict === 'timeout') throw new Failure('send_timeout')
    if (verdict === 'closed') throw new Failure('instance_not_connected')
    if (!verdict.ok) return { ok: false, code: verdict.code }
  }
  return { ok: true, message }
}

/** A long audience goes in several stanzas of the same id; one without audience in one. */
function batches(audience: string[] | undefined): (string[] | undefined)[] {
  if (!audience || audience.length <= STATUS_BATCH) return [audience]
  const count = Math.ceil(audience.length / STATUS_BATCH)
  return Array.from({ length: count }, (_, index) => audience.slice(index * STATUS_BATCH, (index + 1) * STATUS_BATCH))
}

async function compose({ session, item }: SendContext, jid: string, { content, options }: Letter): Promise<WAMessage> {
  const { sock } = session
  const own = { userJid: session.me?.id ?? '', messageId: item.messageId }
  try {
    if ('proto' in content) return generateWAMessageFromContent(jid, content.proto, own)
    return await generateWAMessage(jid, content, {
      ...own,
      upload: sock.waUploadToServer,
      ...options,
    } as MessageGenerationOptions)
  } catch (error) {
    throw sendFailure(error)
  }
}

function accept({ recent, now }: SendContext, message: WAMessage): Accepted {
  const own = { ...message, key: { ...message.key, fromMe: true }, messageTimestamp: Math.floor(now() / SECOND) } as WAMessage
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
