/**
 * Sends a message of the account again to a device that could not decrypt it: the original stanza, encrypted only for
 * that device. Without the contact's token the network can refuse it with 463.
 */
import {
  type BinaryNode,
  encodeSignedDeviceIdentity,
  encodeWAMessage,
  jidDecode,
  jidEncode,
  type proto,
} from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, HOUR, SECOND } from '../../../src/domain/clock.ts'
import type { Identity } from '../connection/identity.ts'
import type { TrustedTokens } from '../connection/tokens/trusted-tokens.ts'
import { isHosted, type KeyHolders } from '../keys/key-holders.ts'
import { isDeleted } from '../messages/known-messages.ts'
import type { Sent } from '../messages/sent.ts'
import type { NetworkSocket } from '../network/network-socket.ts'
import { type Stanza, stanzaOf } from '../translate/outbound/stanza.ts'
import { bare, chatKind } from '../wire/jid.ts'
import { sealedAgain } from '../wire/message-nodes.ts'
import type { ServerProps } from '../wire/server-props.ts'
import { bounded } from './bounded.ts'
import type { RetryRequest } from './retry-receipts.ts'
import { createSessionRenewal } from './session-renewal.ts'

/**
 * Maximum number of answers to one device about one message on one connection, as in the library. The count begins
 * again an hour after the last answer.
 */
const MAX_RETRIES = 5
const MAX_COUNTED = 10_000
/**
 * Minimum time in ms between two new sessions with a device whose retry receipts contain no valid keys. It limits the
 * number of queries, because each of these sessions needs one.
 */
const FETCH_PAUSE = 10 * SECOND

export interface ResendDeps {
  sock: Pick<NetworkSocket, 'authState' | 'signalRepository' | 'sendNode'>
  serverProps: Pick<ServerProps, 'privacyTokenOn1to1'>
  identity: Pick<Identity, 'isMe' | 'lidOf' | 'pnOf'>
  tokens: Pick<TrustedTokens, 'node' | 'standIn'>
  holders: Pick<KeyHolders, 'has' | 'forget'>
  renewSession(jid: string): Promise<void>
  sent: Pick<Sent, 'stored'>
  clock: Clock
  log: Pick<Logger, 'info' | 'warn'>
}

