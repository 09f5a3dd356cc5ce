import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SECOND } from '../../../src/domain/clock.ts'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { fairSlots } from '../../../src/egress/fair-slots.ts'
import { NameUnresolved } from '../../../src/egress/resolve.ts'
import { type Attempt, createDelivery, type DeliveryOptions } from '../../../src/webhooks/delivery/delivery.ts'
import { sign } from '../../../src/webhooks/delivery/signature.ts'
import { maskUrl } from '../../../src/webhooks/log.ts'
import { INSTANCE, manualTime, START, until } from '../storage/fixtures.ts'
import { receiver } from './receiver.ts'

function delivery(t: TestContext, change: Partial<DeliveryOptions> = {}) {
  const made = createDelivery({ allow: parseRanges(['127.0.0.0/8']), clock: { now: () => START }, ...change })
  t.after(() => made.close())
  return (url: string, signal?: AbortSignal) => {
    const attempt: Attempt = {
      url,
      secrets: ['whsec_x'],
      body: Buffer.from('{}'),
      type: 'received',
      eventId: 'E',
      instanceId: INSTANCE,
      attempt: 1,
    }
    return made.deliver(attempt, signal)
  }
}

test('a 2xx is success, every other answer is named', async (t) => {
  const to = await receiver(t, ({ path }) =>
    path === '/302' ? (r) => r.writeHead(302, { location: '/200' }).end() : Number(path.slice(1)),
  )
  const deliver = delivery(t)
  const outcome = async (status: number) => {
    const { ok, code, error } = await deliver(`${to.url}/${status}`)
    return [ok, code, error]
  }
  assert.deepEqual(await outcome(200), [true, 200, null])
  assert.deepEqual(await outcome(204), [true, 204, null])
  assert.deepEqual(await outcome(302), [false, 302, 'redirect'])
  assert.deepEqual(await outcome(304), [false, 304, 'redirect'])
  assert.deepEqual(await outcome(410), [false, 410, 'status 410'])
  assert.deepEqual(await outcome(500), [false, 500, 'status 500'])
  // The receiver got no second request, so the redirect was not followed.
  assert.equal(to.received.filter(({ path }) => path === '/200').length, 1)
})

test('nothing is posted while another process may have replaced this one', async (t) => {
  const to = await receiver(t)
  let isHeld = false
  let looks = 0
  const deliver = delivery(t, {
    isHeld() {
      looks++
      return isHeld
    },
  })
  const stop = new AbortController()
  const stopped = deliver(`${to.url}/`, stop.signal)
  const posted = deliver(`${to.url}/`)
  await until(() => looks > 4, 'a second look of both')
  stop.abort(new Error('the end'))
  await assert.rejects(stopped, /the end/)
  assert.equal(to.received.length, 0)
  isHeld = true
  assert.equal((await posted).ok, true)
  assert.equal(to.received.length, 1)
})

test('a request on a stale connection is repeated only while no other process may have replaced this one', async (t) => {
  let isHeld = true
  const to = await receiver(t, (_, index) => (response) => {
    if (index !== 1) return void response.writeHead(200).end()
    isHeld = false
    response.socket!.destroy()
  })
  let looks = 0
  const deliver = delivery(t, {
    isHeld() {
      looks++
      return isHeld
    },
  })
  assert.equal((await deliver(to.url)).ok, true)
  await nextTurn()
  const repeated = deliver(to.url)
  await until(() => !isHeld, 'the end of the connection')
  const before = looks
  await until(() => looks > before + 2, 'two more looks')
  assert.equal(to.received.length, 2)
  isHeld = true
  assert.deepEqual([(await repeated).ok, to.received.length], [true, 3])
})

