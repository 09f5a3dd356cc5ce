/**
 * Encrypts a message for its recipients and sends it. To a person, each device gets its own ciphertext. To a group or
 * status audience, all devices get the same ciphertext. In a group, devices without its key also get the key; in an
 * audience, all devices do.
 */
import {
  type AuthenticationState,
  type BinaryNode,
  encodeSignedDeviceIdentity,
  isJidBot,
  isJidMetaAI,
  normalizeMessageContent,
  PSA_WID,
  proto,
} from '@whiskeysockets/baileys'
import { getMessageReportingToken, shouldIncludeReportingToken } from '@whiskeysockets/baileys/lib/Utils/reporting-utils.js'
import { isHosted, type KeyHolders } from '../../keys/key-holders.ts'
import type { Letter, SealedLetter } from '../../keys/signal/letters.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import type { Group } from '../../wire/groups.ts'
import { bare, jidUser } from '../../wire/jid.ts'
import { deviceIdentityNode, messageStanza } from '../../wire/message-nodes.ts'
import { deviceSent, distributing, padded } from '../../wire/plaintext.ts'
import type { Identity } from '../identity.ts'
import type { TrustedTokens } from '../tokens/trusted-tokens.ts'
import type { DeviceSessions } from './device-sessions.ts'
import { deviceJid, ownNameIn, type RecipientDevices } from './recipient-devices.ts'

export interface RelayedStanza {
  to: string
  attributes: Record<string, string>
  enc: Record<string, string>
  nodes: readonly BinaryNode[]
}

export interface Relayed {
  id: string
  message: proto.IMessage
  stanza: RelayedStanza
}

/**
 * Call this if the network did not accept the message. The devices that got the group's key with this message then
 * count as devices without the key.
 */
export type TakeBack = () => Promise<void>

export interface MessageRelay {
  /** Resolves when the stanza was written. The keys that it uses are on disk before it is written. */
  toPerson(relayed: Relayed): Promise<void>
  toGroup(relayed: Relayed, group: Group): Promise<TakeBack>
  /**
   * Sends a stanza of a status. `isFurther` means that an earlier stanza of the same status was sent to other people.
   */
  toAudience(relayed: Relayed, people: readonly string[], isFurther: boolean): Promise<void>
}

export interface MessageRelayDeps {
  sock: Pick<NetworkSocket, 'sendNode' | 'signalRepository'>
  auth: AuthenticationState
  identity: Pick<Identity, 'isMe' | 'own'>
  devices: RecipientDevices
  sessions: Pick<DeviceSessions, 'begin'>
  tokens: Pick<TrustedTokens, 'inMessage' | 'giveSoon'>
  holders: Pick<KeyHolders, 'lacking' | 'add' | 'forget' | 'replace'>
}

