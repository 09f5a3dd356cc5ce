/**
 * Sends a message to a person whose devices, sessions and token are all known, which is nearly every message. It does each step once. The library
 * encodes the message for each device and once more for the report token, enters a transaction whose context every promise of the thread then
 * carries, and reads the same token three times. If something must be queried from the network first, the library sends.
 */
import {
  type AuthenticationState,
  type BinaryNode,
  encodeSignedDeviceIdentity,
  jidEncode,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys'
import { getMessageReportingToken, shouldIncludeReportingToken } from '@whiskeysockets/baileys/lib/Utils/reporting-utils.js'
import { isTcTokenExpired, shouldSendNewTcToken } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js'
import type { Letter } from '../../keys/signal/letters.ts'
import type { SignalRepository } from '../../keys/signal/signal-repository.ts'
import { bare, chatKind, jidUser } from '../../wire/jid.ts'
import { contactTokenNode, deviceIdentityNode, messageStanza } from '../../wire/message-nodes.ts'
import { deviceSent, padded } from '../../wire/plaintext.ts'
import type { DeviceLists } from '../device-lists.ts'
import type { Identity } from '../identity.ts'

/** A stanza for one person, in the form that `translate/outbound/stanza.ts` returns. */
export interface PersonStanza {
  to: string
  attributes: Record<string, string>
  enc: Record<string, string>
  nodes: readonly BinaryNode[]
}

/**
 * Resolves with true when the stanza was passed to the connection, after its keys are on disk. Resolves with false if the library must send it; then
 * nothing has changed.
 */
export type PersonRelay = (messageId: string, message: proto.IMessage, stanza: PersonStanza) => Promise<boolean>

export interface PersonRelayDeps {
  sock: Pick<WASocket, 'sendNode' | 'signalRepository' | 'serverProps'>
  auth: AuthenticationState
  identity: Pick<Identity, 'isMe' | 'lidOf'>
  devices: Pick<DeviceLists, 'known'>
}

export function createPersonRelay({ sock, auth, identity, devices }: PersonRelayDeps): PersonRelay {
  const { creds, keys } = auth
  const repository = sock.signalRepository as SignalRepository

  /**
   * Returns all devices of the person and our own except this one; null if a list is unknown or expired.
   * `getUSyncDevices` of the library does the same.
   */
  function recipients(to: string): { theirs: string[]; ours: string[] } | null {
    const { id, lid } = creds.me!
    const own = to.endsWith('@lid') && lid ? lid : id
    const theirs = devices.known(jidUser(to))
    const ours = devices.known(jidUser(own))
    if (!theirs?.length || !ours) return null
    const jids = (list: typeof theirs) => list.map(({ user, server, device }) => jidEncode(user, server, device))
    const mine = new Set([jidUser(id), ...(lid ? [jidUser(lid)] : [])])
    if (theirs.some(({ user }) => mine.has(user)) || ours.some(({ user }) => !mine.has(user))) return null
    return { theirs: jids(theirs), ours: jids(ours).filter((jid) => jid !== id && jid !== lid) }
  }

  /** Returns the nodes of the token; null if the token must be renewed, or ours must be sent. */
  async function tokenOf(to: string): Promise<BinaryNode[] | null> {
    const name = to.endsWith('@lid') ? to : ((await identity.lidOf(to)) ?? to)
    const { [name]: entry } = await keys.get('tctoken', [name])
    if (entry === undefined || shouldSendNewTcToken(entry.senderTimestamp)) return null
    if (!entry.token?.length) return []
    if (isTcTokenExpired(entry.timestamp)) return null
    return sock.serverProps.privacyTokenOn1to1 ? [contactTokenNode(entry.token)] : []
  }

  async function reportToken(id: string, to: string, message: proto.IMessage, bytes: Buffer): Promise<BinaryNode[]> {
    if (!message.messageContextInfo?.messageSecret || !shouldIncludeReportingToken(message)) return []
    const node = await getMessageReportingToken(bytes, message, { id, fromMe: true, remoteJid: to })
    return node ? [node] : []
  }

  return async function relay(messageId, message, { to, attributes, enc, nodes }) {
    if (chatKind(to) !== 'user' || to !== bare(to) || identity.isMe(to)) return false
    const found = recipients(to)
    if (found === null) return false
    const token = await tokenOf(to)
    if (token === null) return false
    const bytes = Buffer.from(proto.Message.encode(message).finish())
    const copy = found.ours.length > 0 ? deviceSent(to, bytes, message.messageContextInfo) : bytes
    const letter =
      (plain: Uint8Array) =>
      (jid: string): Letter => ({ jid, data: padded(plain) })
    const sealed = await repository.encryptAll([...found.ours.map(letter(copy)), ...found.theirs.map(letter(bytes))])
    if (sealed === null) return false
    const isFirst = sealed.some(({ type }) => type === 'pkmsg')
    const identityOfDevice = isFirst ? [deviceIdentityNode(encodeSignedDeviceIdentity(creds.account!, true))] : []
    const more = [...identityOfDevice, ...(await reportToken(messageId, to, message, bytes)), ...token, ...nodes]
    await sock.sendNode(messageStanza({ id: messageId, to, ...attributes }, { sealed, attributes: enc }, more))
    return true
  }
}