test('a request whose connection becomes ready after this process may have been replaced is posted later', async (t) => {
  const to = await receiver(t)
  let isHeld = true
  let looks = 0
  let resolved = 0
  const resolve = async () => {
    if (resolved++ === 0) isHeld = false
    return ['127.0.0.1']
  }
  const deliver = delivery(t, {
    egress: { resolve },
    isHeld() {
      looks++
      return isHeld
    },
  })
  const posted = deliver(to.url.replace('127.0.0.1', 'receiver.example'))
  await until(() => looks > 4, 'looks after the connection')
  assert.equal(to.received.length, 0)
  isHeld = true
  assert.deepEqual([(await posted).ok, to.received.length], [true, 1])
})

test('what goes wrong on the way is named', async (t) => {
  const silent = await receiver(t, () => () => {})
  const closed = await receiver(t)
  closed.server.close()
  const rude = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(rude, 'listening')
  t.after(() => rude.close())
  const deliver = delivery(t, {
    timeoutMs: 1_500,
    egress: {
      resolve: async (name) => (name === 'nowhere.example' ? Promise.reject(new NameUnresolved('x')) : ['10.0.0.1']),
    },
  })
  const error = async (url: string) => (await deliver(url)).error
  assert.equal(await error(silent.url), 'timeout')
  assert.equal(await error(closed.url), 'refused')
  assert.equal(await error('https://nowhere.example/'), 'dns')
  assert.equal(await error('https://inside.example/'), 'blocked')
  assert.equal(await error('http://10.0.0.1/'), 'blocked')
  assert.equal(await error(silent.url.replace('http:', 'https:')), 'tls')
  assert.equal(await error(`http://127.0.0.1:${(rude.address() as { port: number }).port}/`), 'connection')
})

test('a status decides even when the body never ends, and connections are used again', async (t) => {
  const sockets = new Set<unknown>()
  const to = await receiver(t, ({ path }) => (path === '/endless' ? (r) => void r.writeHead(200).write('x') : 200))
  to.server.on('connection', (socket) => sockets.add(socket))
  const deliver = delivery(t)
  for (let i = 0; i < 5; i++) assert.equal((await deliver(to.url)).ok, true)
  // The attempts share connections. A second connection is possible if the first one is just being released.
  assert.ok(sockets.size <= 2, `${sockets.size} connections`)
  assert.equal((await deliver(`${to.url}/endless`)).ok, true)
})

test('an idle connection the receiver has closed costs no attempt', async (t) => {
  const to = await receiver(t)
  const deliver = delivery(t)
  for (let i = 0; i < 20; i++) {
    assert.equal((await deliver(to.url)).ok, true)
    to.server.closeIdleConnections()
  }
})

test('a connection that ends before the answer: posted once more if it was a kept one, once in all if it was new', async (t) => {
  const requests = new Map<unknown, number>()
  let endsAt = 2
  let path = 'reset'
  const to = await receiver(t, () => (response) => {
    const { socket } = response
    const count = (requests.get(socket) ?? 0) + 1
    requests.set(socket, count)
    if (count < endsAt) response.writeHead(200).end()
    else if (path === 'reset') (socket as Socket).resetAndDestroy()
    else socket!.destroy()
  })
  const deliver = delivery(t)
  const post = async () => {
    // A connection returns to the pool one turn of the event loop after its answer, so the test waits for this turn.
    await nextTurn()
    to.received.length = 0
    const { ok, error } = await deliver(to.url)
    return [ok, error, to.received.length]
  }
  for (path of ['reset', 'end']) {
    endsAt = 2
    assert.deepEqual(await post(), [true, null, 1], path)
    assert.deepEqual(await post(), [true, null, 2], `${path} of a kept connection`)
    endsAt = 1
    assert.deepEqual(await post(), [false, 'connection', 2], `${path} of a kept connection, and of the new one`)
    assert.deepEqual(await post(), [false, 'connection', 1], `${path} of a new connection`)
  }
})

