/**
 * Pictures of accounts, groups and channels. Written as the library and zapo send them, the specification has only how they are read.
 * `target` is the group; the own picture has none.
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
  /** Empty: absent, or removed. */
  id: string
  /** Who changed the picture of a group. */
  author: string | undefined
  isRemoved: boolean
}

/** `<notification type="picture"><set id author?/>` or `<delete author?/></notification>`; null for others, as for a request for one. */
export function pictureChangeIn(notice: BinaryNode): PictureChange | null {
  const set = getBinaryNodeChild(notice, 'set')
  const change = set ?? getBinaryNodeChild(notice, 'delete')
  return change ? { id: set?.attrs.id ?? '', author: change.attrs.author, isRemoved: set === undefined } : null
}
