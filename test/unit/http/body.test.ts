import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { MOST_DROPPED, receiveBody, wholeOf } from '../../../src/http/body.ts'
import { createBodyBudget } from '../../../src/http/body-budget.ts'
import { Busy } from '../../../src/http/errors.ts'

const KB = 1_024
const MB = KB * KB

/** Builds a request whose body the test sends piece by piece. `told` is the declared length. */
function request(told?: number) {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    cancel() {
      isCancelled = true
    },
  })
  const headers = { 'Content-Type': 'application/json', ...(told === undefined ? {} : { 'Content-Length': String(told) }) }
  return {
    request: new Request('http://x/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit),
    send: (bytes: number) => controller.enqueue(new Uint8Array(bytes)),
    end: () => controller.close(),
    isCancelled: () => isCancelled,
  }
}
const sizeOf = async (...given: Parameters<typeof receiveBody>) => (await wholeOf(await receiveBody(...given))).byteLength
const turn = () => new Promise((resolve) => setImmediate(resolve))

suite('the memory of large bodies', () => {
  test('is reserved as they arrive, whatever they announce', async () => {
    const budget = createBodyBudget(16 * MB)
    const slow = Array.from({ length: 6 }, () => request(7 * MB))
    const reading = slow.map(({ request }) => sizeOf(request, budget.lease('a')).catch((error: unknown) => error))
    for (const { send } of slow) send(300 * KB)
    await turn()
    const lease = budget.lease('a')
    const other = request(2 * MB)
    const read = sizeOf(other.request, lease)
    other.send(2 * MB)
    other.end()
    assert.equal(await read, 2 * MB)
    for (const { end } of slow) end()
    for (const outcome of await Promise.all(reading)) assert.match(String(outcome), /ended before it was complete/)
  })

  test('of unknown length, is what they are and at most one step more', async () => {
    const budget = createBodyBudget(16 * MB)
    const sizes = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { request: each, send, end } = request()
        for (let piece = 0; piece < 4; piece++) send(100 * KB)
        end()
        return sizeOf(each, budget.lease('a'))
      }),
    )
    assert.deepEqual(sizes, Array(8).fill(400 * KB))
  })

  test('is refused before anything is sent where there is no room, and while it arrives where it runs out', async () => {
    const budget = createBodyBudget(8 * MB)
    await assert.rejects(receiveBody(request(6 * MB).request, budget.lease('a')), Busy)
    const lease = budget.lease('a')
    const large = request()
    const read = sizeOf(large.request, lease)
    large.send(5 * MB)
    await assert.rejects(read, Busy)
    assert.equal(large.isCancelled(), false, 'who has sent half of it is read on, or the answer would not be read')
    lease.release()
    const next = request(4 * MB)
    next.send(4 * MB)
    next.end()
    assert.equal(await sizeOf(next.request, budget.lease('a')), 4 * MB)
  })

  test('is given back, and not reserved again, when a body that was refused while it arrived is reported late', async () => {
    const budget = createBodyBudget(2 * MB)
    const lease = budget.lease('a')
    const large = request()
    const received = receiveBody(large.request, lease)
    large.send(300 * KB)
    const body = await received
    assert.ok('coming' in body)
    const { batches, held } = body.coming
    await batches.next()
    const next = batches.next()
    large.send(2 * MB)
    // The report about the memory of the first batch may still arrive after the refusal, while the rest of the body is
    // read.
    const refused = next.catch((error: unknown) => error)
    held(225 * KB)
    assert.ok((await refused) instanceof Busy)
    held(225 * KB)
    lease.release()
    held(225 * KB)
    budget.lease('a').hold(MB)
  })

  test('is not asked for by small ones', async () => {
    const { request: small, send, end } = request(16 * KB)
    send(16 * KB)
    end()
    assert.equal(await sizeOf(small, createBodyBudget(0).lease('a')), 16 * KB)
  })

  test('is not got around with many that stop half-way', async () => {
    const budget = createBodyBudget(4 * MB)
    const stopped = Array.from({ length: 20 }, () => request(250 * KB))
    const outcomes = new Map<number, unknown>()
    const reading = stopped.map(({ request }, index) =>
      sizeOf(request, budget.lease('one')).catch((error: unknown) => void outcomes.set(index, error)),
    )
    for (const { send } of stopped) send(200 * KB)
    await turn()
    assert.deepEqual(
      [...outcomes.values()].map((error) => error instanceof Busy),
      Array(12).fill(true),
    )
    const other = request(250 * KB)
    other.send(250 * KB)
    other.end()
    assert.equal(await sizeOf(other.request, budget.lease('other')), 250 * KB)
    for (const { end } of stopped) end()
    await Promise.all(reading)
  })

  test('is not the only bound: more than 64 MB is refused, told or not', async () => {
    const budget = createBodyBudget(200 * MB)
    await assert.rejects(receiveBody(request(64 * MB + 1).request, budget.lease('a')), { code: 'invalid_request' })
    const untold = request()
    const read = sizeOf(untold.request, budget.lease('a'))
    untold.send(64 * MB)
    untold.send(1)
    await assert.rejects(read, { code: 'invalid_request' })
    assert.equal(untold.isCancelled(), false)
    for (let dropped = 0; dropped < MOST_DROPPED; dropped += 64 * MB) {
      assert.equal(untold.isCancelled(), false)
      untold.send(64 * MB)
      await turn()
    }
    untold.send(1)
    await turn()
    assert.ok(untold.isCancelled(), 'so much is thrown away, and not more')
  })

  test('is not all for one: half of it is left for the others, and what one has given back is its own again', async () => {
    const budget = createBodyBudget(8 * MB)
    const [one, more, other] = [budget.lease('one'), budget.lease('one'), budget.lease('other')]
    one.hold(3 * MB)
    assert.throws(() => more.check(2 * MB), Busy)
    more.hold(MB)
    assert.throws(() => more.hold(MB + 1), /of this caller/)
    other.hold(4 * MB)
    assert.throws(() => budget.lease('third').hold(1), /Too many large requests are/)
    one.release()
    one.release()
    more.hold(4 * MB)
    assert.throws(() => more.hold(4 * MB + 1), Busy)
    more.hold(MB)
    one.hold(3 * MB)
  })
})