test('stopping ends an attempt with a rejection, because nothing is known about it', async (t) => {
  const to = await receiver(t, () => () => {})
  const deliver = delivery(t)
  const stop = new AbortController()
  const attempt = deliver(to.url, stop.signal)
  await until(() => to.received.length === 1, 'the request')
  stop.abort(new Error('stopped'))
  await assert.rejects(attempt, /stopped/)
})

test('a receiver that hangs holds up nobody but itself', async (t) => {
  const slow = await receiver(t, () => () => {})
  const quick = await receiver(t)
  const deliver = delivery(t, { concurrency: 4, perOrigin: 2 })
  const stop = new AbortController()
  const hanging = Array.from({ length: 10 }, () => deliver(slow.url, stop.signal).catch(() => 'stopped'))
  await until(() => slow.received.length === 2, 'two that hang')
  for (let i = 0; i < 10; i++) assert.equal((await deliver(quick.url)).ok, true)
  assert.equal(slow.received.length, 2)
  stop.abort(new Error('stopped'))
  assert.deepEqual(await Promise.all(hanging), Array(10).fill('stopped'))
})

test('slots are given in order, stepping over an origin that is full', async () => {
  const slots = fairSlots({ total: 2, perOrigin: 1 })
  const order: string[] = []
  const take = (origin: string, name: string) =>
    slots.take(origin).then((giveBack) => {
      order.push(name)
      return giveBack
    })
  const a1 = await take('a', 'a1')
  const a2 = take('a', 'a2')
  const b1 = await take('b', 'b1')
  const c1 = take('c', 'c1')
  b1()
  b1()
  const giveBackC = await c1
  a1()
  ;(await a2)()
  giveBackC()
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2'])
})

// If slots that are held for long counted towards the total, many receivers that hang, each with another origin, could
// delay all other receivers.
test('who has held a slot for long counts for its origin alone', async () => {
  const time = manualTime()
  const slots = fairSlots({ total: 2, perOrigin: 1, longMs: SECOND, now: time.clock.now, timer: time.timer })
  await slots.take('a')
  time.advance(SECOND / 2)
  const giveBack = await slots.take('b')
  let taken = 0
  const more = ['c', 'a', 'd'].map((origin) =>
    slots.take(origin).then((back) => {
      taken++
      return back
    }),
  )
  time.advance(SECOND / 2 - 1)
  await nextTurn()
  assert.equal(taken, 0)
  time.advance(1)
  await more[0]
  await nextTurn()
  assert.equal(taken, 1, 'there is room for one more')
  time.advance(SECOND / 2)
  await more[2]
  assert.equal(taken, 2, 'the one of the first origin waits for its own')
  giveBack()
  await nextTurn()
  assert.equal(taken, 2)
})

test('receivers that hang hold up nobody, however many they are', async (t) => {
  const slow = await Promise.all(Array.from({ length: 4 }, () => receiver(t, () => () => {})))
  const quick = await receiver(t)
  const deliver = delivery(t, { concurrency: 2, perOrigin: 1 })
  const stop = new AbortController()
  const hanging = slow.map(({ url }) => deliver(url, stop.signal).catch(() => 'stopped'))
  assert.equal((await deliver(quick.url)).ok, true)
  stop.abort(new Error('stopped'))
  assert.deepEqual(await Promise.all(hanging), Array(4).fill('stopped'))
})

test('the signature is the one of the specification', () => {
  // This signature was computed with: printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test
  assert.equal(
    sign(['whsec_test'], Buffer.from('{"a":1}'), 1_700_000_000_999),
    't=1700000000,v1=38877139021993b830af32feea6e18a8da83eb2f6e49ee50bd9e4cf4ca4d3789',
  )
})

test('query values are masked in the log', () => {
  assert.equal(
    maskUrl('https://x.example/hook?token=abc&empty=&flag&a=b=c'),
    'https://x.example/hook?token=***&empty=***&flag&a=***',
  )
  assert.equal(maskUrl('https://x.example/hook'), 'https://x.example/hook')
})
