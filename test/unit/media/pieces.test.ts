import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { MORE } from '../../../src/domain/file-download.ts'
import { gathered, movable, roomOf } from '../../../workers/media/pieces.ts'

for (const chunk of [1, 7, 64, 100, 1_000])
  test(`chunks of ${chunk} bytes are gathered into full pieces, and the rest`, async () => {
    const all = randomBytes(1_000)
    async function* source() {
      for (let at = 0; at < all.length; at += chunk) yield all.subarray(at, at + chunk)
    }
    const pieces: Buffer[] = []
    for await (const piece of gathered(source(), 64)) pieces.push(Buffer.from(piece))
    assert.ok(Buffer.concat(pieces).equals(all))
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [...Array(15).fill(64), 40],
    )
  })

test('what shares its memory with others is copied before it is moved', () => {
  const own = new Uint8Array([1, 2, 3])
  assert.equal(movable(own), own.buffer)
  assert.deepEqual(new Uint8Array(movable(own.subarray(1))), new Uint8Array([2, 3]))
})

test('room is waited for until the other side gives it back, or goes', async () => {
  const { port1, port2 } = new MessageChannel()
  const stopped = new AbortController()
  const room = roomOf(port1, stopped.signal, 2)
  await room()
  await room()
  let isThere = false
  const third = room().then(() => {
    isThere = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isThere, false)
  port2.postMessage(MORE)
  await third
  const fourth = room()
  stopped.abort()
  await assert.rejects(fourth, { name: 'AbortError' })
  port1.close()
})
