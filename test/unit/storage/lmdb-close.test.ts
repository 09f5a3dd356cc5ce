/**
 * Tests closing while reads run. A read of lmdb-js sets a timer that releases its transaction. If that timer runs after
 * the environment is closed, it throws an error that nobody can catch, or damages the heap.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { openStore } from '../../../src/storage/open-store.ts'
import { tempDir } from './fixtures.ts'

/** Number of closings. If reads were not refused, about one closing in twenty would end the process. */
const CLOSINGS = 100

test('reads and commits while the store closes are refused, and do not end the process', async (t) => {
  const dir = await tempDir(t)
  let refused = 0
  for (let closing = 0; closing < CLOSINGS; closing++) {
    const store = await openStore(`lmdb:${join(dir, String(closing))}`)
    await store.commit({ ops: [['key', Buffer.from('x')]] })
    let isOver = false
    const reads = [
      () => store.get('key'),
      () => store.count('key'),
      async () => {
        for await (const [key] of store.range('key')) assert.equal(key, 'key')
      },
      () => store.commit({ guard: { key: 'key', equals: Buffer.from('x') }, ops: [['other', Buffer.from('y')]] }),
    ]
    const readers = reads.map(async (read, index) => {
      while (!isOver) {
        await read().catch(() => refused++)
        await ((closing + index) % 2 === 0 ? turn() : pause(0))
      }
    })
    await pause(closing % 5)
    await store.close()
    isOver = true
    await Promise.all(readers)
  }
  await pause(20)
  assert.ok(refused > 0)
})
