/** Tests the errors in an assertion that can be found without the public key of the account's passkey. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Assertion } from '../../../../src/domain/passkey.ts'
import { assertionJson, problemOf } from '../../../../workers/shard/connection/pairing/passkey-assertion.ts'
import type { RequestOptions } from '../../../../workers/shard/wire/passkey.ts'
import { ROOT } from '../../../harness/checkout.ts'

const { webauthn } = JSON.parse(readFileSync(new URL('test/harness/passkey-vectors.json', ROOT), 'utf8'))
const ASSERTION = JSON.parse(webauthn.assertion_json) as Assertion
const OPTIONS: RequestOptions = {
  publicKey: { challenge: webauthn.challenge },
  challenge: Buffer.from(webauthn.challenge, 'base64url'),
  rpId: 'whatsapp.com',
  isVerificationRequired: true,
  allowed: [],
}

const CLIENT = {
  type: 'webauthn.get',
  challenge: webauthn.challenge as string,
  origin: 'https://web.whatsapp.com',
  crossOrigin: false,
}
const encoded = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const withClient = (client: unknown): Assertion => ({
  ...ASSERTION,
  response: { ...ASSERTION.response, clientDataJSON: encoded(client) },
})
const withData = (flags: number, rpId = 'whatsapp.com'): Assertion => {
  const data = Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags, 0, 0, 0, 0])])
  return { ...ASSERTION, response: { ...ASSERTION.response, authenticatorData: data.toString('base64url') } }
}
const refused = (assertion: Assertion, path: string, message: RegExp, options = OPTIONS) => {
  const problem = problemOf(assertion, options)
  assert.equal(problem?.path, path)
  assert.match(problem.message, message)
}
const fine = (assertion: Assertion, options = OPTIONS) => assert.equal(problemOf(assertion, options), null)

test('the assertion of the vectors is fine, and leaves as the web client writes it', () => {
  fine(ASSERTION)
  assert.equal(assertionJson(ASSERTION).toString(), webauthn.assertion_json)
})

test('an absent user handle leaves as null', () => {
  const { userHandle: _, ...response } = ASSERTION.response
  const sent = JSON.parse(assertionJson({ ...ASSERTION, response }).toString())
  assert.equal(sent.response.userHandle, null)
  assert.deepEqual(Object.keys(sent.response), ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'])
})

describe('the client data', () => {
  const PATH = 'assertion.response.clientDataJSON'

  test('may have more members, another order and a padded challenge', () => {
    fine(withClient({ other_keys_can_be_added_here: 'x', ...CLIENT, challenge: `${CLIENT.challenge}=` }))
    const { crossOrigin: _, ...without } = CLIENT
    fine(withClient(without))
  })

  for (const [name, client, message] of [
    ['no JSON', '{', /JSON/],
    ['null', 'null', /JSON/],
    ['no text at all', '', /JSON/],
    ['an array', '[]', /JSON/],
    ['a text', '"webauthn.get"', /JSON/],
    ['bytes behind the JSON', `${JSON.stringify(CLIENT)}x`, /JSON/],
    ['no type', { ...CLIENT, type: undefined }, /JSON with a type, a challenge and an origin/],
    ['no origin', { ...CLIENT, origin: undefined }, /JSON/],
    ['a challenge that is no text', { ...CLIENT, challenge: 5 }, /JSON/],
    [
      'a challenge with a byte too many',
      { ...CLIENT, challenge: Buffer.concat([OPTIONS.challenge, Buffer.alloc(1)]).toString('base64url') },
      /another challenge/,
    ],
    [
      'a challenge with a byte too few',
      { ...CLIENT, challenge: OPTIONS.challenge.subarray(1).toString('base64url') },
      /another challenge/,
    ],
    ['no challenge', { ...CLIENT, challenge: undefined }, /JSON/],
    ['an origin that is no text', { ...CLIENT, origin: 5 }, /JSON/],
    ['a new passkey', { ...CLIENT, type: 'webauthn.create' }, /webauthn\.get/],
    ['another challenge', { ...CLIENT, challenge: encoded('another') }, /signed for another challenge; reload that page/],
    ['a challenge that is none', { ...CLIENT, challenge: '+/+/' }, /another challenge/],
    ['a frame', { ...CLIENT, crossOrigin: true }, /frame/],
  ] as const)
    test(`is refused for ${name}`, () => refused(withClient(client), PATH, message))

  for (const origin of ['https://whatsapp.com', 'https://web.whatsapp.com', 'https://a.b.whatsapp.com:8443'])
    test(`may come from ${origin}`, () => fine(withClient({ ...CLIENT, origin })))

  for (const origin of [
    'http://web.whatsapp.com',
    'https://whatsapp.com.example',
    'https://notwhatsapp.com',
    'https://example.com/whatsapp.com',
    'android:apk-key-hash:whatsapp.com',
    'null',
    '',
  ])
    test(`may not come from ${origin || 'nowhere'}`, () =>
      refused(withClient({ ...CLIENT, origin }), PATH, /no page of whatsapp\.com/))

  test('is for the relying party that the network named', () => {
    fine(
      {
        ...withClient({ ...CLIENT, origin: 'https://login.example.org' }),
        response: {
          ...withClient({ ...CLIENT, origin: 'https://login.example.org' }).response,
          authenticatorData: withData(5, 'example.org').response.authenticatorData,
        },
      },
      { ...OPTIONS, rpId: 'example.org' },
    )
  })
})

describe('the authenticator data', () => {
  const PATH = 'assertion.response.authenticatorData'
  test('are for the relying party', () => refused(withData(5, 'web.whatsapp.com'), PATH, /not for whatsapp\.com/))
  test('are whole', () => {
    for (const length of [0, 31, 32]) {
      const cut = Buffer.from(ASSERTION.response.authenticatorData, 'base64url').subarray(0, length).toString('base64url')
      refused({ ...ASSERTION, response: { ...ASSERTION.response, authenticatorData: cut } }, PATH, /not for|somebody was there/)
    }
  })
  test('may have more behind the counter, which only the network can judge', () => {
    const data = Buffer.from(ASSERTION.response.authenticatorData, 'base64url')
    const longer = Buffer.concat([data, Buffer.from([0xa0])]).toString('base64url')
    fine({ ...ASSERTION, response: { ...ASSERTION.response, authenticatorData: longer } })
  })
  test('say that somebody was there', () => refused(withData(4), PATH, /somebody was there/))
  test('say that the person was verified, where that is wanted', () => {
    refused(withData(1), PATH, /verified/)
    fine(withData(1), { ...OPTIONS, isVerificationRequired: false })
    fine(withData(0x1d))
  })
})

test('where the network names passkeys, it is one of them', () => {
  fine(ASSERTION, { ...OPTIONS, allowed: ['AQ', `${ASSERTION.id}=`] })
  refused(ASSERTION, 'assertion.id', /choose the one of this number/, { ...OPTIONS, allowed: ['AQ', 'not base64!'] })
})
