import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../../src/domain/failures.ts'
import { DEFAULT_SETTINGS, type InstanceConfig, type RuntimeState, type WebhookSettings } from '../../src/domain/instance.ts'
import type { CallOf } from '../../src/engine/engine.ts'
import { createPooledEngine, type PooledEngine, type PoolSetup } from '../../src/engine/pooled-engine.ts'
import { sameKind } from '../harness/checkout.ts'
import { SMALL_POOL } from './engine/small-pool.ts'

const setup = SMALL_POOL

const config = (id: string, settings = DEFAULT_SETTINGS): InstanceConfig => ({
  id,
  tokenTag: 'tag',
  settings,
  webhooks: {} as WebhookSettings,
})
const unavailable = (error: unknown) => error instanceof Failure && error.code === 'engine_unavailable'

const asks = (operation: string, input: unknown = null) =>
  ({ kind: 'control', operation, input }) as unknown as CallOf<'instance.status'>

interface Echo {
  calls: number
  threadId: number
  shard: number
  proxy: string | null
}
const echo = async (engine: PooledEngine, id: string) => (await engine.call(id, asks('echo'))) as unknown as Echo

async function untilAnswered(engine: PooledEngine, id: string): Promise<Echo> {
  for (;;) {
    try {
      return await echo(engine, id)
    } catch (error) {
      if (!unavailable(error)) throw error
      await wait(10)
    }
  }
}

describe('a pool of two shards', { timeout: 180_000 }, () => {
  let engine: PooledEngine
  before(async () => {
    engine = await createPooledEngine(setup)
    for (const id of ['a', 'b', 'c', 'd']) await engine.start(config(id), 'create')
  })
  after(() => engine.close(1_000))

  test('instances are spread over the shards, fewest first', async () => {
    const shards = await Promise.all(['a', 'b', 'c', 'd'].map(async (id) => (await echo(engine, id)).shard))
    assert.deepEqual(shards, [0, 1, 0, 1])
    assert.equal(engine.isReady(), true)
  })

  test('an instance keeps its state between calls and its thread keeps running while idle', async () => {
    const first = await echo(engine, 'a')
    const second = await echo(engine, 'a')
    assert.equal(second.calls, first.calls + 1)
    assert.equal(second.threadId, first.threadId)
  })

  test('an unexpected error is internal for the caller and leaves the shard alive', async () => {
    await assert.rejects(engine.call('a', asks('throw')), (error) => error instanceof Failure && error.code === 'internal')
    assert.ok(await echo(engine, 'a'))
  })

  test('an instance nobody hosts is answered with engine_unavailable', async () => {
    await assert.rejects(engine.call('nobody', asks('echo')), unavailable)
  })

  test('an instance that could not be booted because of a full disk is booted again, without being asked for', async () => {
    await assert.rejects(engine.start(config('full-disk'), 'boot'))
    assert.equal((await untilAnswered(engine, 'full-disk')).calls, 1)
    await engine.stop('full-disk', 'keep')
  })

  for (const how of ['throw', 'exit', 'heap'] as const) {
    test(`after a crash by ${how}, calls in flight fail at once, the other shard answers without a gap, and the instances return`, async () => {
      const shard = engine.shardOf('a')!
      const generation = engine.generations()[shard]!
      const neighbour = await echo(engine, 'b')
      const inFlight = assert.rejects(engine.call('a', asks('never')), unavailable)
      const crashed = engine.crashShard(shard, how)
      const meanwhile = await echo(engine, 'b')
      await Promise.all([inFlight, crashed])
      assert.equal(meanwhile.threadId, neighbour.threadId)
      assert.equal(engine.isReady(), false)
      await assert.rejects(engine.call('a', asks('echo')), unavailable)

      const back = await untilAnswered(engine, 'a')
      await untilAnswered(engine, 'c')
      assert.equal(back.calls, 1, 'the new life begins with fresh state')
      assert.equal(engine.generations()[shard], generation + 1)
      assert.equal((await echo(engine, 'b')).threadId, neighbour.threadId)
    })
  }

  test('main knows the state of an instance while its shard has told all, and does not once the shard is gone', async () => {
    const shard = engine.shardOf('a')!
    const toldOf = async (id: string) => {
      while (!engine.hasTold(id)) await wait(1)
    }
    await toldOf('a')
    assert.equal(engine.hasTold('nobody'), false)
    await engine.crashShard(shard)
    assert.equal(engine.hasTold('a'), false)
    await untilAnswered(engine, 'a')
    await toldOf('a')
  })

  test('a configuration given while the shard is down is the one its instances come back with', async () => {
    const shard = engine.shardOf('a')!
    await engine.crashShard(shard)
    await engine.configure(config('a', { ...DEFAULT_SETTINGS, proxy_url: 'socks5://127.0.0.1:1' }))
    assert.equal((await untilAnswered(engine, 'a')).proxy, 'socks5://127.0.0.1:1')
  })

  test('an instance stopped or erased while its shard is down does not come back', async () => {
    const shard = engine.shardOf('c')!
    await engine.crashShard(shard)
    await engine.stop('c', 'keep')
    assert.notEqual(
      engine.generations()[shard],
      undefined,
      'commits of the dead thread are over only when its next run has begun',
    )
    await untilAnswered(engine, 'a')
    await assert.rejects(engine.call('c', asks('echo')), unavailable)
    assert.equal(engine.shardOf('c'), undefined)

    await engine.start(config('c'), 'create')
    await engine.crashShard(engine.shardOf('c')!)
    await engine.stop('c', 'erase')
    await untilAnswered(engine, 'a')
    while (engine.shardOf('c') !== undefined) await wait(10)
    await assert.rejects(engine.call('c', asks('echo')), unavailable)
  })
})

