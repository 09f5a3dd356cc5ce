/** Sends one message: stores it for retries, relays it, and waits for the network's ack, which decides the outcome. */
import {
  type BinaryNode,
  generateWAMessage,
  generateWAMessageFromContent,
  type MessageGenerationOptions,
  type proto,
  type WAMessage,
} from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import type { Session } from '../chats/session.ts'
import type { Verdict } from '../connection/contract.ts'
import { sendFailure } from '../connection/failures.ts'
import type { TakeBack } from '../connection/relay/message-relay.ts'
import { type Stanza, stanzaOf } from '../translate/outbound/stanza.ts'
import type { Group } from '../wire/groups.ts'
import { chatKind } from '../wire/jid.ts'
import { attach } from './context-info.ts'
import type { Accepted, OutgoingContent, SendContext } from './contract.ts'
import type { Destination } from './destination.ts'
import { type GroupAudience, groupAudience, missedAudience } from './group-devices.ts'
import { refusal } from './refusal.ts'
import { showTyping } from './typing.ts'

export interface OutgoingMessage {
  content: OutgoingContent
  /** Quote, mentions and message timer (see `context-info.ts`). */
  info?: proto.IContextInfo
  attributes?: Record<string, string>
  nodes?: BinaryNode[]
  options?: Partial<MessageGenerationOptions>
  statusJidList?: string[]
}

/**
 * Codes after which the message is sent to the person's other jid (number or LID), with the same id. This is done only
 * once, because each attempt counts against the account.
 */
const TRY_OTHER = new Set([400, 463, 479])
/**
 * Code with two meanings: the account is under a reach-out lock, or the recipient must be addressed by the other jid
 * (number or LID). A query about the lock shows which is true.
 */
const RESTRICTED = 463
const STATUS_BATCH = 2_000

export async function sendMessage(context: SendContext, to: Destination, outgoing: OutgoingMessage): Promise<Accepted> {
  await showTyping(context, to, outgoing.content)
  const message = await compose(context, to.jid, outgoing)
  if (outgoing.info) attach(message, outgoing.info)
  const stanza = stanzaOf(message, to, outgoing)
  // Send safety is checked first, because a message that must wait must not be stored as a sent one.
  await context.leaving(stanza.to)
  const store = context.messages.sent.putEncrypted(context.item.messageId, message, stanza)
  return relay(context, { message, stanza, ...(outgoing.statusJidList ? { statusJidList: outgoing.statusJidList } : {}) }, store)
}

export interface PreparedMessage {
  message: proto.IMessage
  stanza: Stanza
  statusJidList?: string[]
}

/**
 * Relays a message. `store` writes the message to disk, unless a commit of encryption keys has already included the
 * message. `store` is absent if the message is on disk.
 */
export async function relay(context: SendContext, prepared: PreparedMessage, store?: () => Promise<void>): Promise<Accepted> {
  const first = await attemptForAll(context, prepared, store)
  if (first === 'ok') return accept(context, prepared)
  const { session } = context
  if (first === RESTRICTED) await session.refreshRestriction()
  const { other, ...stanza } = prepared.stanza
  if (other === undefined || !TRY_OTHER.has(first) || session.isRestricted()) return refused(stanza.to, first)
  const { peer_recipient_pn: _, ...attributes } = stanza.attributes
  const readdressed = { ...prepared, stanza: { ...stanza, to: other, attributes } }
  await context.messages.sent.put(context.item.messageId, prepared.message, readdressed.stanza)
  const second = codeOf(await attempt(context, readdressed))
  if (second === 'ok') return accept(context, readdressed)
  return refused(other, second)

  /**
   * Throws the failure of a refused message. It first removes the stored message, unless devices may still request it.
   */
  async function refused(to: string, code: number): Promise<never> {
    if (store && !prepared.statusJidList) await context.messages.sent.remove(context.item.messageId)
    throw await refusal(context, to, code)
  }
}

/** Sends the message. If devices of a group were missing, it is sent once more. */
async function attemptForAll(
  context: SendContext,
  prepared: PreparedMessage,
  store?: () => Promise<void>,
): Promise<'ok' | number> {
  const { log } = context
  const { to } = prepared.stanza
  if (chatKind(to) !== 'group') return codeOf(await attempt(context, prepared, store))
  const group = await groupAt(context, to, store)
  const audience = await groupAudience(context, group)
  const first = await attempt(context, toMembers(prepared, group, audience), store)
  if (audience === null) return codeOf(first)
  try {
    const missed = await missedAudience(context, to, audience, first)
    if (missed === null) return codeOf(first)
    const second = await attempt(context, toMembers(prepared, missed.group, missed.audience))
    return first.ok ? 'ok' : codeOf(second)
  } catch (error) {
    // The send counts as accepted if the network has accepted the first attempt.
    if (!first.ok) throw error
    log.info({ err: error }, 'a message could not be resent to the devices that were missing')
    return 'ok'
  }
}

