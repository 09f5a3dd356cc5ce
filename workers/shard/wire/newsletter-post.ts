/**
 * `<message from=channel id server_id t edit? is_sender?><plaintext/><meta msg_edit_t?/></message>`: a post of a channel as it comes, or a later change
 * of one under the same id. With `<reaction code?/>` in place of the content, another device of the account reacted to the post of that number. Pure.
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'

export interface PostStanza {
  isOwn: boolean
  /** Undefined: a new post. */
  edit: string | undefined
  /** Taken back by its author, or by an admin. */
  isRemoved: boolean
  /** Epoch ms; `t` may be the time of the post itself. */
  editedAt: number | undefined
  /** A protobuf message; null: none. */
  content: Uint8Array | null
  /** A reaction to the post; empty: it is taken back. */
  reaction: string | undefined
  /** What the stanza has in place of a content, by its tag or its type. */
  kind: string
}

const REMOVALS = new Set(['7', '8'])

export function postStanzaIn(node: BinaryNode): PostStanza {
  const { is_sender: isSender, type } = node.attrs
  const content = getBinaryNodeChild(node, 'plaintext')?.content
  const reaction = getBinaryNodeChild(node, 'reaction')
  // That of a reaction says that it is taken back.
  const edit = reaction ? undefined : node.attrs.edit
  return {
    isOwn: isSender === 'true',
    edit: edit || undefined,
    isRemoved: REMOVALS.has(edit ?? ''),
    reaction: reaction && (reaction.attrs.code ?? ''),
    kind: getAllBinaryNodeChildren(node)[0]?.tag ?? type ?? node.tag,
    editedAt: Number(getBinaryNodeChild(node, 'meta')?.attrs.msg_edit_t) || undefined,
    content: content instanceof Uint8Array ? content : null,
  }
}
