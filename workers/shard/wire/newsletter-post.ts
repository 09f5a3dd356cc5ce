/**
 * `<message from=channel id server_id t edit? is_sender?><plaintext/><meta msg_edit_t?/></message>`: a post of a channel as it comes, or a later change
 * of one under the same id. Pure.
 */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'

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
}

const REMOVALS = new Set(['7', '8'])

export function postStanzaIn(node: BinaryNode): PostStanza {
  const { edit, is_sender: isSender } = node.attrs
  const content = getBinaryNodeChild(node, 'plaintext')?.content
  return {
    isOwn: isSender === 'true',
    edit: edit || undefined,
    isRemoved: REMOVALS.has(edit ?? ''),
    editedAt: Number(getBinaryNodeChild(node, 'meta')?.attrs.msg_edit_t) || undefined,
    content: content instanceof Uint8Array ? content : null,
  }
}
