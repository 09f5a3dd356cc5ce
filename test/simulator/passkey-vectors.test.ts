/**
 * Tests the cryptography of the tests (`crsc.ts`), and the simulator's check of an assertion, with the published test
 * vectors of linking with a passkey.
 */
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { type Passkey, refusalOf } from '../../packages/sandbox/src/testing.ts'
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
import { type Signed, verifyAssertion } from '../harness/passkey-authenticator.ts'

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

describe('an assertion that this passkey has signed, with', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const passkey = {
    credentialId: Buffer.alloc(20, 1),
    userHandle: Buffer.alloc(16, 2),
    publicJwk: publicKey.export({ format: 'jwk' }) as unknown as Passkey['publicJwk'],
  } as Passkey
  const challenge = Buffer.alloc(32, 3)
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const CLIENT = { type: 'webauthn.get', challenge: text(challenge), origin: 'https://web.whatsapp.com' }
  const rpHash = createHash('sha256').update('whatsapp.com').digest()
  const data = (flags: number, more = 4) => Buffer.concat([rpHash, Buffer.from([flags]), Buffer.alloc(more)])

  function signed({
    client = CLIENT as unknown,
    authenticator = data(0x1d),
    change = (assertion: Signed): unknown => assertion,
  }) {
    const clientData = Buffer.from(typeof client === 'string' ? client : JSON.stringify(client))
    const hash = createHash('sha256').update(clientData).digest()
    const id = text(passkey.credentialId)
    const response = {
      clientDataJSON: text(clientData),
      authenticatorData: text(authenticator),
      signature: text(sign('sha256', Buffer.concat([authenticator, hash]), privateKey)),
      userHandle: text(passkey.userHandle!),
    }
    return change({ id, rawId: id, type: 'public-key', response })
  }
  const refusal = (assertion: unknown) => {
    const json = typeof assertion === 'string' ? assertion : JSON.stringify(assertion)
    return refusalOf(Buffer.from(json), passkey.credentialId, challenge, passkey)
  }
  const withResponse = (more: object) => ({
    change: (assertion: Signed) => ({ ...assertion, response: { ...assertion.response, ...more } }),
  })

  for (const [what, parts] of [
    ['37 bytes of authenticator data', {}],
    ['more bytes, and a flag for extensions', { authenticator: data(0x85, 9) }],
    ['more bytes, and a flag for an attested key', { authenticator: data(0x45, 9) }],
    ['a counter', { authenticator: Buffer.concat([rpHash, Buffer.from([5, 0, 0, 0, 9])]) }],
    ['no user handle', withResponse({ userHandle: undefined })],
    ['null as user handle', withResponse({ userHandle: null })],
    ['crossOrigin false', { client: { ...CLIENT, crossOrigin: false } }],
    [
      'members that a browser adds',
      {
        client: { other_keys_can_be_added_here: 1, ...CLIENT },
        change: (one: object) => ({ ...one, clientExtensionResults: {} }),
      },
    ],
  ] as const)
    test(`${what}: is taken`, () => assert.equal(refusal(signed(parts)), undefined))

  const MEMBERS = ['id', 'rawId', 'type', 'response'] as const
  const RESPONSE = ['clientDataJSON', 'authenticatorData', 'signature'] as const
  const OTHERS = [undefined, null, 5, '', [], 'a+b/', 'AAAA=']
  for (const member of MEMBERS)
    test(`another ${member}: is malformed, and the problem names it`, () => {
      for (const value of OTHERS) {
        const { kind, problem } = refusal(signed({ change: (assertion) => ({ ...assertion, [member]: value }) }))!
        assert.deepEqual([kind, problem.startsWith(`webauthn_assertion: ${member}`)], ['malformed', true], `${value}: ${problem}`)
      }
    })
  for (const member of RESPONSE)
    test(`another ${member}: is malformed, and the problem names it`, () => {
      for (const value of OTHERS) {
        const { kind, problem } = refusal(signed(withResponse({ [member]: value })))!
        assert.deepEqual(
          [kind, problem.startsWith(`webauthn_assertion: response.${member}`)],
          ['malformed', true],
          `${value}: ${problem}`,
        )
      }
    })

  for (const [what, assertion, kind, problem] of [
    ['no JSON', '{', 'malformed', /^webauthn_assertion is not JSON/],
    ['no bytes', '', 'malformed', /^webauthn_assertion is not JSON/],
    ['bytes behind it', `${JSON.stringify(signed({}))}x`, 'malformed', /^webauthn_assertion is not JSON/],
    ['an array', '[]', 'malformed', /^webauthn_assertion: /],
    ['another id than rawId', signed({ change: (one) => ({ ...one, id: 'AAAA' }) }), 'malformed', /id, rawId and credential_id/],
    ['client data that are no JSON', signed({ client: '{' }), 'malformed', /^clientDataJSON is not JSON/],
    [
      'client data and bytes behind them',
      signed({ client: `${JSON.stringify(CLIENT)}x` }),
      'malformed',
      /^clientDataJSON is not JSON/,
    ],
    ['no type', signed({ client: { ...CLIENT, type: undefined } }), 'malformed', /^clientDataJSON: type/],
    ['no challenge', signed({ client: { ...CLIENT, challenge: undefined } }), 'malformed', /^clientDataJSON: challenge/],
    [
      'a padded challenge',
      signed({ client: { ...CLIENT, challenge: `${CLIENT.challenge}=` } }),
      'malformed',
      /^clientDataJSON: challenge/,
    ],
    ['no origin', signed({ client: { ...CLIENT, origin: undefined } }), 'malformed', /^clientDataJSON: origin/],
    [
      'crossOrigin of another type',
      signed({ client: { ...CLIENT, crossOrigin: 'true' } }),
      'malformed',
      /^clientDataJSON: crossOrigin/,
    ],
    ['a frame', signed({ client: { ...CLIENT, crossOrigin: true } }), 'untrue', /crossOrigin is true/],
    [
      'a challenge with a byte more',
      signed({ client: { ...CLIENT, challenge: text(Buffer.alloc(33, 3)) } }),
      'untrue',
      /challenge/,
    ],
    [
      'a challenge with a byte less',
      signed({ client: { ...CLIENT, challenge: text(Buffer.alloc(31, 3)) } }),
      'untrue',
      /challenge/,
    ],
    ['36 bytes of authenticator data', signed({ authenticator: data(0x1d, 3) }), 'untrue', /authenticatorData: 36 bytes/],
    ['38 bytes without a flag', signed({ authenticator: data(0x1d, 5) }), 'untrue', /authenticatorData: 38 bytes, and no flag/],
    ['a backup that is not eligible', signed({ authenticator: data(0x15) }), 'untrue', /backed up, and not eligible/],
    [
      'a signature with a byte less',
      signed({ change: (one) => ({ ...one, response: { ...one.response, signature: one.response.signature.slice(0, -4) } }) }),
      'untrue',
      /signature/,
    ],
    ['a signature of one byte', signed(withResponse({ signature: 'AA' })), 'untrue', /signature/],
    ['an empty user handle', signed(withResponse({ userHandle: '' })), 'malformed', /userHandle/],
    ['another user handle', signed(withResponse({ userHandle: 'AAAA' })), 'untrue', /userHandle/],
  ] as const)
    test(`${what}: is refused`, () => {
      const found = refusal(assertion)!
      assert.equal(found?.kind, kind)
      assert.match(found.problem, problem)
    })

  test('a byte behind its signature: is refused', () => {
    const assertion = signed({}) as { response: { signature: string } }
    assertion.response.signature = text(Buffer.concat([Buffer.from(assertion.response.signature, 'base64url'), Buffer.alloc(1)]))
    assert.match(refusal(assertion)?.problem ?? '', /signature/)
  })
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
