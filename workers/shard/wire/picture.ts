/**
 * Queries, sets and removes pictures of accounts, groups and channels. When a picture is set or removed, `target` is
 * the group; it is absent for the account's own picture.
 */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

const query = (target: string | undefined, content: BinaryNode[] | undefined): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'w:profile:picture', ...(target === undefined ? {} : { target }) },
  ...(content === undefined ? {} : { content }),
})

export const setPictureQuery = (jpeg: Uint8Array, target?: string) =>
  query(target, [{ tag: 'picture', attrs: { type: 'image' }, content: jpeg }])

export const removePictureQuery = (target?: string) => query(target, undefined)

export const pictureQuery = (target: string, size: 'image' | 'preview', token: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { target, to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:profile:picture' },
  content: [{ tag: 'picture', attrs: { type: size, query: 'url' }, ...(token.length > 0 ? { content: token } : {}) }],
})

export const pictureUrlIn = (answer: BinaryNode): string | null => getBinaryNodeChild(answer, 'picture')?.attrs.url ?? null

export interface PictureChange {
  /** Id of the picture; empty if it is absent or the picture was removed. */
  id: string
  author: string | undefined
  isRemoved: boolean
}

/**
 * Parses `<notification type="picture"><set id author?/>` or `<delete author?/></notification>`; null for all others.
 */
export function pictureChangeIn(notice: BinaryNode): PictureChange | null {
  const set = getBinaryNodeChild(notice, 'set')
  const change = set ?? getBinaryNodeChild(notice, 'delete')
  return change ? { id: set?.attrs.id ?? '', author: change.attrs.author, isRemoved: set === undefined } : null
}
