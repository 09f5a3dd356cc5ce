/** Tests real threads that are started before they get a shard, as a standby starts them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createPooledEngine } from '../../../src/engine/pooled-engine.ts'
import { startWarmThread } from '../../../src/engine/warm-thread.ts'
import { allLoaded } from '../../../src/service/warm-up.ts'
import { SMALL_POOL } from '../../e2e/engine/small-pool.ts'
import { sameKind } from '../../harness/checkout.ts'
import { until } from '../../harness/until.ts'

const SLOW = sameKind('../../e2e/engine/slow-shard', import.meta.url)
const ABSENT = sameKind('./absent', import.meta.url)

describe('a thread that is started before its shard', { timeout: 60_000 }, () => {
  let dir: string
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-warm-'))
  })
  after(() => rm(dir, { recursive: true }))

  function start(how?: 'failing' | 'broken') {
    const lines: string[] = []
    const path = join(dir, `${how}-${Math.random()}`)
    process.env.TEST_SLOW_SHARD = `${how}:${path}`
    const thread = startWarmThread({
      worker: how === undefined ? SMALL_POOL.worker! : SLOW,
      heapMb: 64,
      data: { shard: 0, logging: { level: 'silent' }, allowCrash: false },
      log: { ...SMALL_POOL.log, error: (_: unknown, line: string) => void lines.push(line) },
    })
    return { thread, lines, runs: () => readFileSync(`${path}.runs`, 'utf8').length }
  }

  test('is taken once, and then ends only with its shard', async () => {
    const { thread, lines } = start()
    await thread.loaded
    const ends: unknown[] = []
    const handlers = { onEvent() {}, onEnd: (cause: unknown) => void ends.push(cause) }
    const run = thread.take(handlers)!
    assert.equal(thread.take(handlers), undefined)
    await thread.end()
    assert.equal(await run.run({ type: 'loaded' }, 10_000), null)
    assert.deepEqual([run.isOver(), ends], [false, []])
    await run.end()
    await until(async () => ends.length, Boolean)
    assert.deepEqual(lines, [])
  })

  test('is not taken when it was ended', async () => {
    const { thread, lines } = start()
    await thread.end()
    await thread.loaded
    assert.equal(thread.take({ onEvent() {}, onEnd() {} }), undefined)
    assert.deepEqual(lines, [])
  })

  test('is the first thread of its shard, which starts no other one', async () => {
    const { thread } = start()
    const engine = await createPooledEngine({ ...SMALL_POOL, shards: 1, worker: ABSENT, warm: [thread] })
    assert.deepEqual(engine.generations(), [1])
    await engine.close(1_000)
  })

  test('is replaced by its shard if it has ended', async () => {
    const { thread, lines, runs } = start('failing')
    await assert.rejects(thread.loaded, /too many open files/)
    assert.deepEqual([lines.length, runs()], [1, 1])
    const engine = await createPooledEngine({ ...SMALL_POOL, shards: 1, worker: SLOW, warm: [thread] })
    assert.deepEqual([engine.generations(), runs()], [[2], 3])
    await engine.close(1_000)
  })

  test('makes the start of a standby fail if its code has a defect, and not if the machine has nothing to spare', async () => {
    const failed = (error: Error) =>
      /^The service cannot load its code/.test(error.message) && /a defect/.test(String(error.cause))
    await assert.rejects(allLoaded([start('broken').thread], Promise.resolve()), failed)
    await assert.rejects(allLoaded([], Promise.reject(new Error('a defect'))), failed)
    await allLoaded([start('failing').thread], Promise.resolve())
  })
})
