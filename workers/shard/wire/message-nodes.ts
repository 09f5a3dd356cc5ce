/** Builds the stanzas of messages, channel posts and resends, and the nodes that follow the ciphertexts in them. */
import type { BinaryNode } from '@whiskeysockets/baileys'

/** Builds the node with facts about an encrypted message that the network cannot read itself, such as its kind. */
export const metaNode = (attrs: Record<string, string>): BinaryNode => ({ tag: 'meta', attrs })

/**
 * Builds the node without which no client shows buttons. `seconds`: current time in epoch seconds.
 *   <biz actual_actors="2" host_storage="2" privacy_mode_ts><interactive type="native_flow" v="1"><native_flow v="9" name="mixed"/></interactive>
 *     <quality_control source_type="third_party"/></biz>
 */
export const mixedBizNode = (seconds: number): BinaryNode => ({
  tag: 'biz',
  attrs: { actual_actors: '2', host_storage: '2', privacy_mode_ts: String(seconds) },
  content: [
    {
      tag: 'interactive',
      attrs: { type: 'native_flow', v: '1' },
      content: [{ tag: 'native_flow', attrs: { v: '9', name: 'mixed' } }],
    },
    { tag: 'quality_control', attrs: { source_type: 'third_party' } },
  ],
})

/** Builds the node that 1:1 chats need in addition to `mixedBizNode`. */
export const bizBotNode = (): BinaryNode => ({ tag: 'bot', attrs: { biz_bot: '1' } })

export const payBizNode = (name: 'payment_info' | 'order_details' | 'order_status'): BinaryNode => ({
  tag: 'biz',
  attrs: { native_flow_name: name },
})

/**
 * Builds the node that the first message of a session contains. `identity` is the encoded identity of this device, with
 * the account's signature.
 */
export const deviceIdentityNode = (identity: Uint8Array): BinaryNode => ({ tag: 'device-identity', attrs: {}, content: identity })

export const contactTokenNode = (token: Uint8Array, t?: string): BinaryNode => ({
  tag: 'tctoken',
  attrs: t === undefined ? {} : { t },
  content: token,
})

export const reactionNode = (emoji: string | null): BinaryNode => ({
  tag: 'reaction',
  attrs: emoji === null ? {} : { code: emoji },
})

/**
 * Builds the content of a channel post, which is not encrypted. Without `mediatype` in `attrs`, the network refuses a
 * post with media (479).
 */
export const plaintextNode = (attrs: Record<string, string>, content: Uint8Array): BinaryNode => ({
  tag: 'plaintext',
  attrs,
  content,
})

export const postStanza = (attrs: Record<string, string>, content: BinaryNode[]): BinaryNode => ({
  tag: 'message',
  attrs,
  content,
})

export interface SealedAgain {
  id: string
  /** Attributes of the first send, without those that name the recipient. */
  attributes: Record<string, string>
  address: Record<string, string>
  ciphertext: { type: 'msg' | 'pkmsg'; bytes: Uint8Array; attributes: Record<string, string> }
  count: number
  identity: Uint8Array
  nodes: readonly BinaryNode[]
}

export interface Sealed {
  jid: string
  type: 'msg' | 'pkmsg'
  ciphertext: Uint8Array
}

const encNode = (type: 'msg' | 'pkmsg' | 'skmsg', attributes: Record<string, string>, ciphertext: Uint8Array): BinaryNode => ({
  tag: 'enc',
  attrs: { v: '2', type, ...attributes },
  content: ciphertext,
})

export interface MessageContent {
  /** One ciphertext per device. It contains the message, or the key of the ciphertext `shared`. */
  sealed: readonly Sealed[]
  /** The ciphertext for all devices of a group or of the recipients of a status. */
  shared?: Uint8Array
  attributes: Record<string, string>
}

export const messageStanza = (
  attrs: Record<string, string>,
  { sealed, shared, attributes }: MessageContent,
  more: readonly BinaryNode[],
): BinaryNode => {
  const single = sealed.map(({ jid, type, ciphertext }) => ({
    tag: 'to',
    attrs: { jid },
    content: [encNode(type, attributes, ciphertext)],
  }))
  return {
    tag: 'message',
    attrs,
    content: [
      ...(shared ? [encNode('skmsg', attributes, shared)] : []),
      ...(single.length > 0 ? [{ tag: 'participants', attrs: {}, content: single }] : []),
      ...more,
    ],
  }
}

/** Builds a message to the account's own phone. The first message of a session needs `identity`. */
export const peerStanza = (
  attrs: { id: string; to: string },
  { type, ciphertext }: Pick<Sealed, 'type' | 'ciphertext'>,
  identity: Uint8Array | null,
): BinaryNode => ({
  tag: 'message',
  attrs: { ...attrs, type: 'text', category: 'peer', push_priority: 'high_force' },
  content: [encNode(type, {}, ciphertext), ...(identity ? [deviceIdentityNode(identity)] : []), metaNode({ appdata: 'default' })],
})

export const sealedAgain = ({ id, attributes, address, ciphertext, count, identity, nodes }: SealedAgain): BinaryNode => ({
  tag: 'message',
  attrs: { id, ...attributes, ...address },
  content: [
    {
      tag: 'enc',
      attrs: { v: '2', type: ciphertext.type, ...ciphertext.attributes, count: String(count) },
      content: ciphertext.bytes,
    },
    deviceIdentityNode(identity),
    ...nodes,
  ],
})
