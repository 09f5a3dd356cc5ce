import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BinaryNode, proto } from '@whiskeysockets/baileys'
import {
  base64urlBytes,
  isFromServer,
  nonceQuery,
  optionsQuery,
  primaryIdentityIn,
  prologueQuery,
  refIn,
  refQuery,
  requestOptionsIn,
  sealedRequestQuery,
} from '../../../workers/shard/wire/passkey.ts'

type Content = BinaryNode['content']
const holding = (tag: string, content: Content): BinaryNode => ({
  tag: 'notification',
  attrs: { from: 's.whatsapp.net' },
  content: [{ tag, attrs: {}, content }],
})

describe('options', () => {
  const CHALLENGE = Buffer.from('0123456789abcdef0123456789abcdef').toString('base64url')
  const OPTIONS = {
    challenge: CHALLENGE,
    timeout: 600_000,
    rpId: 'whatsapp.com',
    allowCredentials: [],
    userVerification: 'required',
    extensions: { uvm: true },
    later: { members: ['stay'] },
  }
  const options = (content: Content) => requestOptionsIn(holding('passkey_request_options', content))
  const json = (value: unknown) => options(Buffer.from(JSON.stringify(value)))

  test('are handed on as they came', () => {
    assert.deepEqual(json(OPTIONS), {
      publicKey: OPTIONS,
      challenge: Buffer.from(CHALLENGE, 'base64url'),
      rpId: 'whatsapp.com',
      isVerificationRequired: true,
      allowed: [],
    })
    assert.deepEqual(options(JSON.stringify(OPTIONS))?.publicKey, OPTIONS, 'text')
  })

  test('need no more than a challenge', () => {
    assert.deepEqual(json({ challenge: 'AAAA=' }), {
      publicKey: { challenge: 'AAAA=' },
      challenge: Buffer.alloc(3),
      rpId: 'web.whatsapp.com',
      isVerificationRequired: false,
      allowed: [],
    })
  })

  test('name the credentials that may sign', () => {
    const allowCredentials = [{ type: 'public-key', id: 'AQ' }, null, { id: 5 }, { id: 'Ag', transports: ['usb'] }]
    assert.deepEqual(json({ ...OPTIONS, allowCredentials })?.allowed, ['AQ', 'Ag'])
    assert.deepEqual(json({ ...OPTIONS, allowCredentials: 'AQ' })?.allowed, [])
  })

  test('have defaults for members that are absent or of another type', () => {
    for (const rpId of [undefined, null, 5, ''])
      assert.equal(json({ ...OPTIONS, rpId })?.rpId, 'web.whatsapp.com', `rpId ${rpId}`)
    for (const userVerification of [undefined, null, true, 'preferred'])
      assert.equal(json({ ...OPTIONS, userVerification })?.isVerificationRequired, false, `userVerification ${userVerification}`)
    for (const allowCredentials of [undefined, null, 'AQ', {}, [null, 5, {}, { id: 5 }]])
      assert.deepEqual(json({ ...OPTIONS, allowCredentials })?.allowed, [], JSON.stringify(allowCredentials))
  })

  for (const [name, value] of [
    ['no challenge', { ...OPTIONS, challenge: undefined }],
    ['an empty challenge', { ...OPTIONS, challenge: '' }],
    ['a challenge that is no text', { ...OPTIONS, challenge: 5 }],
    ['a challenge that is no base64url', { ...OPTIONS, challenge: 'a+b/' }],
    ['a challenge that is cut', { ...OPTIONS, challenge: 'AAAAA' }],
    ['an array', [OPTIONS]],
    ['null', null],
    ['a text', 'challenge'],
  ] as const)
    test(`${name}: no options`, () => assert.equal(json(value), null))

  test('their bytes are 1 to 4,096 of JSON, in their element', () => {
    const sized = (bytes: number) => {
      const empty = JSON.stringify({ challenge: 'AA', pad: '' }).length
      return json({ challenge: 'AA', pad: 'x'.repeat(bytes - empty) })
    }
    assert.notEqual(sized(4_096), null)
    assert.equal(sized(4_097), null)
    const trailing = Buffer.from(`${JSON.stringify(OPTIONS)}x`)
    for (const content of [undefined, Buffer.alloc(0), '', Buffer.from('{"challenge":'), Buffer.from([0xff, 0xfe]), trailing, []])
      assert.equal(options(content), null)
    assert.equal(requestOptionsIn(holding('other', Buffer.from(JSON.stringify(OPTIONS)))), null)
    assert.equal(requestOptionsIn({ tag: 'notification', attrs: {} }), null)
  })
})

describe('the reference', () => {
  const ref = (content: Content) => refIn(holding('ref', content))
  test('is a text of 1 to 1,024 bytes', () => {
    assert.equal(ref(Buffer.from('2@abc=')), '2@abc=')
    assert.equal(ref('2@abc='), '2@abc=')
    assert.equal(ref('x'), 'x')
    assert.equal(ref(Buffer.alloc(1_024, 'x'))?.length, 1_024)
    assert.equal(ref('é'.repeat(512))?.length, 512)
    for (const content of [undefined, Buffer.alloc(0), '', Buffer.alloc(1_025, 'x'), 'é'.repeat(513), []])
      assert.equal(ref(content), null)
    assert.equal(refIn({ tag: 'iq', attrs: {} }), null)
  })
})

