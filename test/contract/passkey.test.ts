import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../src/domain/failures.ts'
import type { Assertion } from '../../src/domain/passkey.ts'
import { openService, type Service } from './http/service.ts'

const MINUTE = 60_000

const service = await openService({ instanceSlots: 10_000 })
after(() => service.close())

let instance: Awaited<ReturnType<Service['newInstance']>>
let subnet = 0
beforeEach(async () => {
  service.double.answer = () => ({ value: true, stage: 'awaiting_confirmation' })
  Object.assign(service.double.passkey, {
    ceremony: randomBytes(8).toString('hex'),
    stage: 'awaiting_response',
    public_key: { challenge: randomBytes(32).toString('base64url'), rpId: 'whatsapp.com', extensions: { uvm: true } },
    expires_at: new Date(service.clock.now() + 10 * MINUTE).toISOString(),
  })
  service.time.now += 2 * MINUTE
  service.peer.address = `198.51.${100 + subnet++}.7`
  instance = await service.newInstance()
})

const bytes = (length: number) => Buffer.alloc(length, 7).toString('base64url')
const ASSERTION: Assertion = {
  id: bytes(20),
  rawId: bytes(20),
  type: 'public-key',
  response: { clientDataJSON: bytes(130), authenticatorData: bytes(37), signature: bytes(71), userHandle: bytes(16) },
}
const withId = (id: unknown) => ({ ...ASSERTION, id, rawId: id })
const withResponse = (response: object) => ({ ...ASSERTION, response: { ...ASSERTION.response, ...response } })

const respond = (assertion: unknown) => service.ask('POST', `${instance.base}/passkey/response`, { assertion })
const given = () => (service.double.calls.at(-1)!.input as { assertion: Assertion }).assertion
interface Refused {
  body: { error: { details: { issues: { path: string; message: string }[] } } }
}
const paths = ({ body }: Refused) => body.error.details.issues.map(({ path }) => path)
const messages = ({ body }: Refused) => body.error.details.issues.map(({ message }) => message)