test('an instance whose creation fails can be erased, and does not come back', { timeout: 180_000 }, async () => {
  const engine = await createPooledEngine({ ...setup, shards: 1 })
  try {
    await engine.start(config('a'), 'create')
    await assert.rejects(engine.start(config('unstartable'), 'create'), Failure)
    await engine.stop('unstartable', 'erase')
    assert.equal(engine.shardOf('unstartable'), undefined)

    const creation = assert.rejects(engine.start(config('slow'), 'create'), unavailable)
    await engine.crashShard(0)
    await creation
    // The thread is dead, so it cannot erase the instance. The next thread does this when it starts.
    await engine.stop('slow', 'erase')
    await untilAnswered(engine, 'a')
    while (engine.shardOf('slow') !== undefined) await wait(10)
    await assert.rejects(engine.call('slow', asks('echo')), unavailable)
  } finally {
    await engine.close(1_000)
  }
})

test('of 20 instances, those of a dead shard come back, at most 5 starts in any second', {
  timeout: 180_000,
}, async () => {
  const engine = await createPooledEngine(setup)
  try {
    const ids = Array.from({ length: 20 }, (_, index) => `instance-${index}`)
    const created = new Map<string, number>()
    for (const id of ids) created.set(id, bornAt(await engine.start(config(id), 'create')))
    const shard = 1
    const lost = ids.filter((id) => engine.shardOf(id) === shard)
    const births: number[] = []
    const diedAt = Date.now()
    // Reports of starts from the creation of the instances may still arrive, and must be ignored.
    engine.onEvent((event) => {
      if (event.type === 'state' && bornAt(event.state) !== created.get(event.instance)) births.push(bornAt(event.state))
    })
    await engine.crashShard(shard)
    await Promise.all(lost.map((id) => untilAnswered(engine, id)))

    assert.equal(lost.length, 10)
    // The report of a start is separate from the answer to the call, and may arrive a little later.
    while (births.length < 10) await new Promise((resolve) => setImmediate(resolve))
    assertPace(births, diedAt)
    assert.equal(births.length, 10)
  } finally {
    await engine.close(1_000)
  }
})

test('at the start of the process 12 sessions take their turns, and instances without a session wait for nobody', {
  timeout: 180_000,
}, async () => {
  const engine = await createPooledEngine(setup)
  try {
    const births: number[] = []
    const idle = Array.from({ length: 50 }, (_, index) => engine.start(config(`idle-${index}`), 'boot'))
    const began = Date.now()
    await Promise.all(idle)
    assert.ok(Date.now() - began < 5_000, '50 at 5 a second would take 9 s')
    const wentLive = Date.now()
    const live = Array.from({ length: 12 }, (_, index) => engine.start(config(`live-${index}`), 'boot'))
    for (const state of await Promise.all(live)) births.push(bornAt(state))
    assert.equal(births.length, 12)
    assertPace(births, wentLive)
  } finally {
    await engine.close(1_000)
  }
})

test('a thread that spins without end is ended and replaced', { timeout: 180_000 }, async () => {
  const engine = await createPooledEngine({ ...setup, shards: 1, watchEveryMs: 100 })
  try {
    await engine.start(config('a'), 'create')
    await engine.crashShard(0, 'spin')
    assert.equal((await untilAnswered(engine, 'a')).calls, 1)
    assert.deepEqual(engine.generations(), [2])
  } finally {
    await engine.close(1_000)
  }
})

