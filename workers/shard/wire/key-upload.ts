/**
 * Builds the query that uploads one-time keys, together with the identity key and the signed pre-key that belong to
 * them:
 *
 *   <iq to="s.whatsapp.net" type="set" xmlns="encrypt"><registration/><type/><identity/><list><key><id/><value/></key>…</list><skey/></iq>
 */
import {
  type AuthenticationCreds,
  type BinaryNode,
  encodeBigEndian,
  type KeyPair,
  S_WHATSAPP_NET,
  xmppPreKey,
  xmppSignedPreKey,
} from '@whiskeysockets/baileys'
import { KEY_BUNDLE_TYPE } from '@whiskeysockets/baileys/lib/Defaults/index.js'

type Own = Pick<AuthenticationCreds, 'registrationId' | 'signedIdentityKey' | 'signedPreKey'>

export const keyUpload = (own: Own, keys: readonly { id: number; pair: KeyPair }[]): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'encrypt' },
  content: [
    { tag: 'registration', attrs: {}, content: encodeBigEndian(own.registrationId) },
    { tag: 'type', attrs: {}, content: Buffer.from(KEY_BUNDLE_TYPE) },
    { tag: 'identity', attrs: {}, content: own.signedIdentityKey.public },
    { tag: 'list', attrs: {}, content: keys.map(({ id, pair }) => xmppPreKey(pair, id)) },
    xmppSignedPreKey(own.signedPreKey),
  ],
})
