/**
 * Completes a pairing by code. The phone sends its identity key, and an ephemeral key that is encrypted with the code.
 * We send a bundle of keys that only the phone can decrypt. Then the network sends `pair-success`, as after a scan.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { aesDecryptCTR, aesEncryptGCM, type BinaryNode, derivePairingCodeKey } from '@whiskeysockets/baileys'
import { agreement } from '../../keys/curve.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { companionFinish, primaryHelloIn } from '../../wire/companion-registration.ts'
import { QUERY_DEADLINE } from '../within.ts'

const KEY_BYTES = 32

type RegistrationSocket = Pick<NetworkSocket, 'authState' | 'ev' | 'query'>

/** Sends our keys to the phone. Rejects if no pairing code is pending, or if the network refuses the keys. */
export async function finishRegistration(sock: RegistrationSocket, notice: BinaryNode): Promise<void> {
  const { creds } = sock.authState
  if (creds.pairingCode === undefined || !creds.me)
    throw new Error('the phone accepted a pairing code, but this instance has no pending code')
  const { identity: phoneIdentity, wrappedEphemeral, ref } = primaryHelloIn(notice)
  const shared = agreement(creds.pairingEphemeralKeyPair.private, await unwrapped(wrappedEphemeral, creds.pairingCode))
  const random = randomBytes(KEY_BYTES)
  const bundle = Buffer.concat([creds.signedIdentityKey.public, phoneIdentity, random])
  const salt = randomBytes(KEY_BYTES)
  const iv = randomBytes(12)
  const bundleKey = derived(shared, salt, 'link_code_pairing_key_bundle_encryption_key')
  const sealed = Buffer.concat([salt, iv, aesEncryptGCM(bundle, bundleKey, iv, Buffer.alloc(0))])
  const identityShared = agreement(creds.signedIdentityKey.private, phoneIdentity)
  // The network's next stanza is verified with this secret. That stanza may arrive before the answer to the query
  // below, so the secret is set first.
  creds.advSecretKey = derived(Buffer.concat([shared, identityShared, random]), Buffer.alloc(0), 'adv_secret').toString('base64')
  await sock.query(
    companionFinish({ jid: creds.me.id, keyBundle: sealed, identity: creds.signedIdentityKey.public, ref }),
    QUERY_DEADLINE,
  )
  creds.registered = true
  sock.ev.emit('creds.update', creds)
}

async function unwrapped(wrapped: Buffer, code: string): Promise<Buffer> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, KEY_BYTES))
  return aesDecryptCTR(wrapped.subarray(48, 80), key, wrapped.subarray(KEY_BYTES, 48))
}

const derived = (secret: Uint8Array, salt: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES))
