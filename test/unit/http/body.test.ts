/** What reading large bodies may hold together. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { receiveBody } from '../../../src/http/body.ts'
import { createBodyBudget } from '../../../src/http/body-budget.ts'
import { Busy } from '../../../src/http/errors.ts'

const KB = 1_024
const MB = KB * KB

/** A request whose pieces the test hands over one by one. */
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
const turn = () => new Promise((resolve) => setImmediate(resolve))

suite('the memory of large bodies', () => {
  test('is asked for as they come, whatever they announce', async () => {
    const budget = createBodyBudget(8 * MB)
    const slow = Array.from({ length: 6 }, () => request(7 * MB))
    const reading = slow.map(({ request }) => receiveBody(request, budget.lease()).catch((error: unknown) => error))
    for (const { send } of slow) send(300 * KB)
    await turn()
    const lease = budget.lease()
    const other = request(2 * MB)
    const read = receiveBody(other.request, lease)
    other.send(2 * MB)
    other.end()
    assert.equal((await read).size, 2 * MB)
    for (const { end } of slow) end()
    for (const outcome of await Promise.all(reading)) assert.match(String(outcome), /ended before it was complete/)
  })

  test('of unknown length, is what they are and at most one step more', async () => {
    const budget = createBodyBudget(8 * MB)
    const sizes = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { request: each, send, end } = request()
        for (let piece = 0; piece < 4; piece++) send(100 * KB)
        end()
        return (await receiveBody(each, budget.lease())).size
      }),
    )
    assert.deepEqual(sizes, Array(8).fill(400 * KB))
  })

  test('is refused before anything is sent where there is no room, and while it comes where it runs out', async () => {
    const budget = createBodyBudget(4 * MB)
    await assert.rejects(receiveBody(request(5 * MB).request, budget.lease()), Busy)
    const lease = budget.lease()
    const large = request()
    const read = receiveBody(large.request, lease)
    large.send(5 * MB)
    await assert.rejects(read, Busy)
    assert.ok(large.isCancelled())
    lease.release()
    const next = request(4 * MB)
    next.send(4 * MB)
    next.end()
    assert.equal((await receiveBody(next.request, budget.lease())).size, 4 * MB)
  })

  test('is not asked for by small ones', async () => {
    const { request: small, send, end } = request(256 * KB)
    send(256 * KB)
    end()
    assert.equal((await receiveBody(small, createBodyBudget(0).lease())).size, 256 * KB)
  })

  test('is not the only bound: more than 64 MB is refused, told or not', async () => {
    const budget = createBodyBudget(100 * MB)
    await assert.rejects(receiveBody(request(64 * MB + 1).request, budget.lease()), { code: 'invalid_request' })
    const untold = request()
    const read = receiveBody(untold.request, budget.lease())
    untold.send(64 * MB)
    untold.send(1)
    await assert.rejects(read, { code: 'invalid_request' })
    assert.ok(untold.isCancelled())
  })
})
