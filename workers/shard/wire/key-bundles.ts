/**
 * Queries the keys of other devices. With these keys, a session with each device is created:
 *
 *   <iq xmlns="encrypt" type="get"><key><user jid reason="identity"?/>…</key></iq>
 *     → <list><user jid><registration/><identity/><skey/><key/>?</user>…</list>
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export const keyBundlesQuery = (jids: readonly string[], isRenewal: boolean): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'encrypt' },
  content: [
    {
      tag: 'key',
      attrs: {},
      content: jids.map((jid): BinaryNode => ({ tag: 'user', attrs: isRenewal ? { jid, reason: 'identity' } : { jid } })),
    },
  ],
})

/**
 * Removes devices without keys from the answer. The library would reject the whole answer because of one of
 * them.
 */
export function withKeys(answer: BinaryNode): BinaryNode {
  const users = getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user')
  const content = users.filter((user) => getBinaryNodeChild(user, 'error') === undefined)
  return { ...answer, content: [{ tag: 'list', attrs: {}, content }] }
}