describe("the phone's identity", () => {
  const encoded = (publicKey: number, nonce: number) =>
    proto.PrimaryEphemeralIdentity.encode({ publicKey: Buffer.alloc(publicKey, 1), nonce: Buffer.alloc(nonce, 2) }).finish()
  const identity = (content: Content, tag = 'primary_ephemeral_identity') => primaryIdentityIn(holding(tag, content))

  test('is a key and a nonce of 32 bytes each', () => {
    assert.deepEqual(
      Object.values(identity(encoded(32, 32))!).map((part) => [part.length, part[0]]),
      [
        [32, 1],
        [32, 2],
      ],
    )
    for (const wrong of [0, 1, 31, 33, 64]) {
      assert.equal(identity(encoded(wrong, 32)), null, `a key of ${wrong}`)
      assert.equal(identity(encoded(32, wrong)), null, `a nonce of ${wrong}`)
    }
  })

  test('is whole, and the first element', () => {
    const whole = encoded(32, 32)
    for (let length = 0; length < whole.length; length++)
      assert.equal(identity(whole.subarray(0, length)), null, `${length} bytes of it`)
    assert.equal(identity(proto.PrimaryEphemeralIdentity.encode({ publicKey: Buffer.alloc(32) }).finish()), null)
    assert.equal(identity(whole, 'other_identity'), null)
    assert.equal(identity(undefined), null)
    assert.equal(identity('text'), null)
    const behind = holding('other', whole)
    ;(behind.content as BinaryNode[]).push({ tag: 'primary_ephemeral_identity', attrs: {}, content: whole })
    assert.equal(primaryIdentityIn(behind), null)
    assert.equal(primaryIdentityIn({ tag: 'notification', attrs: {} }), null)
  })

  test('may have fields of a later version behind it, and no bytes that are no field', () => {
    const whole = encoded(32, 32)
    const followed = (...more: number[]) => identity(Buffer.concat([whole, Buffer.from(more)]))
    assert.deepEqual(followed(0x1a, 1, 7), identity(whole), 'a third field of one byte')
    for (const more of [[0x00], [0x1a], [0x1a, 2, 7], [0x80], [0xff, 0xff]]) assert.equal(followed(...more), null, String(more))
  })

  test('has bytes in both fields', () => {
    const asNumber = (tag: number, rest: Uint8Array) => identity(Buffer.concat([Buffer.from([tag, 32]), rest]))
    const whole = Buffer.from(encoded(32, 32))
    assert.equal(asNumber(0x08, whole.subarray(34)), null, 'a key that is a number')
    assert.equal(asNumber(0x10, whole.subarray(0, 34)), null, 'a nonce that is a number')
  })
})

test('only the server has a part in a pairing', () => {
  const from = (jid?: string) => isFromServer({ tag: 'notification', attrs: jid === undefined ? {} : { from: jid } })
  assert.deepEqual(['s.whatsapp.net', '@s.whatsapp.net'].map(from), [true, true])
  assert.deepEqual(['1@s.whatsapp.net', 'g.us', '', undefined].map(from), [false, false, false, false])
})

describe('our queries', () => {
  const bytes = (value: number, length = 32) => new Uint8Array(length).fill(value)
  const part = (tag: string, content: Uint8Array) => ({ tag, attrs: {}, content })
  const attrs = (type: string) => ({ to: '@s.whatsapp.net', type, xmlns: 'md' })

  test('ask for options and a reference', () => {
    assert.deepEqual(optionsQuery(), {
      tag: 'iq',
      attrs: attrs('get'),
      content: [{ tag: 'passkey_request_options', attrs: {} }],
    })
    assert.deepEqual(refQuery(), { tag: 'iq', attrs: attrs('get'), content: [{ tag: 'ref', attrs: {} }] })
  })

  test('carry the assertion, with a proof and without one', () => {
    const parts = { credentialId: bytes(1), assertion: bytes(2), payload: bytes(3) }
    const children = [part('credential_id', bytes(1)), part('webauthn_assertion', bytes(2)), part('prologue_payload', bytes(3))]
    const prologue = (content: BinaryNode[]) => ({
      tag: 'iq',
      attrs: attrs('set'),
      content: [{ tag: 'passkey_prologue', attrs: {}, content }],
    })
    assert.deepEqual(prologueQuery({ ...parts, proof: null }), prologue(children))
    assert.deepEqual(
      prologueQuery({ ...parts, proof: bytes(4) }),
      prologue([...children, part('pairing_handoff_proof', bytes(4))]),
    )
  })

  test('carry the nonce and the sealed request', () => {
    assert.deepEqual(nonceQuery(bytes(1)).content, [part('companion_nonce', bytes(1))])
    assert.deepEqual(sealedRequestQuery(bytes(2)).content, [part('encrypted_pairing_request', bytes(2))])
    assert.deepEqual([nonceQuery(bytes(1)).attrs, sealedRequestQuery(bytes(2)).attrs], [attrs('set'), attrs('set')])
  })
})

test('base64url is taken with and without padding, and nothing else', () => {
  assert.deepEqual(['-_8', '-_8='].map(base64urlBytes), [Buffer.from([0xfb, 0xff]), Buffer.from([0xfb, 0xff])])
  for (const text of ['', '+/8', 'a b', '=', 'AA===', 'ä', 'A', 'AAAAA', 'AAAAA=']) assert.equal(base64urlBytes(text), null, text)
})