test('a report waits for no thread that hangs, and comes again from the next life', { timeout: 180_000 }, async () => {
  const heard: { generation: number; waiting: number }[] = []
  const engine = await createPooledEngine({
    ...setup,
    shards: 1,
    watchEveryMs: 1_500,
    onReport: (_, generation, { waiting }) => heard.push({ generation, waiting }),
  })
  try {
    await engine.start(config('a'), 'create')
    await echo(engine, 'a')
    await engine.refreshReports()
    assert.deepEqual(heard.at(-1), { generation: 1, waiting: 1 })
    const known = heard.length
    // A hanging thread ends only after three rounds of the watchdog without an answer. But a request for its report
    // must give up after a second.
    const ended = engine.crashShard(0, 'spin').then(() => 'the life ended')
    const refreshed = engine.refreshReports().then(() => 'the report was given up')
    assert.equal(await Promise.race([ended, refreshed]), 'the report was given up')
    assert.equal(heard.length, known)
    await ended
    await untilAnswered(engine, 'a')
    await engine.refreshReports()
    assert.deepEqual(heard.at(-1), { generation: 2, waiting: 1 })
  } finally {
    await engine.close(1_000)
  }
})

// An earlier bug: a thread whose call queue was full also refused the watchdog's ping. So it was ended like a thread
// that hangs, with all its sessions.
test('a thread with more calls than it takes goes on, and refuses nothing but calls', { timeout: 180_000 }, async () => {
  const heard: number[] = []
  const engine = await createPooledEngine({
    ...setup,
    shards: 1,
    watchEveryMs: 300,
    onReport: (_, generation) => heard.push(generation),
  })
  const calls: Promise<unknown>[] = []
  try {
    await engine.start(config('a'), 'create')
    for (let call = 0; call < 4_000; call++) calls.push(assert.rejects(engine.call('a', asks('never')), unavailable))
    await assert.rejects(echo(engine, 'a'), unavailable)
    await engine.start(config('b'), 'create')
    const known = heard.length
    while (heard.length < known + 5) await wait(10)
    assert.deepEqual(new Set(heard), new Set([1]))
  } finally {
    await engine.close(1_000)
    await Promise.all(calls)
  }
})

test('a thread refuses to crash unless it was made for tests', { timeout: 180_000 }, async () => {
  const engine = await createPooledEngine({ ...setup, shards: 1, allowCrash: false })
  try {
    await assert.rejects(engine.crashShard(0), (error) => error instanceof Failure && error.code === 'not_allowed')
  } finally {
    await engine.close(1_000)
  }
})

test('a pool whose threads cannot load does not start and leaves nothing behind', { timeout: 180_000 }, async () => {
  const worker = sameKind('./engine/absent', import.meta.url)
  await assert.rejects(createPooledEngine({ ...setup, worker }), /did not start/)
})

