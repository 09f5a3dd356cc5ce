/** Tests that sockets that have ended no longer use memory or time of their thread. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks'
import { test } from 'node:test'
import '../../../../workers/shard/baileys/thread/first.ts'
import { sharedStorageClass } from '../../../../workers/shard/baileys/thread/async-storage.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const isOld = Number(process.versions.node.split('.')[0]) < 24

// The shared storage class is used here even on a version of Node that does not need it. Below it is the class of Node
// itself on Node 24, and the class of this service on older versions.
const Storage = sharedStorageClass(new AsyncLocalStorage())

test('each storage keeps its own value, nested and interleaved, across awaits', async () => {
  const a = new Storage<string>()
  const b = new Storage<number>()
  const seen = async (name: string, n: number) => {
    for (let step = 0; step < 5; step++) {
      assert.equal(a.getStore(), name)
      assert.equal(b.getStore(), n)
      await (step % 2 ? turn() : Promise.resolve())
    }
  }
  await Promise.all([
    a.run('x', () => b.run(1, () => seen('x', 1))),
    b.run(2, () => a.run('y', () => seen('y', 2))),
    a.run('z', async () => {
      await turn()
      await b.run(3, () => seen('z', 3))
      assert.equal(b.getStore(), undefined)
      await a.run('inner', async () => {
        await turn()
        assert.equal(a.getStore(), 'inner')
      })
      assert.equal(a.getStore(), 'z')
    }),
  ])
  assert.equal(a.getStore(), undefined)
  assert.equal(b.getStore(), undefined)
})

test('run hands on arguments, answers and errors', () => {
  const a = new Storage<string>()
  assert.equal(
    a.run('x', (n: number, m: number) => n + m, 1, 2),
    3,
  )
  assert.throws(
    () =>
      a.run('x', () => {
        throw new Error('inside')
      }),
    /inside/,
  )
  assert.equal(a.getStore(), undefined)
})

test('enterWith counts from there on, for this storage alone', async () => {
  const a = new Storage<string>()
  const b = new Storage<string>()
  await b.run('kept', async () => {
    a.enterWith('entered')
    await turn()
    assert.equal(a.getStore(), 'entered')
    assert.equal(b.getStore(), 'kept')
    a.enterWith('again')
    assert.equal(a.getStore(), 'again')
  })
})

test('exit leaves this storage and no other', async () => {
  const a = new Storage<string>()
  const b = new Storage<string>()
  await a.run('a', () =>
    b.run('b', async () => {
      await a.exit(async () => {
        await turn()
        assert.equal(a.getStore(), undefined)
        assert.equal(b.getStore(), 'b')
      })
      assert.equal(a.getStore(), 'a')
    }),
  )
})

test('disable forgets the values everywhere, and the storage can be used again', async () => {
  const a = new Storage<string>()
  const b = new Storage<string>()
  await a.run('a', () =>
    b.run('b', async () => {
      a.disable()
      await turn()
      assert.equal(a.getStore(), undefined)
      assert.equal(b.getStore(), 'b')
      assert.equal(
        a.run('new', () => a.getStore()),
        'new',
      )
    }),
  )
})

test('callbacks that were bound run in the context they were bound in', () => {
  const a = new Storage<string>()
  const bound = a.run('then', () => Storage.bind(() => a.getStore()))
  const snapshot = a.run('then', () => Storage.snapshot())
  a.run('now', () => {
    assert.equal(bound(), 'then')
    assert.equal(
      snapshot(() => a.getStore()),
      'then',
    )
  })
})

// Node 24 does not need shared storages. There, a storage that was disabled still has the values of its frames, so this
// test is skipped.
test('one that rests keeps values while any work runs in it, and not longer', { skip: !isOld }, async () => {
  const Resting = sharedStorageClass(new AsyncLocalStorage(), true)
  const [a, b] = [new Resting<string>(), new Resting<string>()]
  let left: string | undefined = 'not seen'
  const long = a.run('long', async () => {
    await b.run('short', async () => {
      await turn()
      assert.deepEqual([a.getStore(), b.getStore()], ['long', 'short'])
    })
    await assert.rejects(
      b.run('failing', () => turn().then(() => Promise.reject(new Error('inside')))),
      /inside/,
    )
    await turn()
    assert.deepEqual([a.getStore(), b.getStore()], ['long', undefined])
    void turn()
      .then(turn)
      .then(() => {
        left = a.getStore()
      })
    return 'done'
  })
  assert.equal(await long, 'done')
  await turn()
  await turn()
  await turn()
  assert.equal(left, undefined)
  await a.run('again', async () => {
    await turn()
    assert.equal(a.getStore(), 'again')
  })
})

test('however many storages are entered, a promise carries one', { skip: !isOld }, () => {
  const storages = Array.from({ length: 50 }, () => new AsyncLocalStorage<number>())
  const carried = () =>
    Object.getOwnPropertySymbols(executionAsyncResource()).filter((symbol) => symbol.description === 'kResourceStore').length
  const nest = (at: number): number => (at === storages.length ? carried() : storages[at]!.run(at, () => nest(at + 1)))
  // One level belongs to this test file, and one to the thread.
  assert.ok(nest(0) <= 2, `carries ${nest(0)}`)
})

test('the library gets the shared one', { skip: !isOld }, async () => {
  const { addTransactionCapability } = await import('@whiskeysockets/baileys')
  const { default: pino } = await import('pino')
  assert.equal(AsyncLocalStorage.name, 'SharedAsyncLocalStorage')
  const store = { get: async () => ({}), set: async () => {} }
  const open = () => addTransactionCapability(store, pino({ level: 'silent' }), { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
  const [one, other] = [open(), open()]
  await one.transaction(async () => {
    await turn()
    assert.equal(one.isInTransaction(), true)
    assert.equal(other.isInTransaction(), false)
    await other.transaction(async () => assert.equal(one.isInTransaction(), true), 'b')
  }, 'a')
  assert.equal(one.isInTransaction(), false)
})
