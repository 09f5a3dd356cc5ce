/**
 * Parses `<message from=channel id server_id t edit? is_sender?><plaintext/><meta msg_edit_t?/></message>`: a channel
 * post, or a later change of one under the same id. With `<reaction code?/>` instead of content, another device of the
 * account reacted to the post with that number. Pure.
 */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'

export interface PostStanza {
  isOwn: boolean
  /** Kind of the change; undefined for a new post. */
  edit: string | undefined
  /** Whether the post was removed by its author or by an admin. */
  isRemoved: boolean
  /** Time of the edit in epoch ms; `t` may be the time of the post itself. */
  editedAt: number | undefined
  /** Content as a protobuf message; null if there is none. */
  content: Uint8Array | null
  /** A reaction to the post; empty if it was removed. */
  reaction: string | undefined
  /** Tag of the first child; without children, the stanza's `type` or its own tag. Reported if the content is unknown. */
  kind: string
}

const REMOVALS = new Set(['7', '8'])

export function postStanzaIn(node: BinaryNode): PostStanza {
  const { is_sender: isSender, type } = node.attrs
  const content = getBinaryNodeChild(node, 'plaintext')?.content
  const reaction = getBinaryNodeChild(node, 'reaction')
  // The `edit` of a reaction means that it was removed.
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
