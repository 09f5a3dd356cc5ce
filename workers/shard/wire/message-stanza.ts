/**
 * Parses `<message id from participant? category? edit? t notify?>`. Its children are: `<enc type v>`, each with a
 * ciphertext; in channels `<plaintext>`; or, if the content is not delivered to this device,
 * `<unavailable type? hosted?><bot/>?</unavailable>`.
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'

/**
 * Types of ciphertexts that can be decrypted: with an encryption session, with the sender key of a group, and answers
 * of bots.
 */
const OPENED = ['pkmsg', 'msg', 'skmsg', 'msmsg'] as const
export type CiphertextKind = (typeof OPENED)[number]

const kindOf = (enc: BinaryNode) => OPENED.find((kind) => kind === enc.attrs.type)

/**
 * Returns the ciphertexts that can be decrypted. Each call returns the same objects, so that they can be keys of a
 * map.
 */
export const ciphertextsIn = (node: BinaryNode): Uint8Array[] =>
  encrypted(node).flatMap(({ content }) => (content instanceof Uint8Array ? content : []))

export const ciphertextKind = (node: BinaryNode, ciphertext: Uint8Array): CiphertextKind | undefined => {
  const enc = encrypted(node).find(({ content }) => content === ciphertext)
  return enc && kindOf(enc)
}

const encrypted = (node: BinaryNode) =>
  getAllBinaryNodeChildren(node).filter((child) => child.tag === 'enc' && kindOf(child) !== undefined)

/**
 * Returns the type of the first content that cannot be decrypted, or its tag if it has no type. Undefined if there is
 * none.
 */
export function foreignKind(node: BinaryNode): string | undefined {
  const foreign = getAllBinaryNodeChildren(node).find(
    (child) => isContent(child) && (kindOf(child) === undefined || !(child.content instanceof Uint8Array)),
  )
  return foreign && (foreign.attrs.type || foreign.tag)
}

export function contentKind(node: BinaryNode): string | undefined {
  const first = getAllBinaryNodeChildren(node).find(isContent)
  return first && (first.attrs.type || first.tag)
}

const isContent = ({ tag }: BinaryNode) => tag === 'enc' || tag === 'plaintext'

/**
 * Whether the message only adds something to another message (such as a reaction). Apps show nothing if they cannot
 * read such a message.
 */
export const isHidden = (node: BinaryNode): boolean =>
  getAllBinaryNodeChildren(node).some(({ tag, attrs }) => tag === 'enc' && attrs['decrypt-fail'] === 'hide')

/**
 * Data about the answer of a bot: `<meta target_id target_sender_jid? target_chat_jid?/>` and
 * `<bot edit? edit_target_id?/>`.
 */
export interface AnswerStanza {
  target: { id: string; sender: string | undefined; chat: string | undefined }
  /**
   * Ids from which the key may be derived: the id of the answer, and if it comes in parts, the id of the first part.
   */
  ids: string[]
}

export function answerIn(node: BinaryNode): AnswerStanza {
  const { target_id: id = '', target_sender_jid: sender, target_chat_jid: chat } = getBinaryNodeChild(node, 'meta')?.attrs ?? {}
  const begun = getBinaryNodeChild(node, 'bot')?.attrs.edit_target_id
  return { target: { id, sender, chat }, ids: [...(begun ? [begun] : []), node.attrs.id ?? ''] }
}

/** Whether the message has no content: for example, it is view once, or the phone must send it again. */
export const isEmptyHanded = (node: BinaryNode): boolean => !getAllBinaryNodeChildren(node).some(isContent)

/**
 * Whether the message has the mark of messages that the account's own phone sends only to its devices. In messages of
 * other people the mark has no meaning.
 */
export const isMarkedPeer = ({ attrs }: BinaryNode): boolean => attrs.category === 'peer'

/** Types of `<unavailable>` whose content the phone does not have either, or does not share. */
const NEVER = new Set(['bot_unavailable_fanout', 'hosted_unavailable_fanout', 'view_once_unavailable_fanout'])

/**
 * Why the content is absent:
 * - `shown`: it is view once, and arrived on the device that may show it
 * - `never`: no device will send it
 * - `later`: the phone can be asked for it
 */
export function absenceOf(node: BinaryNode): 'shown' | 'never' | 'later' {
  const unavailable = getBinaryNodeChild(node, 'unavailable')
  const { type = '', hosted } = unavailable?.attrs ?? {}
  if (type === 'view_once') return 'shown'
  const neverComes = hosted === 'true' || NEVER.has(type) || getBinaryNodeChild(unavailable, 'bot') !== undefined
  return neverComes ? 'never' : 'later'
}

/** Whether the content is absent because it is view once and may only be shown on a phone. */
export const isViewOnce = (node: BinaryNode): boolean =>
  getAllBinaryNodeChildren(node).some(({ tag, attrs }) => tag === 'unavailable' && attrs.type?.startsWith('view_once'))
