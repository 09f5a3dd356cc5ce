/**
 * Queries the audience of a status, as set in the phone app.
 *
 *   <iq to="s.whatsapp.net" type="get" xmlns="status"><privacy/></iq>
 * → <privacy><list type="contacts|whitelist|blacklist" default?="true"><user jid/>…</list>…</privacy>
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { bare } from './jid.ts'

export const statusPrivacyQuery = (): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'status' },
  content: [{ tag: 'privacy', attrs: {} }],
})

export interface StatusPrivacy {
  kind: 'contacts' | 'whitelist' | 'blacklist'
  named: string[]
}

/** If no list is marked as the default, the first one counts. Without any list, the audience is all contacts. */
export function statusPrivacyIn(answer: BinaryNode): StatusPrivacy {
  const lists = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'list')
  const list = lists.find(({ attrs }) => attrs.default === 'true') ?? lists[0]
  const type = list?.attrs.type
  return {
    kind: type === 'whitelist' || type === 'blacklist' ? type : 'contacts',
    named: getBinaryNodeChildren(list, 'user').flatMap(({ attrs }) => (attrs.jid ? [bare(attrs.jid)] : [])),
  }
}
