/** The stanza of a message and, once its parts are open, the message. Nothing here has an effect. */
import {
  type AuthenticationCreds,
  areJidsSameUser,
  type BinaryNode,
  decodeMessageNode,
  proto,
  unpadRandomMax16,
  type WAMessage,
} from '@whiskeysockets/baileys'
import type { ReadableMessage } from '../../translate/inbound/message.ts'
import { unknownField } from '../../translate/inbound/unknown-content.ts'
import { bare } from '../../wire/jid.ts'
import { parts } from './journal.ts'
import { type Mark, messageMark } from './seen-marks.ts'

export interface MessageStanza {
  node: BinaryNode
  id: Mark
  ciphertexts: readonly Uint8Array[]
  /** Padded plaintexts by index of their ciphertext, as far as they are open. */
  opened: Map<number, Uint8Array>
  /** The own phone says it to its devices alone. */
  isPeer: boolean
  /** All that it means is on disk. */
  isDone: boolean
}

export type StanzaMessage = WAMessage & Pick<ReadableMessage, 'unknownField'>

type Me = AuthenticationCreds['me']

export function messageStanza(node: BinaryNode, me: Me): MessageStanza {
  const { id = '', from, participant = '' } = node.attrs
  return {
    node,
    id: messageMark({ id, chat: from ?? '', author: participant }),
    ciphertexts: parts(node),
    opened: new Map(),
    isPeer: isPeerStanza(node, me),
    isDone: false,
  }
}

export const isPeerStanza = ({ attrs }: BinaryNode, me: Me) => attrs.category === 'peer' && isOwn(attrs.from, me)

/** Only the account's own devices speak as peers; the same word from anybody else is an ordinary message. */
const isOwn = (jid: string | undefined, me: Me) =>
  jid !== undefined && me !== undefined && (areJidsSameUser(jid, me.id) || areJidsSameUser(jid, me.lid))

/** Neither a ciphertext nor a text: the network keeps the content from linked devices (view once), or the phone has to send it again. */
export const isEmptyHanded = ({ content }: BinaryNode) =>
  !Array.isArray(content) || !content.some(({ tag }) => tag === 'enc' || tag === 'plaintext')

/** The message its opened parts make together. Throws when they are none. */
export function readStanza({ node, opened }: MessageStanza, me: Me): StanzaMessage {
  const message = addressed(node, me)
  const plaintexts = [...opened].sort(([a], [b]) => a - b).map(([, padded]) => unpadRandomMax16(padded))
  const content: proto.IMessage = Object.assign({}, ...plaintexts.map(decode))
  return { ...message, message: content, unknownField: unknownField(content, plaintexts) } as StanzaMessage
}

/**
 * The stanza without its content, jids without device; throws when it has no chat or no id. The library's `cleanMessage` also turns the
 * keys inside reactions and votes round, and throws where a stranger left them out: translation does that itself (`referenced.ts`).
 */
export function addressed(node: BinaryNode, me: Me): WAMessage {
  const { fullMessage } = decodeMessageNode(node, me?.id ?? '', me?.lid ?? '')
  const { key } = fullMessage
  if (key.remoteJid) key.remoteJid = bare(key.remoteJid)
  if (key.participant) key.participant = bare(key.participant)
  return fullMessage
}

function decode(plaintext: Uint8Array): proto.IMessage {
  const message = proto.Message.decode(plaintext)
  const inner = message.deviceSentMessage?.message
  if (!inner) return message
  // The secret of what our own phone sent may stand beside the envelope.
  const aside = inner.messageContextInfo ?? message.messageContextInfo
  return aside ? { ...inner, messageContextInfo: aside } : inner
}
