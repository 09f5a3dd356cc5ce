/**
 * The end of a pairing by code: the phone has accepted the code and sends its keys, sealed under it; ours go back, sealed for the phone alone.
 * NETWORK.md 2.3. After it the network sends the same `pair-success` as after a scan.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import {
  aesDecryptCTR,
  aesEncryptGCM,
  type BinaryNode,
  Curve,
  derivePairingCodeKey,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  S_WHATSAPP_NET,
  type WASocket,
} from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { boundedQuery } from '../../baileys/query.ts'

const DEADLINE = 20 * SECOND
const KEY_BYTES = 32

type RegistrationSocket = Pick<WASocket, 'authState' | 'ev' | 'query'>

/** Rejects for what was not made with our code. */
export async function finishRegistration(sock: RegistrationSocket, notice: BinaryNode): Promise<void> {
  const { creds } = sock.authState
  const hello = getBinaryNodeChild(notice, 'link_code_companion_reg')
  const part = (tag: string) => {
    const found = getBinaryNodeChildBuffer(hello, tag)
    if (found === undefined) throw new Error(`the phone's answer to a pairing code has no ${tag}`)
    return Buffer.from(found)
  }
  if (creds.pairingCode === undefined || !creds.me) throw new Error('a pairing code was accepted that nobody asked for')
  const phoneIdentity = part('primary_identity_pub')
  const shared = Buffer.from(
    Curve.sharedKey(
      creds.pairingEphemeralKeyPair.private,
      await unwrapped(part('link_code_pairing_wrapped_primary_ephemeral_pub'), creds.pairingCode),
    ),
  )
  const random = randomBytes(KEY_BYTES)
  const bundle = Buffer.concat([creds.signedIdentityKey.public, phoneIdentity, random])
  const salt = randomBytes(KEY_BYTES)
  const iv = randomBytes(12)
  const bundleKey = derived(shared, salt, 'link_code_pairing_key_bundle_encryption_key')
  const sealed = Buffer.concat([salt, iv, aesEncryptGCM(bundle, bundleKey, iv, Buffer.alloc(0))])
  const identityShared = Curve.sharedKey(creds.signedIdentityKey.private, phoneIdentity)
  // What comes next is checked with it, and may be faster than the answer to the query.
  creds.advSecretKey = derived(Buffer.concat([shared, identityShared, random]), Buffer.alloc(0), 'adv_secret').toString('base64')
  await boundedQuery(
    sock,
    {
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
      content: [
        {
          tag: 'link_code_companion_reg',
          attrs: { jid: creds.me.id, stage: 'companion_finish' },
          content: [
            { tag: 'link_code_pairing_wrapped_key_bundle', attrs: {}, content: sealed },
            { tag: 'companion_identity_public', attrs: {}, content: creds.signedIdentityKey.public },
            { tag: 'link_code_pairing_ref', attrs: {}, content: part('link_code_pairing_ref') },
          ],
        },
      ],
    },
    DEADLINE,
  )
  creds.registered = true
  sock.ev.emit('creds.update', creds)
}

/** The phone's ephemeral key: salt, IV, and the key under the code. */
async function unwrapped(wrapped: Buffer, code: string): Promise<Buffer> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, KEY_BYTES))
  return aesDecryptCTR(wrapped.subarray(48, 80), key, wrapped.subarray(KEY_BYTES, 48))
}

const derived = (secret: Uint8Array, salt: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES))