export function createResend(deps: ResendDeps): (request: RetryRequest) => Promise<void> {
  const { sock, serverProps, identity, tokens, holders, sent, clock, log } = deps
  const { authState, signalRepository: repository } = sock
  const counts = bounded<number>(MAX_COUNTED, HOUR, clock.now)
  const fetched = bounded<true>(MAX_COUNTED, FETCH_PAUSE, clock.now)

  function mayFetch(asker: string): boolean {
    if (fetched.get(asker)) return false
    fetched.set(asker, true)
    return true
  }

  const renewFor = createSessionRenewal({ repository, renewSession: deps.renewSession, clock, log })
  const renew = (request: RetryRequest) => renewFor(request, () => mayFetch(request.asker))

  async function namesOf(jid: string): Promise<string[]> {
    const { user, server, device } = jidDecode(jid) ?? {}
    if (user === undefined || (server !== 'lid' && server !== 's.whatsapp.net')) return [jid]
    const other = await (server === 'lid' ? identity.pnOf(jid) : identity.lidOf(jid))
    const decoded = other === null ? undefined : jidDecode(other)
    return decoded ? [jid, jidEncode(decoded.user, decoded.server, device)] : [jid]
  }

  const chatOf = ({ asker, shared, recipient }: RetryRequest) =>
    bare(shared ?? (recipient !== null && identity.isMe(asker) ? recipient : asker))

  /**
   * Whether the message was sent to this chat. An id alone must not be enough to get a message of another chat, because
   * other people can see ids in quotes.
   */
  const isOfChat = async ({ to }: Stanza, chat: string) =>
    identity.isMe(to) ? identity.isMe(chat) : (await namesOf(bare(to))).includes(chat)

  /**
   * Whether the device got the sender key of the status. Only recipients of a status may request it again; for groups
   * the network checks this.
   */
  const isAudience = async (group: string, asker: string): Promise<boolean> => holders.has(group, await namesOf(asker))

  /**
   * Removes a device from the holders of the sender key. So the next message to the group also contains the key for
   * this device, because the resent message may not arrive.
   */
  const forgetKeyHolder = async (group: string, asker: string) => holders.forget(group, await namesOf(asker))

  async function withSenderKey(group: string, message: proto.IMessage): Promise<proto.IMessage> {
    const { me } = authState.creds
    for (const meId of [me?.lid, me?.id]) {
      if (!meId || !(await repository.hasSenderKey({ group, meId }))) continue
      const distribution = await repository.getSenderKeyDistributionMessage({ group, meId })
      const senderKeyDistributionMessage = { groupId: group, axolotlSenderKeyDistributionMessage: distribution }
      return { ...message, senderKeyDistributionMessage }
    }
    return message
  }

  /** Returns the message with the sender key, except for a hosted device: no message to the group gives it the key. */
  const forMember = async (group: string, asker: string, message: proto.IMessage): Promise<proto.IMessage> =>
    isHosted(asker) ? message : withSenderKey(group, message)

  async function tokenFor(person: string): Promise<BinaryNode[]> {
    const given = serverProps.privacyTokenOn1to1 ? await tokens.node(person) : []
    return given.length > 0 ? given : tokens.standIn(person)
  }

  async function stanzaAgain(message: proto.IMessage, stanza: Stanza, request: RetryRequest): Promise<BinaryNode> {
    const { id, asker, count } = request
    const { to, enc, nodes } = stanza
    // This attribute names the recipient of the first send, so a resend omits it.
    const { peer_recipient_pn: _, ...attributes } = stanza.attributes
    const isShared = chatKind(to) !== 'user'
    const isOwn = identity.isMe(asker)
    if (isShared) await forgetKeyHolder(to, asker)
    const content = isShared ? await forMember(to, asker, message) : isOwn ? ownCopy(to, message) : message
    const { type, ciphertext } = await repository.encryptMessage({ jid: asker, data: encodeWAMessage(content) })
    const address: Record<string, string> = isShared
      ? { to, participant: asker }
      : { to: asker, ...(isOwn ? { recipient: to } : {}), device_fanout: 'false' }
    const token = isShared || isOwn ? [] : await tokenFor(bare(asker))
    return sealedAgain({
      id,
      attributes,
      address,
      ciphertext: { type, bytes: ciphertext, attributes: enc },
      count,
      identity: encodeSignedDeviceIdentity(authState.creds.account!, true),
      nodes: [...token, ...nodes],
    })
  }

  return async function resend(request) {
    const { id, asker, count } = request
    const chat = chatOf(request)
    const about = { message_id: id, count }
    const stored = await sent.stored(id)
    if (!stored || isDeleted({ key: { id }, message: stored.message })) {
      // If another device of the account sent the retry receipt, it may be about a request of this service to the
      // phone. So the session is renewed, and the next request can be read.
      if (identity.isMe(asker)) await renew(request)
      return log.info(about, 'a resend was requested for a message that is not stored')
    }
    const stanza = stored.stanza ?? stanzaOf(stored.message, { jid: chat, group: null })
    if (!(await isOfChat(stanza, chat)))
      return log.warn(about, 'a resend was requested from a different chat than the message was sent to')
    const counted = `${id} ${asker}`
    const answered = counts.get(counted) ?? 0
    // Only the first request is checked: it removes the device from the holders of the sender key, so later requests
    // cannot be checked.
    if (chatKind(stanza.to) === 'status' && answered === 0 && !identity.isMe(asker) && !(await isAudience(stanza.to, asker)))
      return log.warn(about, 'a resend of a status was requested by someone outside its audience')
    if (answered >= MAX_RETRIES) return log.info(about, 'a resend was refused: the message was requested too many times')
    counts.set(counted, answered + 1)
    await renew(request)
    await sock.sendNode(await stanzaAgain(stored.message, stanza, request))
    log.info(about, 'a message was resent on request')
  }
}

const ownCopy = (destinationJid: string, message: proto.IMessage): proto.IMessage => ({
  deviceSentMessage: { destinationJid, message },
  ...(message.messageContextInfo ? { messageContextInfo: message.messageContextInfo } : {}),
})
