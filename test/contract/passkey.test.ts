/**
 * The answer with a passkey at every limit of its members, and the tickets with which a browser can send it without the credentials of the instance.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../src/domain/failures.ts'
import type { Assertion } from '../../src/domain/passkey.ts'
import { openService, type Service } from './http/service.ts'

const MINUTE = 60_000

let service: Service
before(async () => {
  service = await openService({ instanceSlots: 10_000 })
})
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
const paths = ({ body }: { body: { error: { details: { issues: { path: string }[] } } } }) =>
  body.error.details.issues.map(({ path }) => path)

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
    ['the shortest id', withId('xx')],
    ['the longest client data', withResponse({ clientDataJSON: bytes(4_096) })],
    ['the longest authenticator data', withResponse({ authenticatorData: bytes(2_048) })],
    ['the shortest signature', withResponse({ signature: bytes(8) })],
    ['the longest signature', withResponse({ signature: bytes(1_024) })],
    ['the longest user handle', withResponse({ userHandle: bytes(64) })],
  ] as const)
    test(`may have ${name}`, async () => assert.equal((await respond(value)).status, 200))

  for (const [name, value, path] of [
    ['no object', 'text', 'assertion'],
    ['null', null, 'assertion'],
    ['an empty id', { ...ASSERTION, id: '' }, 'assertion.id'],
    ['an id that is too long', { ...ASSERTION, id: 'x'.repeat(1_365) }, 'assertion.id'],
    ['an id that is no base64url', { ...ASSERTION, id: 'a+b/' }, 'assertion.id'],
    ['an id that is cut', { ...ASSERTION, id: 'xxxxx' }, 'assertion.id'],
    ['another raw id', { ...ASSERTION, rawId: bytes(21) }, 'assertion.rawId'],
    ['no raw id', { ...ASSERTION, rawId: undefined }, 'assertion.rawId'],
    ['another type', { ...ASSERTION, type: 'password' }, 'assertion.type'],
    ['no response', { ...ASSERTION, response: undefined }, 'assertion.response'],
    ['client data that are too long', withResponse({ clientDataJSON: bytes(4_097) }), 'assertion.response.clientDataJSON'],
    ['client data that are too short', withResponse({ clientDataJSON: bytes(1) }), 'assertion.response.clientDataJSON'],
    [
      'authenticator data that are too short',
      withResponse({ authenticatorData: bytes(36) }),
      'assertion.response.authenticatorData',
    ],
    [
      'authenticator data that are too long',
      withResponse({ authenticatorData: bytes(2_049) }),
      'assertion.response.authenticatorData',
    ],
    ['a signature that is too short', withResponse({ signature: bytes(7) }), 'assertion.response.signature'],
    ['a signature that is too long', withResponse({ signature: bytes(1_025) }), 'assertion.response.signature'],
    ['a signature of another alphabet', withResponse({ signature: '+/+/+/+/+/+/' }), 'assertion.response.signature'],
    ['a user handle that is too long', withResponse({ userHandle: bytes(65) }), 'assertion.response.userHandle'],
    ['a user handle that is a number', withResponse({ userHandle: 5 }), 'assertion.response.userHandle'],
  ] as const)
    test(`may not have ${name}`, async () => {
      const answer = await respond(value)
      assert.deepEqual([answer.status, paths(answer)], [400, [path]])
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
