/** The published test vectors of linking with a passkey, for the cryptography of the tests and the simulator's check of an assertion. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Passkey } from '../../workers/simulator/network/model.ts'
import { refusalOf } from '../../workers/simulator/network/passkey-assertion.ts'
import { ROOT } from '../harness/checkout.ts'
import {
  agree,
  codeOf,
  encryptionKey,
  ephemeralOf,
  handoffKey,
  hex,
  hmac,
  protobuf,
  seal,
  sha256,
  unseal,
} from '../harness/crsc.ts'
import { verifyAssertion } from '../harness/passkey-authenticator.ts'

const vectors = JSON.parse(readFileSync(new URL('test/harness/passkey-vectors.json', ROOT), 'utf8'))
const is = (bytes: Uint8Array, expected: string) => assert.equal(Buffer.from(bytes).toString('hex'), expected)

test('identity, commitment, payload and proof are those of the vectors', async () => {
  const identity = protobuf([
    [1, hex(vectors.companion_ephemeral_public)],
    [2, vectors.device_type],
    [3, vectors.ref],
  ])
  is(identity, vectors.companion_ephemeral_identity)
  const commitment = await sha256(identity, hex(vectors.companion_nonce))
  is(commitment, vectors.commitment)
  const payload = protobuf([
    [1, identity],
    [2, protobuf([[1, commitment]])],
  ])
  is(payload, vectors.prologue_payload)
  const key = await handoffKey(hex(vectors.adv_secret_in_qr))
  is(key, vectors.handoff_key)
  is(await hmac(key, payload), vectors.pairing_handoff_proof)
  is(await hmac(await handoffKey(hex(vectors.adv_secret_rotated)), payload), vectors.proof_if_keyed_with_rotated_secret)
})

test('both sides agree on the key and the code of the vectors', async () => {
  const companion = await ephemeralOf(hex(vectors.companion_ephemeral_private), hex(vectors.companion_ephemeral_public))
  const primary = await ephemeralOf(hex(vectors.primary_ephemeral_private), hex(vectors.primary_ephemeral_public))
  const shared = await agree(companion, primary.publicKey)
  is(shared, vectors.shared_secret)
  is(await agree(primary, companion.publicKey), vectors.shared_secret)
  is(await encryptionKey(shared, 1, vectors.ref), vectors.encryption_key)
  is(await encryptionKey(shared, 3, vectors.ref), vectors.key_if_device_type_were_3)
  const code = await codeOf(hex(vectors.primary_nonce), hex(vectors.companion_nonce), primary.publicKey)
  assert.equal(code.replace('-', ''), vectors.verification_code)
})

test('the sealed request is that of the vectors', async () => {
  const request = protobuf([
    [1, hex(vectors.noise_public)],
    [2, hex(vectors.identity_public)],
    [3, hex(vectors.adv_secret_rotated)],
  ])
  is(request, vectors.pairing_request)
  const sealed = await seal(hex(vectors.encryption_key), hex(vectors.iv), request)
  is(sealed, vectors.encrypted_payload)
  is(await unseal(hex(vectors.encryption_key), hex(vectors.iv), sealed), vectors.pairing_request)
  const envelope = protobuf([
    [1, sealed],
    [2, hex(vectors.iv)],
  ])
  is(envelope, vectors.encrypted_pairing_request)
})

test('the assertion of the vectors is accepted, and no longer with one byte changed', async () => {
  const { webauthn } = vectors
  const passkey = {
    credentialId: Buffer.from(webauthn.credential_id, 'hex'),
    userHandle: undefined,
    publicJwk: webauthn.public_jwk,
  } as Passkey
  const json = Buffer.from(webauthn.assertion_json)
  const challenge = Buffer.from(webauthn.challenge, 'base64url')
  assert.equal(refusalOf(json, passkey.credentialId, challenge, passkey), undefined)
  const publicHalf = { credential_id: passkey.credentialId.toString('base64url'), public_jwk: webauthn.public_jwk }
  await verifyAssertion(webauthn.assertion_json, webauthn.challenge, publicHalf)
  const other = Buffer.from(challenge)
  other[0]! ^= 1
  assert.equal(refusalOf(json, passkey.credentialId, other, passkey)?.kind, 'untrue')
  const changed = JSON.parse(webauthn.assertion_json)
  const signature = Buffer.from(changed.response.signature, 'base64url')
  signature[20]! ^= 1
  changed.response.signature = signature.toString('base64url')
  await assert.rejects(verifyAssertion(JSON.stringify(changed), webauthn.challenge, publicHalf), /signature/)
  const refusal = refusalOf(Buffer.from(JSON.stringify(changed)), passkey.credentialId, challenge, passkey)
  assert.deepEqual(refusal, { kind: 'untrue', problem: 'the signature does not fit' })
})
