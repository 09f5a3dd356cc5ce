/** Tests the cryptography of linking with a passkey. The test vectors are also used by other implementations. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  commitmentTo,
  confirmationCode,
  encryptionKey,
  handoffKey,
  handoffProof,
  sealedWith,
} from '../../../../workers/shard/connection/pairing/passkey-keys.ts'
import { companionIdentity, pairingRequest, prologuePayload, sealedRequest } from '../../../../workers/shard/wire/passkey.ts'
import { ROOT } from '../../../harness/checkout.ts'

const vectors = JSON.parse(readFileSync(new URL('test/harness/passkey-vectors.json', ROOT), 'utf8'))
const bytes = (name: string): Buffer => Buffer.from(vectors[name] as string, 'hex')
const is = (actual: Uint8Array, name: string) => assert.equal(Buffer.from(actual).toString('hex'), vectors[name], name)

const { ref, device_type: deviceType } = vectors as { ref: string; device_type: number }
const identity = companionIdentity({ publicKey: bytes('companion_ephemeral_public'), deviceType, ref })
const payload = prologuePayload(identity, bytes('commitment'))
const primary = { publicKey: bytes('primary_ephemeral_public'), nonce: bytes('primary_nonce') }

test('identity, commitment, payload and proof', () => {
  is(identity, 'companion_ephemeral_identity')
  is(commitmentTo(bytes('companion_nonce'), identity), 'commitment')
  is(payload, 'prologue_payload')
  is(handoffKey(bytes('adv_secret_in_qr')), 'handoff_key')
  is(handoffProof(handoffKey(bytes('adv_secret_in_qr')), payload), 'pairing_handoff_proof')
  is(handoffProof(handoffKey(bytes('adv_secret_rotated')), payload), 'proof_if_keyed_with_rotated_secret')
})

test('the key and the code of both sides', () => {
  is(encryptionKey(bytes('companion_ephemeral_private'), primary, { deviceType, ref }), 'encryption_key')
  is(encryptionKey(bytes('companion_ephemeral_private'), primary, { deviceType: 3, ref }), 'key_if_device_type_were_3')
  assert.equal(confirmationCode(bytes('companion_nonce'), primary), 'AJ9P-PB27')
})

test('the sealed request', () => {
  const request = pairingRequest({
    companionPublicKey: bytes('noise_public'),
    companionIdentityKey: bytes('identity_public'),
    advSecret: bytes('adv_secret_rotated'),
  })
  is(request, 'pairing_request')
  const sealed = sealedWith(bytes('encryption_key'), bytes('iv'), request)
  is(sealed, 'encrypted_payload')
  is(sealedRequest(sealed, bytes('iv')), 'encrypted_pairing_request')
})

test('keys of the phone with which every agreement is zero are refused', () => {
  const one = Buffer.alloc(32)
  one[0] = 1
  for (const publicKey of [Buffer.alloc(32), one])
    assert.throws(() => encryptionKey(bytes('companion_ephemeral_private'), { publicKey }, { deviceType, ref }))
})