describe('a thread that is slow to start', { timeout: 180_000 }, () => {
  let dir: string
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-slow-'))
  })
  after(() => rm(dir, { recursive: true, force: true }))

  const worker = sameKind('./engine/slow-shard', import.meta.url)
  const runsOf = (path: string) => readFileSync(`${path}.runs`, 'utf8').length

  function slowPool(how: string, more: Partial<PoolSetup> = {}) {
    const path = join(dir, `${how}-${Math.random()}`)
    const lines: { line: string; fields: object }[] = []
    const waiting: { line: string; found(): void }[] = []
    const say = (fields: object, line: string) => {
      lines.push({ line, fields })
      for (const each of waiting) if (each.line === line) each.found()
    }
    const said = (line: string) => new Promise<void>((found) => void waiting.push({ line, found }))
    process.env.TEST_SLOW_SHARD = `${how}:${path}`
    const started = createPooledEngine({
      ...setup,
      shards: 1,
      worker,
      log: { info: say, warn: say, error: say },
      sayEveryMs: 20,
      ...more,
    })
    return { path, lines, said, started }
  }

  test('is waited for, and the log says so', async () => {
    const { path, said, started } = slowPool('slow')
    await said('the shard is still starting')
    await said('the shard is still starting')
    writeFileSync(path, '')
    const engine = await started
    assert.deepEqual([engine.generations(), runsOf(path)], [[1], 1])
    assert.equal(engine.problem(), undefined)
    await engine.close(1_000)
  })

  test('is replaced when it hangs, and that does not end the start either', async () => {
    const { path, said, started } = slowPool('slow', { startLimitMs: 300 })
    await said('the shard ended; restarting it')
    writeFileSync(path, '')
    const engine = await started
    assert.ok(engine.generations()[0]! > 1)
    await engine.close(1_000)
  })

  test('for which the machine had nothing to spare is tried again', async () => {
    const { path, lines, started } = slowPool('failing')
    const engine = await started
    assert.deepEqual([engine.generations(), runsOf(path)], [[3], 3])
    assert.equal(lines.filter(({ line }) => line === 'the shard ended; restarting it').length, 2)
    await engine.close(1_000)
  })

  test('with a defect ends the start at once, and with the defect as its cause', async () => {
    const { path, started } = slowPool('broken')
    const error = await started.then(
      () => assert.fail('it started'),
      (error: Error) => error,
    )
    assert.match(String(error.cause), /a defect/)
    assert.equal(runsOf(path), 1)
  })

  test('is ended when the start is abandoned', async () => {
    const abandoned = new AbortController()
    const { said, started } = slowPool('slow', { signal: abandoned.signal })
    await said('the shard is still starting')
    abandoned.abort()
    await assert.rejects(started, /did not start/)
  })

  test('is told to whoever asks whether the engine is ready, in a later run, too', async () => {
    const { path, said, started } = slowPool('slow')
    writeFileSync(path, '')
    const engine = await started
    rmSync(path)
    const isSaid = said('the shard is still starting')
    await engine.crashShard(0)
    await isSaid
    assert.equal(engine.isReady(), false)
    assert.match(engine.problem()!, /^Shard 0 has been starting for \d+ s\.$/)
    writeFileSync(path, '')
    while (!engine.isReady()) await wait(10)
    await engine.close(1_000)
  })
})

test('instances of a thread that does not come up can leave, when the store takes nothing more of it, and it starts anew', {
  timeout: 180_000,
}, async () => {
  const path = join(tmpdir(), `svc-slow-${process.pid}-${Math.random()}`)
  process.env.TEST_SLOW_SHARD = `slow:${path}`
  writeFileSync(path, '')
  const ended: number[] = []
  let runs = () => 0
  const engine = await createPooledEngine({
    ...setup,
    shards: 1,
    worker: sameKind('./engine/slow-shard', import.meta.url),
    runsWithinMs: 50,
    async endWriter(shard) {
      ended.push(shard)
      const before = runs()
      await wait(300)
      assert.equal(runs(), before, 'no thread runs meanwhile')
    },
  })
  runs = () => readFileSync(`${path}.runs`, 'utf8').length
  for (const id of ['a', 'b', 'stays']) await engine.start(config(id), 'create')
  assert.equal(engine.failingFor('a'), undefined)
  rmSync(path)
  await engine.crashShard(0)
  while (engine.isReady() || runs() < 2) await wait(10)
  assert.ok(engine.failingFor('a')! >= 0)
  await Promise.all(['a', 'b'].map((id) => engine.stop(id, 'keep')))
  assert.deepEqual([ended, engine.shardOf('a'), engine.shardOf('stays')], [[0], undefined, 0])
  writeFileSync(path, '')
  while (!engine.isReady()) await wait(10)
  await engine.call('stays', asks('echo'))
  await assert.rejects(engine.call('a', asks('echo')), unavailable)
  await engine.close(1_000)
  for (const each of [path, `${path}.runs`]) rmSync(each)
})

test('after close nothing is answered and no thread is left', { timeout: 180_000 }, async () => {
  const engine = await createPooledEngine({ ...setup, shards: 1 })
  await engine.start(config('a'), 'create')
  const pending = assert.rejects(engine.call('a', asks('never')), unavailable)
  await engine.close(1_000)
  await pending
  await assert.rejects(engine.call('a', asks('echo')), unavailable)
  await assert.rejects(engine.start(config('b'), 'create'), unavailable)
  assert.equal(engine.isReady(), false)
})

const bornAt = ({ profileName }: RuntimeState) => Number(/\d+/.exec(profileName!)![0])

/**
 * Checks that no more than five instances per second were started since `since`. The times between starts are not
 * checked, because on a busy machine one start may be late and the next one on time.
 */
function assertPace(births: number[], since: number) {
  const sorted = births.toSorted((a, b) => a - b)
  for (const [index, at] of sorted.entries()) {
    const earliest = since + Math.floor(index / 5) * 1_000
    assert.ok(at >= earliest, `start ${index} came ${earliest - at} ms before its turn`)
  }
}
