/** Tests a pair over real connections: its standby or its active service stops while requests are passed on. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import { deferred } from '../../../src/lib/deferred.ts'
import { startCable } from '../../harness/cable.ts'
import { until } from '../../harness/until.ts'
import { closeSides, HOST, openSide, type Side } from './side.ts'

const ENOUGH = 20_000

async function get({ server }: Side, path: string, headers: Record<string, string> = {}) {
  const asked = request(`${server.url}${path}`, { agent: false, headers: { connection: 'keep-alive', ...headers } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode, connection: response.headers.connection, body: await text(response) }
}

describe('a standby that stops', () => {
  let active: Side
  let standby: Side
  let seen = 0
  let held = deferred()
  before(async () => {
    active = await openSide()
    active.link.setOwnId('a')
    active.server.serve(() => ({
      async fetch({ url }) {
        const { pathname } = new URL(url)
        if (pathname === '/health/ready') return Response.json({ status: 'ok', checks: {} })
        seen++
        if (pathname === '/events')
          return new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } })
        if (pathname === '/held') await held.promise
        if (pathname === '/call')
          return new Response(
            new ReadableStream({
              async start(stream) {
                await held.promise
                stream.enqueue(Buffer.from('the result'))
                stream.close()
              },
            }),
            { headers: { 'Content-Type': 'text/event-stream' } },
          )
        return new Response(pathname)
      },
    }))
  })
  beforeEach(async () => {
    seen = 0
    held = deferred()
    standby = await openSide()
    standby.link.setActive({ id: 'a', host: HOST, port: active.port })
  })
  after(closeSides)
  const haveArrived = (count: number) =>
    until(
      async () => seen,
      (now) => now === count,
    )

  test('passes requests on until it finishes, and asks their callers to connect elsewhere', async () => {
    assert.equal((await get(standby, '/first')).connection, 'keep-alive')
    standby.link.closeConnections()
    const { status, connection, body } = await get(standby, '/second')
    assert.deepEqual([status, connection, body], [200, 'close', '/second'])
    await standby.link.finish(ENOUGH)
  })

  test('waits for requests that are under way, and ends streams of events', async () => {
    const answer = get(standby, '/held')
    const stream = request(`${standby.server.url}/events`).end()
    const [response] = (await once(stream, 'response')) as [IncomingMessage]
    await haveArrived(2)
    const streamEnded = assert.rejects(text(response))
    let isFinished = false
    const finished = standby.link.finish(ENOUGH).then(() => {
      isFinished = true
    })
    await streamEnded
    assert.equal(isFinished, false)
    held.resolve()
    assert.deepEqual([(await answer).body, await finished, standby.link.underWay()], ['/held', undefined, 0])
  })

  test('asks also those callers to connect elsewhere whose requests are under way', async () => {
    const answer = get(standby, '/held')
    await haveArrived(1)
    standby.link.closeConnections()
    held.resolve()
    assert.equal((await answer).connection, 'close')
    await standby.link.finish(ENOUGH)
  })

  test('refuses a stream of events that opens later, and waits for a call that is answered as a stream', async () => {
    const call = request(`${standby.server.url}/call`, { method: 'POST' }).end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    const finished = standby.link.finish(ENOUGH)
    const { status, body } = await get(standby, '/events', { accept: 'text/event-stream' })
    assert.deepEqual([status, JSON.parse(body).error.details], [503, { reason: 'no_active_service' }])
    assert.equal((await get(standby, '/events')).status, 503)
    held.resolve()
    assert.equal(await text(answer), 'the result')
    await finished
  })

  test('carries out no request whose body arrives after its time', async () => {
    const late = request(`${standby.server.url}/late`, { method: 'POST', headers: { 'content-length': 10 } })
    late.write('first')
    await until(
      async () => standby.link.underWay(),
      (count) => count === 1,
    )
    const answered = once(late, 'response') as Promise<[IncomingMessage]>
    await standby.link.finish(100)
    late.end(' last')
    const [response] = await answered
    assert.deepEqual(JSON.parse(await text(response)).error.details, { reason: 'no_active_service' })
    assert.equal(seen, 0)
  })

  test('says after its time that the outcome of the others is unknown, and refuses requests that come next', async () => {
    const answer = get(standby, '/held')
    await haveArrived(1)
    standby.server.explain(() => ({ sentence: 'The service is stopping.' }))
    standby.server.forwardWith(undefined)
    await standby.link.finish(100)
    const { status, body } = await answer
    assert.deepEqual([status, JSON.parse(body).error.details], [503, { reason: 'outcome_unknown' }])
    const next = await get(standby, '/next')
    assert.deepEqual([next.status, JSON.parse(next.body).error.message], [503, 'The service is stopping.'])
    assert.equal(seen, 1)
    held.resolve()
  })
})

test('a service that stops gets no more requests, and what it has not answered ends when another one is active', {
  timeout: 30_000,
}, async () => {
  const [former, next, standby] = [await openSide(), await openSide(), await openSide()]
  const seen: string[] = []
  const [held, ended] = [deferred(), deferred()]
  former.link.setOwnId('a')
  former.server.serve(() => ({
    async fetch({ url }) {
      const { pathname } = new URL(url)
      if (pathname === '/health/ready') return Response.json({ status: 'ok', checks: {} })
      seen.push(pathname)
      await (pathname === '/held' ? held : ended).promise
      return new Response('the last answer')
    },
  }))
  next.link.setOwnId('b')
  next.server.serve(() => ({ fetch: () => new Response('next') }))
  const ofFormer = { id: 'a', host: HOST, port: former.port }
  standby.link.setActive(ofFormer)
  const [answer, lost] = [get(standby, '/held'), get(standby, '/lost')]
  await until(
    async () => seen.length,
    (count) => count === 2,
  )
  const stopped = former.server.stop(ENOUGH)
  // No request has learned that the service stops. So the link of the standby has noticed it by itself.
  await until(
    async () => standby.link.readiness(),
    (readiness) => readiness === undefined,
  )
  // The row of the stopped service may still be in the database, so the standby may get it once more.
  standby.link.setActive(ofFormer)
  const waiting = get(standby, '/next')
  standby.link.setActive(undefined)
  standby.link.setActive({ id: 'b', host: HOST, port: next.port })
  held.resolve()
  assert.deepEqual([(await waiting).body, (await answer).body], ['next', 'the last answer'])
  assert.deepEqual(JSON.parse((await lost).body).error.details, { reason: 'outcome_unknown' })
  assert.deepEqual(seen.sort(), ['/held', '/lost'])
  ended.resolve()
  await closeSides()
  await stopped
})

test('a request ends if the service that carries it out stops and is then no longer there, also if no other one can be reached', async () => {
  const [former, standby] = [await openSide(), await openSide({ lostAfterMs: 1_500 })]
  const cable = await startCable({ host: HOST, port: former.port })
  let seen = 0
  const ended = deferred()
  former.link.setOwnId('a')
  former.server.serve(() => ({
    async fetch({ url }) {
      if (new URL(url).pathname === '/health/ready') return Response.json({ status: 'ok', checks: {} })
      seen++
      await ended.promise
      return new Response('')
    },
  }))
  standby.link.setActive({ id: 'a', host: HOST, port: cable.port })
  const lost = get(standby, '/lost')
  await until(
    async () => seen,
    (count) => count === 1,
  )
  const stopped = former.server.stop(ENOUGH)
  await until(
    async () => standby.link.readiness(),
    (readiness) => readiness === undefined,
  )
  cable.silence('there', 'back')
  standby.link.setUnreachable()
  assert.deepEqual(JSON.parse((await lost).body).error.details, { reason: 'outcome_unknown' })
  assert.equal(standby.link.underWay(), 0)
  ended.resolve()
  await stopped
  await cable.close()
  await closeSides()
})