describe('the answer', () => {
  test('reaches the shard without padding, and without what browsers add', async () => {
    const { status, headers } = await respond({
      ...ASSERTION,
      id: `${bytes(20)}=`,
      rawId: `${bytes(20)}=`,
      authenticatorAttachment: 'platform',
      clientExtensionResults: { uvm: [[2, 4, 2]] },
      response: { ...ASSERTION.response, signature: `${bytes(71)}=` },
    })
    assert.deepEqual([status, headers.get('X-Svc-Ignored-Fields')], [200, null])
    assert.deepEqual([given().id, given().rawId, given().response], [ASSERTION.id, ASSERTION.rawId, ASSERTION.response])
  })

  for (const [name, value] of [
    ['no user handle', withResponse({ userHandle: null })],
    ['an absent user handle', withResponse({ userHandle: undefined })],
    ['an empty user handle', withResponse({ userHandle: '' })],
    ['the longest id', withId('x'.repeat(1_364))],
    ['the longest id with padding', withId(`${'x'.repeat(1_362)}==`)],
    ['the shortest id', withId('xx')],
    ['the shortest client data', withResponse({ clientDataJSON: bytes(2) })],
    ['the shortest authenticator data', withResponse({ authenticatorData: bytes(37) })],
    ['the longest client data', withResponse({ clientDataJSON: bytes(4_096) })],
    ['the longest authenticator data', withResponse({ authenticatorData: bytes(2_048) })],
    ['the shortest signature', withResponse({ signature: bytes(8) })],
    ['the longest signature', withResponse({ signature: bytes(1_024) })],
    ['the longest user handle', withResponse({ userHandle: bytes(64) })],
  ] as const)
    test(`may have ${name}`, async () => assert.equal((await respond(value)).status, 200))

  for (const [name, value, path, message] of [
    ['an empty id', { ...ASSERTION, id: '' }, 'id', 'must not be empty'],
    ['an id of padding', { ...ASSERTION, id: '==' }, 'id', 'must not be empty'],
    ['an id that is too long', { ...ASSERTION, id: 'x'.repeat(1_366) }, 'id', 'must have at most 1364 characters'],
    ['an id that is no base64url', { ...ASSERTION, id: 'a+b/' }, 'id', 'must be base64url'],
    ['an id that is cut', { ...ASSERTION, id: 'xxxxx' }, 'id', 'must be base64url'],
    ['an id with too much padding', { ...ASSERTION, id: 'xx===' }, 'id', 'must be base64url'],
    ['an id with padding inside', { ...ASSERTION, id: 'xx=x' }, 'id', 'must be base64url'],
    ['another raw id', { ...ASSERTION, rawId: bytes(21) }, 'rawId', 'must be the same as id'],
    ['a raw id with a byte more', { ...ASSERTION, rawId: `${ASSERTION.id}AA` }, 'rawId', 'must be base64url'],
    ['client data that are too long', { clientDataJSON: bytes(4_097) }, 'clientDataJSON', 'must have at most 4096 bytes'],
    ['client data that are too short', { clientDataJSON: bytes(1) }, 'clientDataJSON', 'must have at least 2 bytes'],
    [
      'authenticator data that are too short',
      { authenticatorData: bytes(36) },
      'authenticatorData',
      'must have at least 37 bytes',
    ],
    [
      'authenticator data that are too long',
      { authenticatorData: bytes(2_049) },
      'authenticatorData',
      'must have at most 2048 bytes',
    ],
    ['a signature that is too short', { signature: bytes(7) }, 'signature', 'must have at least 8 bytes'],
    ['a signature that is too long', { signature: bytes(1_025) }, 'signature', 'must have at most 1024 bytes'],
    ['a signature of another alphabet', { signature: '+/+/+/+/+/+/' }, 'signature', 'must be base64url'],
    ['a user handle that is too long', { userHandle: bytes(65) }, 'userHandle', 'must have at most 64 bytes'],
  ] as const)
    test(`may not have ${name}; the issue names the member and the limit`, async () => {
      const isPart = Object.keys(value).length === 1
      const answer = await respond(isPart ? withResponse(value) : value)
      const expected = isPart ? `assertion.response.${path}` : `assertion.${path}`
      assert.deepEqual([answer.status, paths(answer), messages(answer)], [400, [expected], [message]])
    })

  const OTHER_TYPES = [undefined, null, 5, true, [], {}]
  for (const name of ['id', 'rawId', 'type', 'response'] as const)
    test(`has a member ${name} of its type`, async () => {
      for (const value of OTHER_TYPES) {
        const isObject = name === 'response' && JSON.stringify(value) === '{}'
        const answer = await respond({ ...ASSERTION, [name]: value })
        const [first] = paths(answer)
        assert.equal(answer.status, 400, JSON.stringify(value))
        assert.equal(first, isObject ? 'assertion.response.clientDataJSON' : `assertion.${name}`, JSON.stringify(value))
      }
    })

  for (const name of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const)
    test(`has a member response.${name} of its type`, async () => {
      const mayBeAbsent = name === 'userHandle'
      for (const value of mayBeAbsent ? OTHER_TYPES.slice(2) : OTHER_TYPES) {
        const answer = await respond(withResponse({ [name]: value }))
        assert.deepEqual([answer.status, paths(answer)], [400, [`assertion.response.${name}`]], JSON.stringify(value))
      }
    })

  test('is an object in an object', async () => {
    for (const value of [...OTHER_TYPES.slice(0, 5), 'text']) {
      const answer = await respond(value)
      assert.deepEqual([answer.status, paths(answer)], [400, ['assertion']], JSON.stringify(value))
    }
    for (const body of ['', 'no JSON', '[]', 'null', '5', `{"assertion":${JSON.stringify(ASSERTION)}}x`])
      assert.equal((await service.ask('POST', `${instance.base}/passkey/response`, body)).status, 400, body)
  })

  test('has at most 16 KB', async () => {
    const sized = (size: number) => {
      const body = JSON.stringify({ assertion: ASSERTION })
      return service.ask('POST', `${instance.base}/passkey/response`, body + ' '.repeat(size - body.length))
    }
    assert.equal((await sized(16_384)).status, 200)
    const { status, body } = await sized(16_385)
    assert.deepEqual([status, body.error.details.issues], [400, [{ path: '', message: 'must have at most 16 KB' }]])
  })

  test('of any other form is refused, and never ours to stumble over', async () => {
    const base64url = fc.string({ unit: fc.constantFrom(...'Aa0-_=+/ é\u0000'), maxLength: 60 })
    const member = fc.oneof(base64url, fc.anything({ maxDepth: 1 }), fc.constant(undefined))
    const assertion = fc.record(
      {
        id: member,
        rawId: member,
        type: fc.oneof(fc.constant('public-key'), member),
        response: fc.oneof(
          fc.record(
            { clientDataJSON: member, authenticatorData: member, signature: member, userHandle: member },
            { requiredKeys: [] },
          ),
          member,
        ),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(assertion, member), async (value) => {
        service.time.now += MINUTE
        const { status, body } = await service.ask(
          'POST',
          `${instance.base}/passkey/response`,
          JSON.stringify({ assertion: value }, (_, each) => (typeof each === 'bigint' ? String(each) : each)),
        )
        if (status === 200) return
        assert.equal(status, 400)
        assert.ok(body.error.details.issues.every(({ path }: { path: string }) => path.startsWith('assertion')))
      }),
      { numRuns: 300, seed: 29 },
    )
  })
})

