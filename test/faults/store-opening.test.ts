/**
 * Processes open a store again and again while another process commits to it all the time. If they did not wait for
 * each other (`src/storage/opening-turn.ts`), lmdb could use the number of a commit twice, and acknowledged records
 * would be lost.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { checkStore } from '../../src/storage/check.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { amount } from '../harness/amount.ts'
import { program } from '../harness/checkout.ts'

const OPENER = program('./store-opener', import.meta.url)
const OPENINGS = amount(1_000, 12)

let dir: string
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-opening-'))
})
after(() => rm(dir, { recursive: true, force: true }))

async function opener(store: string, name: string): Promise<{ commits: number; state: string }> {
  const child = spawn(process.execPath, [...OPENER, `lmdb:${store}`, store, name, String(OPENINGS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await text(child.stdout))
}

test('no commit is lost while other processes open the store, write to it and check it', async () => {
  const path = join(dir, 'state')
  const store = await openStore(`lmdb:${path}`)
  let isOver = false
  const counts = [0, 0, 0]
  const writers = counts.map(async (_, writer) => {
    while (!isOver) {
      const count = counts[writer]!
      const last = count === 0 ? null : Buffer.from(String(count - 1))
      const ops = [
        [`writer:${writer}:${count}`, Buffer.from('x')],
        [`last:${writer}`, Buffer.from(String(count))],
      ] as const
      // Every second commit has a guard, which runs on this thread inside of lmdb's transaction.
      const guard = count % 2 === 0 ? {} : { guard: { key: `last:${writer}`, equals: last } }
      assert.equal(await store.commit({ ...guard, ops }), true)
      assert.equal(Buffer.from((await store.get(`last:${writer}`))!).toString(), String(count))
      counts[writer] = count + 1
    }
  })
  const openers = await Promise.all(['a', 'b'].map((name) => opener(path, name)))
  isOver = true
  await Promise.all(writers)
  const stored = await Promise.all([0, 1, 2].map((writer) => store.count(`writer:${writer}:`)))
  assert.deepEqual(stored, counts)
  for (const [index, name] of ['a', 'b'].entries()) {
    assert.deepEqual(openers[index], { commits: OPENINGS / 2, state: 'sound' })
    assert.equal(await store.count(`opener:${name}:`), OPENINGS / 2)
  }
  await store.close()
  assert.equal((await checkStore(path, 'deep')).state, 'sound')
  assert.deepEqual(
    (await readdir(path)).filter((name) => name.includes('opening-')),
    [],
  )
})
