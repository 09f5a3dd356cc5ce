import {
  type AuthenticationCreds,
  areJidsSameUser,
  type BinaryNode,
  decodeMessageNode,
  isJidMetaAI,
  proto,
  unpadRandomMax16,
  type WAMessage,
} from '@whiskeysockets/baileys'
import { ciphertextMark, type Mark, messageMark } from '../../messages/seen-marks.ts'
import type { ReadableMessage } from '../../translate/inbound/message.ts'
import { unknownField } from '../../translate/inbound/unknown-content.ts'
import { envelopeOf, fromOf, recipientOf } from '../../wire/envelope.ts'
import { bare } from '../../wire/jid.ts'
import { ciphertextsIn, isMarkedPeer } from '../../wire/message-stanza.ts'

export interface MessageStanza {
  node: BinaryNode
  id: Mark
  ciphertexts: readonly Uint8Array[]
  marks: readonly Mark[]
  opened: Map<number, Uint8Array>
  /** Whether the account's own phone sent the message only to the account's other devices. */
  isPeer: boolean
  /** Set when the commit of the message has begun; resolves when its effects are on disk. */
  written: Promise<void> | undefined
}

export type StanzaMessage = WAMessage & Pick<ReadableMessage, 'unknownField'>

type Me = AuthenticationCreds['me']

export function messageStanza(node: BinaryNode, me: Me): MessageStanza {
  const { id, from, participant } = envelopeOf(node)
  const ciphertexts = ciphertextsIn(node)
  return {
    node,
    id: messageMark({ id, chat: from, author: participant }),
    ciphertexts,
    marks: ciphertexts.map(ciphertextMark),
    opened: new Map(),
    isPeer: isPeerStanza(node, me),
    written: undefined,
  }
}

export const isPeerStanza = (node: BinaryNode, me: Me) => isMarkedPeer(node) && isOwn(fromOf(node), me)

const isOwn = (jid: string, me: Me) =>
  jid !== '' && me !== undefined && (areJidsSameUser(jid, me.id) || areJidsSameUser(jid, me.lid))

/** Returns the message that the decrypted parts contain. Throws if they are not a message. */
export function readStanza({ node, opened }: MessageStanza, me: Me): StanzaMessage {
  const message = addressed(node, me)
  const plaintexts = [...opened].sort(([a], [b]) => a - b).map(([, padded]) => unpadRandomMax16(padded))
  const content: proto.IMessage = Object.assign({}, ...plaintexts.map(decode))
  return { ...message, message: content, unknownField: unknownField(content, plaintexts) } as StanzaMessage
}

/**
 * Returns a message without content, whose jids have no device part. Throws if the stanza has no chat or no id. The
 * library's `cleanMessage` is not used, because it also exchanges people inside reactions and votes.
 */
export function addressed(node: BinaryNode, me: Me): WAMessage {
  const fullMessage = decoded(node, me)
  const { key } = fullMessage
  if (key.remoteJid) key.remoteJid = bare(key.remoteJid)
  if (key.participant) key.participant = bare(key.participant)
  return fullMessage
}

/**
 * Corrects two defects of the library's function. It refuses stanzas of bots and of unknown kinds of accounts, and puts
 * messages from the account's phone to a bot into a wrong chat.
 */
function decoded(node: BinaryNode, me: Me): WAMessage {
  const { id, from, participant, t, pushName } = envelopeOf(node)
  if (!id || !from) throw new Error('a message stanza has no chat or no id')
  try {
    const { fullMessage } = decodeMessageNode(node, me?.id ?? '', me?.lid ?? '')
    const recipient = recipientOf(node)
    if (fullMessage.key.fromMe && isJidMetaAI(recipient)) fullMessage.key.remoteJid = recipient
    return fullMessage
  } catch {
    const fromMe = isOwn(participant || from, me)
    const key = { remoteJid: from, id, fromMe, ...(participant ? { participant } : {}) }
    return { key, messageTimestamp: Number(t) || 0, ...(pushName ? { pushName } : {}) } as WAMessage
  }
}

function decode(plaintext: Uint8Array): proto.IMessage {
  const message = proto.Message.decode(plaintext)
  const inner = message.deviceSentMessage?.message
  if (!inner) return message
  // In a message of the account's own phone, the secret may be outside of the wrapper, so it is moved into the
  // content.
  const aside = inner.messageContextInfo ?? message.messageContextInfo
  return aside ? { ...inner, messageContextInfo: aside } : inner
}