suite('a body', () => {
  /** Returns a clock that the test moves. `pass` advances this clock and the mocked global timers by the same time. */
  function byHand(t: TestContext) {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const time = { now: 0 }
    return {
      clock: { now: () => time.now },
      async pass(ms: number) {
        await turn()
        time.now += ms
        t.mock.timers.tick(ms)
        await turn()
      },
    }
  }

  test('comes at 128 KB per second at least, after ten seconds to begin with', async (t) => {
    const { clock, pass } = byHand(t)
    const steady = request()
    const read = sizeOf(steady.request, createBodyBudget().lease('a'), undefined, clock)
    await pass(10_000)
    for (let second = 0; second < 60; second++) {
      steady.send(130 * KB)
      await pass(1_000)
    }
    steady.end()
    assert.equal(await read, 60 * 130 * KB)

    const slow = request()
    let outcome: unknown
    void sizeOf(slow.request, createBodyBudget().lease('a'), undefined, clock).catch((error: unknown) => {
      outcome = error
    })
    slow.send(512 * KB)
    for (let second = 0; second < 13; second++) await pass(1_000)
    assert.equal(outcome, undefined)
    for (let second = 0; second < 4; second++) await pass(1_000)
    assert.match(String(outcome), /too slowly/)
    assert.equal(slow.isCancelled(), false, 'the answer can be read')
    for (let second = 0; second < 13; second++) await pass(1_000)
    assert.ok(slow.isCancelled(), 'and the connection goes')
  })
})
