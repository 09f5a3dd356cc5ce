/**
 * Parses `<message from=channel id server_id t edit? is_sender?><plaintext/><meta msg_edit_t?/></message>`: a channel
 * post, or a later change of it under the same id. With `<reaction code?/>`, another device of the account has reacted
 * to the post.
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'

export interface PostStanza {
  isOwn: boolean
  /** Kind of the change (value of `edit`); undefined for a new post and for a reaction. */
  edit: string | undefined
  isRemoved: boolean
  /** Time of the edit in epoch ms. (The attribute `t` may be the time of the original post.) */
  editedAt: number | undefined
  content: Uint8Array | null
  /** A reaction to the post, empty if the reaction was removed; undefined if the stanza is not a reaction. */
  reaction: string | undefined
  kind: string
}

const REMOVALS = new Set(['7', '8'])

export function postStanzaIn(node: BinaryNode): PostStanza {
  const { is_sender: isSender, type } = node.attrs
  const content = getBinaryNodeChild(node, 'plaintext')?.content
  const reaction = getBinaryNodeChild(node, 'reaction')
  // In a reaction, `edit` means that the reaction was removed. It is not an edit of the post.
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