export function createMessageRelay(deps: MessageRelayDeps): MessageRelay {
  const { sock, auth, identity, devices, sessions, tokens, holders } = deps
  const { creds } = auth
  const repository = sock.signalRepository

  async function seal(letters: readonly Letter[]): Promise<SealedLetter[]> {
    const all = await repository.encryptAll(letters)
    if (all !== null) return all
    await sessions.begin(letters.map(({ jid }) => jid))
    return repository.encryptEach(letters)
  }

  async function reportToken({ id, message, stanza }: Relayed, bytes: Buffer): Promise<BinaryNode[]> {
    if (!message.messageContextInfo?.messageSecret || !shouldIncludeReportingToken(message)) return []
    const node = await getMessageReportingToken(bytes, message, { id, fromMe: true, remoteJid: stanza.to })
    return node ? [node] : []
  }

  async function send(
    relayed: Relayed,
    bytes: Buffer,
    sealed: readonly SealedLetter[],
    more: { shared?: Uint8Array; token?: BinaryNode[] },
  ) {
    const { to, attributes, enc, nodes } = relayed.stanza
    const isFirst = sealed.some(({ type }) => type === 'pkmsg')
    const ownIdentity = isFirst ? [deviceIdentityNode(encodeSignedDeviceIdentity(creds.account!, true))] : []
    const beside = [...ownIdentity, ...(await reportToken(relayed, bytes)), ...(more.token ?? []), ...nodes]
    const content = { sealed, attributes: enc, ...(more.shared ? { shared: more.shared } : {}) }
    await sock.sendNode(messageStanza({ id: relayed.id, to, ...attributes }, content, beside))
  }

  async function bothSides(to: string) {
    const { id, lid } = creds.me!
    const own = to.endsWith('@lid') && lid ? lid : id
    const mine = new Set(identity.own().map(jidUser))
    const found = await devices.of([own, to])
    const jidsOf = (isOurs: boolean) => found.filter(({ user }) => mine.has(user) === isOurs).map(deviceJid)
    const theirs = jidsOf(false)
    // If the network lists no device of the person, the message is sent to the phone, which every account has.
    return { ours: jidsOf(true), theirs: theirs.length > 0 || identity.isMe(to) ? theirs : [bare(to)] }
  }

  async function toPerson(relayed: Relayed) {
    const { message, stanza } = relayed
    const { to } = stanza
    const { ours, theirs } = await bothSides(to)
    const token = await tokens.inMessage(to)
    const bytes = encoded(message)
    const copy = ours.length > 0 ? deviceSent(to, bytes, message.messageContextInfo) : bytes
    const sealed = await seal([...ours.map(letter(copy)), ...theirs.map(letter(bytes))])
    for (const side of [ours, theirs]) assertReached(side, sealed)
    await send(relayed, bytes, sealed, { token: token.nodes })
    if (token.isDue && !identity.isMe(to) && !isBot(to) && !normalizeMessageContent(message)?.protocolMessage) tokens.giveSoon(to)
  }

  /**
   * Encrypts the message once for all devices (`jids`), with the sender key. The devices in `lacking` get this key with
   * the message.
   */
  async function toAll(relayed: Relayed, ownName: string, jids: readonly string[], lacking: readonly string[]) {
    const { to } = relayed.stanza
    const bytes = encoded(relayed.message)
    const group = { group: to, meId: ownName }
    const { ciphertext, senderKeyDistributionMessage } = await repository.encryptGroupMessage({ ...group, data: padded(bytes) })
    const sealed = await seal(lacking.map(letter(distributing(to, senderKeyDistributionMessage))))
    if (lacking.length === jids.length) assertReached(lacking, sealed)
    await send(relayed, bytes, sealed, { shared: ciphertext })
  }

  return {
    toPerson,
    async toGroup(relayed, group) {
      const { to, attributes } = relayed.stanza
      const { jids } = await devices.ofGroup(group)
      const lacking = await holders.lacking(to, jids)
      const addressed = { ...relayed.stanza, attributes: { ...attributes, addressing_mode: group.addressingMode || 'lid' } }
      await toAll({ ...relayed, stanza: addressed }, ownNameIn(group, creds.me)!, jids, lacking)
      // The devices are recorded before the ack, because they can request the message again earlier. Devices without
      // keys are recorded too: their keys are then not queried with every message.
      await holders.add(to, lacking)
      return () => (lacking.length > 0 ? holders.forget(to, lacking) : Promise.resolve())
    },
    async toAudience(relayed, people, isFurther) {
      const { to } = relayed.stanza
      const jids = (await devices.of(people)).map(deviceJid).filter((jid) => !isHosted(jid))
      await toAll(relayed, creds.me!.lid ?? creds.me!.id, jids, jids)
      await (isFurther ? holders.add(to, jids) : holders.replace(to, jids))
    },
  }
}

const encoded = (message: proto.IMessage) => Buffer.from(proto.Message.encode(message).finish())

const letter =
  (plain: Uint8Array) =>
  (jid: string): Letter => ({ jid, data: padded(plain) })

function assertReached(jids: readonly string[], sealed: readonly SealedLetter[]): void {
  const reached = new Set(sealed.map(({ jid }) => jid))
  if (jids.length > 0 && !jids.some((jid) => reached.has(jid)))
    throw new Error('The message could not be encrypted for any device')
}

const isBot = (jid: string) => jid === PSA_WID || isJidBot(jid) || isJidMetaAI(jid)