test('the word about the code is true or false, and nothing else', async () => {
  const confirm = (body: unknown) => service.ask('POST', `${instance.base}/passkey/confirm`, body)
  service.double.answer = () => ({ value: true })
  for (const matches of [true, false]) assert.equal((await confirm({ matches })).status, 200)
  for (const matches of [undefined, null, 'true', 1, [], {}]) {
    const answer = await confirm({ matches })
    assert.deepEqual([answer.status, paths(answer)], [400, ['matches']], JSON.stringify(matches))
  }
})

async function newTicket(of = instance): Promise<string> {
  const { status, body } = await service.ask('POST', `${of.base}/passkey/ticket`)
  assert.equal(status, 201)
  return body.ticket
}
const withTicket = (ticket: string) => ({ 'X-Passkey-Ticket': ticket })
const look = (ticket: string) => service.ask('GET', '/passkey', undefined, withTicket(ticket))
const give = (ticket: string, assertion: unknown = ASSERTION) =>
  service.ask('POST', '/passkey', { assertion }, withTicket(ticket))

describe('a ticket', () => {
  test('leads to WhatsApp Web, with the address of this service and itself where no server sees them', async () => {
    const { body, headers } = await service.ask('POST', `${instance.base}/passkey/ticket`)
    assert.equal(headers.get('Cache-Control'), 'no-store')
    assert.match(body.ticket, /^[\w-]{43}$/)
    const [page, fragment] = body.open_url.split('#svc-passkey=')
    assert.equal(page, 'https://web.whatsapp.com/')
    assert.deepEqual(JSON.parse(Buffer.from(fragment, 'base64url').toString()), {
      v: 1,
      u: 'https://gw.example.com/passkey',
      t: body.ticket,
    })
    assert.equal(body.expires_at, service.double.passkey.expires_at)
  })

  test('shows what is to be signed and for whom, without any credential of the instance', async () => {
    const ticket = await newTicket()
    const { status, body } = await look(ticket)
    const { public_key, expires_at } = service.double.passkey
    assert.deepEqual([status, body], [200, { name: 'Support BR', public_key, expires_at }])
  })

  test('takes the answer as the route of the instance does, and is spent', async () => {
    const ticket = await newTicket()
    const { status, body } = await give(ticket, { ...ASSERTION, id: `${ASSERTION.id}=`, rawId: `${ASSERTION.id}=` })
    assert.deepEqual([status, body], [200, { value: true, stage: 'awaiting_confirmation' }])
    const { instance: asked, operation } = service.double.calls.at(-1)!
    assert.deepEqual([asked, operation, given().id], [instance.id, 'instance.passkeyResponse', ASSERTION.id])
    assert.equal((await give(ticket)).status, 401)
    assert.equal((await look(ticket)).status, 401)
  })

  test('tells the page of the instance that a helper is there', async () => {
    const seen = async () => (await service.ask('GET', `${instance.base}/passkey`)).body.helper_seen
    const ticket = await newTicket()
    assert.equal(await seen(), false)
    await look(ticket)
    assert.equal(await seen(), true)
    assert.deepEqual(Object.keys((await service.ask('GET', `${instance.base}/passkey`)).body).includes('ceremony'), false)
    service.double.passkey.ceremony = 'the next'
    assert.equal(await seen(), false)
  })

  test('is good for three refused answers', async () => {
    const ticket = await newTicket()
    assert.equal((await give(ticket, withId(''))).status, 400)
    service.double.answer = () => {
      throw Failure.invalid({ path: 'assertion.response.clientDataJSON', message: 'was signed for another challenge' })
    }
    assert.equal((await give(ticket)).status, 400)
    assert.equal((await look(ticket)).status, 200)
    service.double.answer = () => {
      throw new Failure('action_failed', { details: { network_code: 403 } })
    }
    const { status, body } = await give(ticket)
    assert.deepEqual([status, body.error.details.network_code], [502, 403])
    assert.equal((await look(ticket)).status, 401)
  })

  test('ends with the next one, of this instance alone', async () => {
    const other = await service.newInstance('Other')
    const theirs = await newTicket(other)
    const first = await newTicket()
    const second = await newTicket()
    assert.deepEqual([(await look(first)).status, (await look(second)).status, (await look(theirs)).status], [401, 200, 200])
  })

  test('ends after ten minutes, and with its stage', async () => {
    service.double.passkey.expires_at = new Date(service.clock.now() + 60 * MINUTE).toISOString()
    const { body } = await service.ask('POST', `${instance.base}/passkey/ticket`)
    assert.equal(Date.parse(body.expires_at) - service.clock.now(), 10 * MINUTE)
    service.time.now += 10 * MINUTE - 1
    assert.equal((await look(body.ticket)).status, 200)
    service.time.now += 1
    assert.equal((await look(body.ticket)).status, 401)
  })

  for (const [what, change] of [
    ['another challenge', { public_key: { challenge: 'another' } }],
    ['another ceremony, even with the same challenge', { ceremony: 'another' }],
    ['a stage in which nothing is signed', { stage: 'awaiting_confirmation', public_key: null }],
    ['no ceremony', { ceremony: null, stage: 'none', public_key: null, expires_at: null }],
  ] as const) {
    test(`is worth nothing for ${what}`, async () => {
      const ticket = await newTicket()
      const before = { ...service.double.passkey }
      Object.assign(service.double.passkey, change)
      const count = service.double.calls.filter(({ operation }) => operation === 'instance.passkeyResponse').length
      assert.equal((await give(ticket)).status, 401)
      Object.assign(service.double.passkey, before)
      assert.equal((await look(ticket)).status, 401, 'it does not come back to life')
      assert.equal(service.double.calls.filter(({ operation }) => operation === 'instance.passkeyResponse').length, count)
    })
  }

  test('is not made where there is nothing to sign', async () => {
    Object.assign(service.double.passkey, { stage: 'awaiting_confirmation', public_key: null })
    const { status, body } = await service.ask('POST', `${instance.base}/passkey/ticket`)
    assert.deepEqual([status, body.error.code], [409, 'passkey_not_pending'])
  })

  test('is refused before the body is looked at; guesses are throttled, and nobody who has one is locked out by them', async () => {
    const ticket = await newTicket()
    for (let guess = 0; guess < 30; guess++) {
      const { status, body, headers } = await service.ask(
        'POST',
        '/passkey',
        'no JSON',
        withTicket(randomBytes(32).toString('base64url')),
      )
      assert.deepEqual([status, body.error.code, headers.get('Access-Control-Allow-Origin')], [401, 'unauthorized', '*'])
    }
    for (const headers of [withTicket('x'.repeat(300)), withTicket(''), {}]) {
      const { status, headers: answered } = await service.ask('GET', '/passkey', undefined, headers)
      assert.equal(status, 429)
      assert.ok(Number(answered.get('Retry-After')) > 0)
      assert.equal(answered.get('Access-Control-Allow-Origin'), '*')
    }
    assert.equal((await look(ticket)).status, 200)
  })

  test('has 43 characters of base64url; every other text is refused as one that nobody has', async () => {
    const ticket = await newTicket()
    const wrong = [ticket.slice(1), `${ticket}A`, `${ticket}=`, ` ${ticket}x`, ticket.toUpperCase(), 'x'.repeat(300), '']
    for (const each of wrong) assert.equal((await look(each)).status, 401, each)
    assert.equal((await service.ask('GET', '/passkey')).status, 401, 'no header')
    assert.equal((await look(ticket)).status, 200)
  })

  test('carries an answer with the limits of the route of the instance', async () => {
    const ticket = await newTicket()
    const give = (body: string) => service.ask('POST', '/passkey', body, withTicket(ticket))
    const body = JSON.stringify({ assertion: ASSERTION })
    const long = await give(body + ' '.repeat(16_385 - body.length))
    assert.deepEqual([long.status, paths(long), messages(long)], [400, [''], ['must have at most 16 KB']])
    const absent = await give('{}')
    assert.deepEqual([absent.status, paths(absent)], [400, ['assertion']])
    assert.equal((await give(body + ' '.repeat(16_384 - body.length))).status, 200)
  })

  test('is looked at thirty times a minute at most', async () => {
    const ticket = await newTicket()
    for (let count = 0; count < 30; count++) assert.equal((await look(ticket)).status, 200)
    const { status, body } = await look(ticket)
    assert.deepEqual([status, body.error.code], [429, 'rate_limited'])
    assert.equal((await service.ask('GET', `${instance.base}/passkey`)).status, 200, 'the instance has limits of its own')
  })

  test('leaves nothing in the log', async () => {
    const ticket = await newTicket()
    await look(ticket)
    await give(ticket)
    const { public_key } = service.double.passkey
    const logged = JSON.stringify(service.lines)
    for (const secret of [ticket, public_key!.challenge, ASSERTION.response.signature, ASSERTION.id])
      assert.ok(!logged.includes(secret))
    assert.ok(service.lines.some(({ fields }) => fields.route === '/passkey'))
  })
})

