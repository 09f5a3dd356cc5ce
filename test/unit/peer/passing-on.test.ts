/**
 * Tests requests through a standby, over real connections: smuggled, queued and pipelined ones, and requests while the
 * active service changes or stops.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { watchAddress } from '../../../src/service/watch-address.ts'
import { until } from '../../harness/until.ts'
import { closeSides, HOST, openSide, type Side } from './side.ts'

/** Length in bytes of a body that is longer than a kept body may be. */
const LONG = 300_000
/** Number of requests, higher than the number that may be passed on at the same time. */
const MANY = 300
const PIPELINES = 10

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\nsvc-link-address: 10.9.9.9\r\n\r\n'
const chunkOf = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`
const framings = {
  'a short chunked body': `Transfer-Encoding: chunked\r\n\r\n${chunkOf(smuggled)}0\r\n\r\n`,
  'a long chunked body': `Transfer-Encoding: chunked\r\n\r\n${chunkOf(smuggled.repeat(Math.ceil(LONG / smuggled.length)))}0\r\n\r\n`,
  'a short body of known length': `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  'a long body of known length': `Content-Length: ${smuggled.length * 6_000}\r\n\r\n${smuggled.repeat(6_000)}`,
  'an empty chunked body': 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
}

async function get(side: Side, path: string): Promise<{ status: number | undefined; body: string }> {
  const asked = request(`${side.server.url}${path}`, { agent: false }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

/**
 * Returns `count` headers with names that mean nothing to the service. In a request, `Host` counts towards the limit,
 * too.
 */
const headersOf = (count: number) => Array.from({ length: count }, (_, at) => `X-A${at}: b\r\n`).join('')

async function statusLineOf(side: Side, head: string): Promise<string> {
  const socket = connect(side.server.port, HOST)
  socket.write(head)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return String(first).split('\r\n')[0]!
}

describe('requests that a standby passes on', () => {
  let active: Side
  let standby: Side
  let seen: string[] = []
  let release: () => void = () => {}
  let held = new Promise<void>(() => {})
  before(async () => {
    active = await openSide()
    active.link.setOwnId('a')
    standby = await openSide()
    active.server.serve(({ peer }) => ({
      async fetch(asked) {
        const { pathname } = new URL(asked.url)
        if (pathname === '/health/ready') return Response.json({ status: 'ok', checks: {} })
        seen.push(`${asked.method} ${pathname} ${peer(asked)}`)
        if (pathname === '/slow') await pause(300)
        if (pathname === '/held') await held
        if (pathname === '/large') return new Response(new Uint8Array(3_000_000))
        await asked.arrayBuffer()
        return new Response(pathname)
      },
    }))
    standby.link.setActive({ id: 'a', host: HOST, port: active.port })
  })
  beforeEach(() => {
    seen = []
    held = new Promise((resolve) => {
      release = resolve
    })
  })
  after(closeSides)

  for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'POST', 'PUT', 'PATCH'])
    test(`the body of a ${method} request is never read as another request`, async () => {
      for (const [what, framing] of Object.entries(framings)) {
        seen = []
        const line = await statusLineOf(standby, `${method} /outer HTTP/1.1\r\nHost: a\r\n${framing}`)
        const next = await get(standby, '/next')
        assert.deepEqual([next.body, seen], ['/next', [`${method} /outer 127.0.0.1`, 'GET /next 127.0.0.1']], what)
        assert.match(line, /^HTTP\/1\.1 200/, what)
      }
    })

  test('a request has as many headers as at the active service, and with HTTP/1.0 no host', async () => {
    assert.match(await statusLineOf(standby, `GET /a HTTP/1.1\r\nHost: a\r\n${headersOf(199)}\r\n`), /^HTTP\/1\.1 200/)
    assert.match(await statusLineOf(standby, `GET /b HTTP/1.1\r\nHost: a\r\n${headersOf(200)}\r\n`), /^HTTP\/1\.1 431/)
    assert.match(await statusLineOf(standby, 'GET /c HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200/)
    assert.match(await statusLineOf(standby, 'GET /d HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400/)
    assert.deepEqual(seen, ['GET /a 127.0.0.1', 'GET /c 127.0.0.1'])
  })

  test('requests that waited for a place are all answered', { timeout: 30_000 }, async () => {
    const answers = await Promise.all(Array.from({ length: MANY }, () => get(standby, '/slow')))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(seen.length, MANY)
  })

  test('a request that gets no place is refused after three seconds, and a change of the active service ends the others', {
    timeout: 30_000,
  }, async () => {
    const answers: { status: number | undefined; body: string }[] = []
    const all = Array.from({ length: MANY }, () => get(standby, '/held').then((answer) => answers.push(answer)))
    await until(
      async () => answers.length + seen.length,
      (count) => count === MANY,
      15_000,
    )
    assert.ok(answers.length > 0)
    assert.deepEqual(JSON.parse(answers[0]!.body).error.details, { reason: 'standby_busy' })
    standby.link.setActive({ id: 'b', host: HOST, port: active.port })
    active.link.setOwnId('b')
    await Promise.all(all)
    assert.equal(answers.filter(({ body }) => body.includes('outcome_unknown')).length, seen.length)
    release()
  })

  test('a connection that closes before the turn of a pipelined request gives its place back', { timeout: 30_000 }, async () => {
    const before = standby.forwards().left ?? 0
    const sockets = Array.from({ length: PIPELINES }, () => connect(standby.server.port, HOST))
    for (const socket of sockets) socket.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\nGET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(
      async () => seen.length,
      (count) => count === 2 * PIPELINES,
    )
    await pause(200)
    for (const socket of sockets) socket.destroy()
    await until(
      async () => standby.forwards().left ?? 0,
      (count) => count === before + 2 * PIPELINES,
    )
    release()
  })

  test('the port of a link closes at once, although a connection has not finished its handshake', async () => {
    const other = await openSide()
    const silent = connect(other.port, HOST)
    silent.on('error', () => {})
    await once(silent, 'connect')
    const begun = performance.now()
    await other.link.close()
    assert.ok(performance.now() - begun < 2_000)
  })

  test('the address of the same active service may change, and a service that is not meant takes nothing', async () => {
    const [moved, third] = [await openSide(), await openSide()]
    moved.link.setOwnId('m')
    moved.server.serve(() => ({ fetch: () => new Response('moved') }))
    const noteAddress = watchAddress({ warn() {} }, third.link)
    noteAddress('m', { host: HOST, port: active.port })
    const refused = await get(third, '/next')
    assert.deepEqual([refused.status, JSON.parse(refused.body).error.details, seen], [503, { reason: 'no_active_service' }, []])
    noteAddress('m', { host: HOST, port: moved.port })
    assert.equal((await get(third, '/next')).body, 'moved')
  })

  test('an active service that stops is reached and not ready, and one without a port refuses requests at once', async () => {
    const [stopping, third] = [await openSide(), await openSide()]
    third.link.setActive({ id: 's', host: HOST, port: stopping.port })
    await until(
      async () => third.link.readiness(),
      (readiness) => readiness?.isReady === false,
    )
    third.link.setUnreachable()
    const begun = performance.now()
    const { status, body } = await get(third, '/next')
    assert.deepEqual([status, JSON.parse(body).error.details], [503, { reason: 'no_active_service' }])
    assert.ok(performance.now() - begun < 1_500)
    assert.deepEqual(third.lines, ['the standby could not pass requests on, and answered them with 503'])
  })
})
