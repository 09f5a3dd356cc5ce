/**
 * Reads and writes pictures of accounts, groups and channels. The writes are those of the library and zapo. `target` is
 * the group; it is absent for the account's own picture.
 */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

const query = (target: string | undefined, content: BinaryNode[] | undefined): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'w:profile:picture', ...(target === undefined ? {} : { target }) },
  ...(content === undefined ? {} : { content }),
})

/** `<iq to=s.whatsapp.net set target?><picture type="image">JPEG</picture></iq>`, answered by `<picture id>`. */
export const setPictureQuery = (jpeg: Uint8Array, target?: string) =>
  query(target, [{ tag: 'picture', attrs: { type: 'image' }, content: jpeg }])

/** `<iq to=s.whatsapp.net set target?/>`. */
export const removePictureQuery = (target?: string) => query(target, undefined)

export interface PictureChange {
  /** Id of the picture; empty if absent or removed. */
  id: string
  /** Person who changed the picture of a group. */
  author: string | undefined
  isRemoved: boolean
}

/**
 * Parses `<notification type="picture"><set id author?/>` or `<delete author?/></notification>`; null for others, such
 * as a request for a picture.
 */
export function pictureChangeIn(notice: BinaryNode): PictureChange | null {
  const set = getBinaryNodeChild(notice, 'set')
  const change = set ?? getBinaryNodeChild(notice, 'delete')
  return change ? { id: set?.attrs.id ?? '', author: change.attrs.author, isRemoved: set === undefined } : null
}