describe('pages of any origin', () => {
  test('may ask there, with the ticket and nothing else', async () => {
    const preflight = await service.ask('OPTIONS', '/passkey', undefined, {
      Origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,x-passkey-ticket',
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('Access-Control-Allow-Origin'), '*')
    assert.equal(preflight.headers.get('Access-Control-Allow-Credentials'), null)
    assert.equal(preflight.headers.get('Access-Control-Allow-Methods'), 'GET, POST')
    assert.equal(preflight.headers.get('Access-Control-Allow-Headers'), 'Content-Type, X-Passkey-Ticket')
    const { headers } = await look(await newTicket())
    assert.deepEqual(
      [headers.get('Access-Control-Allow-Origin'), headers.get('Cache-Control'), headers.get('Set-Cookie')],
      ['*', 'no-store', null],
    )
  })

  test('may ask nowhere else', async () => {
    for (const path of [`${instance.base}/passkey`, `${instance.base}/status`, '/passkey/ticket', '/health/live']) {
      const { headers } = await service.ask('GET', path, undefined, { Origin: 'https://web.whatsapp.com' })
      assert.equal(headers.get('Access-Control-Allow-Origin'), null, path)
    }
  })

  test('are told which methods there are', async () => {
    for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH']) {
      const { status, headers } = await service.ask(method, '/passkey')
      assert.deepEqual([status, headers.get('Allow')], [405, 'GET, POST'])
    }
  })
})
