/**
 * Tests two services in this process, which a real link connects. One serves, and the other passes requests on to it.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { callerTls, peerKeyOf } from '../../../src/peer/peer-key.ts'
import { until } from '../../harness/until.ts'
import { closeSides, HOST, openSide, type Side } from './side.ts'

const OTHER_SECRET = new Uint8Array(32).fill(2)

async function ask(base: string, path: string, { body, ...options }: RequestOptions & { body?: Buffer } = {}) {
  const asked = request(`${base}${path}`, { method: body === undefined ? 'GET' : 'POST', ...options })
  // The connection may end after the answer, while the rest of the body is still being sent. This error is ignored.
  asked.on('error', () => {})
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

describe('a standby that passes requests on', () => {
  let active: Side
  let standby: Side
  let endStream: (() => void) | undefined
  let left = 0
  before(async () => {
    active = await openSide()
    standby = await openSide()
    active.link.setOwnId('a')
    active.server.serve(({ peer, hasLeft }) => ({
      async fetch(asked) {
        const { pathname, search, protocol } = new URL(asked.url)
        if (pathname === '/seen') {
          const { size } = new Blob([await asked.arrayBuffer()])
          const headers = Object.fromEntries(asked.headers)
          return Response.json({ path: pathname + search, protocol, peer: peer(asked), method: asked.method, size, headers })
        }
        if (pathname === '/stream') {
          const stream = new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('data: one\n\n'))
              endStream = () => controller.close()
            },
            cancel() {
              left++
            },
          })
          return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } })
        }
        if (pathname === '/large') return new Response(new Uint8Array(8_000_000))
        if (pathname === '/early') return new Response('no', { status: 401, headers: { 'Set-Cookie': 'a=1' } })
        if (pathname === '/slow') {
          await until(async () => hasLeft(asked), Boolean)
          left++
        }
        if (pathname === '/health/ready') return Response.json({ status: 'ok', checks: { engine: 'ok' } })
        return new Response('')
      },
    }))
    standby.link.setActive({ id: 'a', host: HOST, port: active.port })
  })
  after(closeSides)

  test('the active service sees the request as the caller has sent it, and the address of the caller', async () => {
    const body = Buffer.alloc(1_000, 'x')
    const headers = { host: 'gw.example', 'x-forwarded-for': '1.1.1.1', 'svc-link-address': '9.9.9.9', 'x-request-id': 'mine' }
    const answer = await ask(standby.server.url, '/seen?a=%20b', { body, headers, localAddress: '127.0.0.2' })
    const { headers: seen, ...rest } = JSON.parse(answer.body)
    const expected = { path: '/seen?a=%20b', protocol: 'http:', peer: '127.0.0.2', method: 'POST', size: 1_000 }
    assert.deepEqual([answer.status, rest], [200, expected])
    assert.deepEqual([seen.host, seen['x-forwarded-for'], seen['svc-link-address']], ['gw.example', '1.1.1.1', undefined])
    assert.equal(seen['x-request-id'], 'mine')
    assert.deepEqual(standby.forwards(), { answered: 1 })
  })

  for (const [what, size, isChunked] of [
    ['a body that is kept', 200_000, true],
    ['a long body', 8_000_000, false],
    ['a long body of unknown length', 4_000_000, true],
  ] as const)
    test(`${what} arrives whole`, async () => {
      const headers = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': size }
      const { body } = await ask(standby.server.url, '/seen', { body: Buffer.alloc(size, 'x'), headers })
      assert.equal(JSON.parse(body).size, size)
    })

  test('a large answer arrives whole, and an early one although the body is still being sent', async () => {
    assert.equal((await ask(standby.server.url, '/large')).body.length, 8_000_000)
    const early = await ask(standby.server.url, '/early', {
      body: Buffer.alloc(3_000_000),
      headers: { 'content-length': 3_000_000 },
    })
    assert.deepEqual([early.status, early.body, early.headers['set-cookie']], [401, 'no', ['a=1']])
  })

  test('a stream arrives while it goes on, and ends with its caller', async () => {
    const asked = request(`${standby.server.url}/stream`, { headers: { accept: 'text/event-stream' } }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(String((await once(response, 'data'))[0]), 'data: one\n\n')
    const before = left
    response.destroy()
    await until(
      async () => left,
      (now) => now > before,
    )
    const second = request(`${standby.server.url}/stream`, { headers: { accept: 'text/event-stream' } }).end()
    const [whole] = (await once(second, 'response')) as [IncomingMessage]
    const all = buffer(whole)
    endStream!()
    assert.equal(String(await all), 'data: one\n\n')
  })

  test('a caller that leaves before its answer ends the request at the active service', async () => {
    const before = left
    const asked = request(`${standby.server.url}/slow`)
      .on('error', () => {})
      .end()
    await pause(200)
    asked.destroy()
    await until(
      async () => left,
      (now) => now > before,
    )
    await until(
      async () => standby.forwards().left ?? 0,
      (count) => count >= 2,
    )
  })

  test('each service answers for its own health and metrics, and a standby is ready if the active one is', async () => {
    assert.equal((await ask(standby.server.url, '/health/live')).status, 200)
    assert.equal((await ask(standby.server.url, '/metrics')).status, 503)
    const ready = async () => (await ask(standby.server.url, '/health/ready')).status
    standby.server.explain(() => ({
      sentence: 'It waits.',
      reason: 'standby',
      active: 'a',
      throughActive: standby.link.readiness(),
    }))
    await until(ready, (status) => status === 200)
    const { body } = await ask(standby.server.url, '/health/ready')
    assert.deepEqual(JSON.parse(body), { status: 'ok', checks: { engine: 'ok' }, reason: 'standby', active: 'a' })
    standby.server.explain(() => ({ sentence: 'It waits.', reason: 'database', throughActive: standby.link.readiness() }))
    const { error } = JSON.parse((await ask(standby.server.url, '/health/ready')).body)
    assert.deepEqual(error.details, { checks: { engine: 'ok' }, reason: 'database' })
  })

  test('the port of the link answers nobody without the key', async () => {
    const refused = connectTls({ host: HOST, port: active.port, ...callerTls(peerKeyOf(OTHER_SECRET)) })
    await assert.rejects(once(refused, 'secureConnect'))
    const plain = connect(active.port, HOST)
    plain.write('GET /seen HTTP/1.1\r\nHost: a\r\n\r\n')
    const answer = String(await buffer(plain).catch(() => Buffer.alloc(0)))
    assert.doesNotMatch(answer, /HTTP/)
    await until(
      async () => active.lines,
      ({ length }) => length === 1,
    )
    assert.match(active.lines[0]!, /with another SVC_SECRET_KEY, or from another program/)
  })

  test('a service that is not active takes nothing, and passes nothing on a second time', async () => {
    const third = await openSide()
    third.link.setActive({ id: 'itself', host: HOST, port: third.port })
    const refused = await ask(third.server.url, '/seen')
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'])
    assert.deepEqual(JSON.parse(refused.body).error.details, { reason: 'no_active_service' })
  })

  test('a request waits for an active service, and is served here if this one becomes it', async () => {
    const third = await openSide()
    const waiting = ask(third.server.url, '/seen', { body: Buffer.from('whole') })
    await pause(200)
    third.server.serve(() => ({ fetch: async (asked) => new Response(await asked.text()) }))
    assert.equal((await waiting).body, 'whole')
  })

  test('a request whose connection is lost has an unknown outcome, and one that was never sent has none', async () => {
    const lost = await openSide()
    lost.link.setOwnId('l')
    let arrived = 0
    lost.server.serve(() => ({
      async fetch({ url }) {
        if (url.endsWith('/health/ready')) return Response.json({})
        arrived++
        await lost.link.close()
        return new Response('never seen')
      },
    }))
    const fourth = await openSide()
    fourth.link.setActive({ id: 'l', host: HOST, port: lost.port })
    const unknown = await ask(fourth.server.url, '/send', { body: Buffer.from('{}') })
    assert.deepEqual([unknown.status, JSON.parse(unknown.body).error.details], [503, { reason: 'outcome_unknown' }])
    assert.equal(unknown.headers['retry-after'], undefined)
    const unsent = await ask(fourth.server.url, '/send', { body: Buffer.from('{}') })
    assert.deepEqual([unsent.status, JSON.parse(unsent.body).error.details], [503, { reason: 'no_active_service' }])
    const size = 4_000_000
    const long = await ask(fourth.server.url, '/send', { body: Buffer.alloc(size), headers: { 'content-length': size } })
    assert.equal(long.status, 503)
    assert.equal(arrived, 1)
    assert.deepEqual(fourth.forwards(), { unknown: 1, refused: 2 })
  })
})