async function groupAt({ ask, session }: SendContext, to: string, store?: () => Promise<void>): Promise<Group> {
  try {
    return session.groups.known(to) ?? (await ask.run(() => session.groups.get(to)))
  } catch (error) {
    await store?.()
    throw error
  }
}

const toMembers = (
  prepared: PreparedMessage,
  group: Group,
  audience: GroupAudience | null,
): PreparedMessage & { group: Group } => {
  const { stanza } = prepared
  const attributes = { ...stanza.attributes, ...(audience === null ? {} : { phash: audience.hash }) }
  return { ...prepared, stanza: { ...stanza, attributes }, group }
}

const codeOf = (verdict: Verdict) => (verdict.ok ? 'ok' : verdict.code)

/**
 * Sends the message once. If it takes several stanzas, returns the ack of the first refused stanza, or of the last one
 * if none was refused.
 */
async function attempt(
  { session, item, leaving, stayed }: SendContext,
  { message, stanza, statusJidList, group }: PreparedMessage & { group?: Group },
  store?: () => Promise<void>,
): Promise<Verdict> {
  const nodes = [...(await session.tokens.standIn(stanza.to)), ...stanza.nodes]
  const relayed = { id: item.messageId, message, stanza: { ...stanza, nodes } }
  await leaving(stanza.to)
  let verdict: Verdict = { ok: true }
  for (const [index, people] of batches(statusJidList).entries()) {
    const ack = session.ack(item.messageId, stanza.to)
    let takeBack: TakeBack | undefined
    try {
      if (group) takeBack = await session.relay.toGroup(relayed, group)
      else if (people) await session.relay.toAudience(relayed, people, index > 0)
      else await session.relay.toPerson(relayed)
    } catch (error) {
      ack.giveUp()
      // The keys are committed before the ciphertext is sent. So after a storage failure, nothing was sent.
      if (!group && !people && isStorageFailure(error)) stayed()
      // The message may have left before the error, so it must be stored.
      await store?.()
      throw error
    }
    await store?.()
    verdict = await verdictOf(ack, takeBack)
    if (!verdict.ok) break
  }
  return verdict
}

/**
 * Waits for the ack. If the message was refused or the ack was lost, the devices count as devices without the sender
 * key.
 */
async function verdictOf(ack: ReturnType<Session['ack']>, takeBack: TakeBack | undefined): Promise<Verdict> {
  let isAccepted = false
  try {
    const verdict = await ack.verdict()
    isAccepted = verdict.ok
    return verdict
  } finally {
    if (!isAccepted) await takeBack?.()
  }
}

/** Splits the recipients of a status post into one list per stanza. All these stanzas have the same id. */
function batches(audience: string[] | undefined): (string[] | undefined)[] {
  if (!audience || audience.length <= STATUS_BATCH) return [audience]
  const count = Math.ceil(audience.length / STATUS_BATCH)
  return Array.from({ length: count }, (_, index) => audience.slice(index * STATUS_BATCH, (index + 1) * STATUS_BATCH))
}

async function compose(context: SendContext, jid: string, { content, options }: OutgoingMessage): Promise<proto.IMessage> {
  const own = ownOptions(context)
  try {
    const made =
      'proto' in content
        ? generateWAMessageFromContent(jid, content.proto, own)
        : await generateWAMessage(jid, content, {
            ...own,
            upload: noUpload,
            ...options,
          } as MessageGenerationOptions)
    return made.message!
  } catch (error) {
    throw sendFailure(error)
  }
}

/** Rejects, because all media is already uploaded: Baileys must not upload any. */
const noUpload = () => Promise.reject(new Error('defect in the service: Baileys tried to upload media itself'))

const ownOptions = ({ session, item }: SendContext) => ({ userJid: session.me?.id ?? '', messageId: item.messageId })

function accept(context: SendContext, { message, stanza }: PreparedMessage): Accepted {
  const { messages, now } = context
  const made = generateWAMessageFromContent(stanza.to, message, ownOptions(context))
  const own = { ...made, key: { ...made.key, fromMe: true }, messageTimestamp: Math.floor(now() / SECOND) } as WAMessage
  messages.add(own)
  return { message: own }
}
