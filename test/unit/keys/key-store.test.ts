import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Batch } from '../../../src/storage/contract.ts'
import { keys as records } from '../../../src/storage/record-keys.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { openDisk, sealer, text } from './signal/gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const value = (words: string) => Buffer.from(words)

function gate<T>() {
  let open: (value: T) => void = () => {}
  const passed = new Promise<T>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

test('what is committed is read back, also by another cache, and is sealed on disk', async () => {
  const cache = createKeyCache({ maxEntries: 10 })
  const keys = createKeyStore('read', disk.store, sealer, cache)
  await keys.commit([['session', '1.0', value('secret session')]])
  assert.equal(text((await keys.get('session', '1.0'))!), 'secret session')
  const fresh = createKeyStore('read', disk.store, sealer, createKeyCache({ maxEntries: 10 }))
  assert.equal(text((await fresh.get('session', '1.0'))!), 'secret session')
  const stored = await disk.store.get(records.signal('read', 'session', sealer.blind('1.0')))
  assert.ok(stored && !Buffer.from(stored).includes('secret'))
})

test('the keys that others start sessions with are read from the disk alone', async () => {
  const cache = createKeyCache({ maxEntries: 10 })
  const keys = createKeyStore('pre-keys', disk.store, sealer, cache)
  await keys.commit([
    ['pre-key', '1', value('one')],
    ['session', '1.0', value('session')],
  ])
  assert.equal(text((await keys.get('pre-key', '1'))!), 'one')
  assert.equal(text((await keys.ahead.get('pre-key', '1'))!), 'one')
  assert.equal(cache.entries, 1)
  await keys.commit([['pre-key', '1', null]])
  assert.equal(await keys.get('pre-key', '1'), undefined)
})

test('one-time pre-keys lie in the order of their numbers', async () => {
  const keys = createKeyStore('numbered', disk.store, sealer, createKeyCache({ maxEntries: 10 }))
  await keys.commit([10, 9, 16_777_215].map((id) => ['pre-key', String(id), value(`key ${id}`)] as const))
  const stored: string[] = []
  for await (const [key] of disk.store.range(records.signals('numbered', 'pre-key'))) stored.push(key.split(':').at(-1)!)
  assert.deepEqual(stored, ['00000009', '00000010', '16777215'])
})

test('ids of every shape are kept apart', async () => {
  const keys = createKeyStore('ids', disk.store, sealer, createKeyCache({ maxEntries: 10 }))
  const ids = ['AAAA/b+c=', 'g@g.us::1_1::0', 'a?b', 'a:b', 'a%3Ab', 'ä', '__proto__']
  await keys.commit(ids.map((id) => ['sender-key', id, value(id)] as const))
  const fresh = createKeyStore('ids', disk.store, sealer, createKeyCache({ maxEntries: 10 }))
  for (const id of ids) assert.equal(text((await fresh.get('sender-key', id))!), id)
})

test('memory follows the disk: during a pending write the old value is read, after it never again', async () => {
  const cache = createKeyCache({ maxEntries: 10 })
  const reading = gate<void>()
  const writing = gate<void>()
  let isSlow = false
  const keys = createKeyStore(
    'race',
    {
      ...disk.store,
      async get(key) {
        const found = await disk.store.get(key)
        if (isSlow) await reading.passed
        return found
      },
      async commit(batch) {
        if (isSlow) await writing.passed
        return disk.store.commit(batch)
      },
    },
    sealer,
    cache,
  )
  await keys.commit([['session', '1.0', value('old')]])
  cache.forget('')
  isSlow = true
  // This call reads the old value from the disk, and the test delays its result.
  const early = keys.get('session', '1.0')
  const write = keys.commit([['session', '1.0', value('new')]])
  const during = keys.get('session', '1.0')
  writing.open()
  await write
  reading.open()
  assert.equal(text((await early)!), 'new')
  assert.equal(text((await during)!), 'new')
  assert.equal(text((await keys.get('session', '1.0'))!), 'new')
})

test('a failed write leaves the cached value', async () => {
  const cache = createKeyCache({ maxEntries: 10 })
  let fails = false
  const commit = async (batch: Parameters<typeof disk.store.commit>[0]) => {
    if (fails) throw new Error('disk full')
    return disk.store.commit(batch)
  }
  const keys = createKeyStore('failed', { ...disk.store, commit }, sealer, cache)
  await keys.commit([['session', '1.0', value('old')]])
  fails = true
  await assert.rejects(keys.commit([['session', '1.0', value('new')]]), { message: 'disk full' })
  assert.equal(text((await keys.get('session', '1.0'))!), 'old')
})

test('the cache keeps within its entries and bytes, and absence counts as an entry', async () => {
  const cache = createKeyCache({ maxEntries: 3, maxBytes: 10_000 })
  const keys = createKeyStore('bounds', disk.store, sealer, cache)
  for (let n = 0; n < 10; n++) await keys.get('session', `${n}.0`)
  assert.equal(cache.entries, 3)
  await keys.commit([['session', 'big', Buffer.alloc(9_700)]])
  assert.equal(cache.entries, 1)
  assert.ok(cache.bytes <= 10_000)
  // A value that is larger than the whole cache must not evict other values.
  await keys.commit([['session', 'bigger', Buffer.alloc(20_000)]])
  assert.equal(cache.entries, 1)
  assert.equal((await keys.get('session', 'bigger'))?.length, 20_000)
})

test('a second read does not reach the disk, whether the key is there or not', async () => {
  let reads = 0
  const get = (key: string) => {
    reads += 1
    return disk.store.get(key)
  }
  const keys = createKeyStore('hits', { ...disk.store, get }, sealer, createKeyCache({ maxEntries: 10 }))
  await Promise.all([keys.get('lid-mapping', '1'), keys.get('lid-mapping', '1')])
  await keys.get('lid-mapping', '1')
  assert.equal(reads, 1)
})

test('erasing removes every key of the instance and of no other', async () => {
  const cache = createKeyCache({ maxEntries: 5_000 })
  const keys = createKeyStore('erase', disk.store, sealer, cache)
  const other = createKeyStore('erase2', disk.store, sealer, cache)
  await keys.commit(Array.from({ length: 2_500 }, (_, n) => ['pre-key', `${n}`, Buffer.alloc(64)] as const))
  await other.commit([['pre-key', '1', Buffer.alloc(64)]])
  await keys.erase()
  assert.equal(await keys.isEmpty(), true)
  assert.equal(await keys.get('pre-key', '7'), undefined)
  assert.ok(await other.get('pre-key', '1'))
})

test('what goes along is in every commit of keys until one has succeeded', async () => {
  const batches: string[][] = []
  let isFull = true
  const store = {
    ...disk.store,
    async commit(batch: Batch) {
      batches.push(batch.ops.map(([key]) => key))
      if (isFull) throw new Error('no space left on device')
      return disk.store.commit(batch)
    },
  }
  const keys = createKeyStore('along', store, sealer, createKeyCache({ maxEntries: 10 }))
  const settle = keys.alongside([['along', value('with it')]])
  await assert.rejects(keys.commit([['session', '1.0', value('first')]]), /no space/)
  await assert.rejects(settle(), /no space/)
  assert.equal(await keys.get('session', '1.0'), undefined)
  isFull = false
  await keys.commit([['session', '1.0', value('second')]])
  await settle()
  await keys.commit([['session', '1.0', value('third')]])
  assert.deepEqual(
    batches.map((names) => names.includes('along')),
    [true, true, true, false],
  )
  assert.equal(text((await disk.store.get('along'))!), 'with it')
})

test('what several devices advance in one turn is one commit, and fails together', async () => {
  const commits: number[] = []
  let isFull = false
  const store = {
    ...disk.store,
    commit(batch: Batch) {
      commits.push(batch.ops.length)
      return isFull ? Promise.reject(new Error('full')) : disk.store.commit(batch)
    },
  }
  const keys = createKeyStore('together', store, sealer, createKeyCache({ maxEntries: 10 }))
  const along = keys.alongside([['along', value('sent')]])
  const devices = ['1.0', '1.1', '2.0']
  await Promise.all(devices.map((id) => keys.commitTogether([['session', id, value(id)]])))
  await along()
  assert.deepEqual(commits, [4])
  for (const id of devices) assert.equal(text((await keys.get('session', id))!), id)
  await keys.commitTogether([['session', '1.0', value('next')]])
  assert.deepEqual(commits, [4, 1])
  isFull = true
  const failing = devices.map((id) => keys.commitTogether([['session', id, value('lost')]]))
  for (const each of failing) await assert.rejects(each, /full/)
  assert.equal(text((await keys.get('session', '1.0'))!), 'next')
})

test('what is being written is for those behind it; others wait for it, and write behind it', async () => {
  const keys = createKeyStore('followed', disk.store, sealer, createKeyCache({ maxEntries: 10 }))
  await keys.commit([['session', '1.0', value('first')]])
  const { passed, open } = gate<void>()
  keys.follow([['session', '1.0', value('second')]], passed)
  assert.equal(text((await keys.ahead.get('session', '1.0'))!), 'second')
  const done = new Set<string>()
  const others = [
    keys.get('session', '1.0').then((found) => done.add(text(found!))),
    keys.commit([['session', '1.0', value('third')]]).then(() => done.add('committed')),
  ]
  await keys.get('session', '2.0')
  assert.equal(done.size, 0)
  open()
  await Promise.all(others)
  assert.ok(done.has('committed') && !done.has('first'))
  assert.equal(text((await keys.ahead.get('session', '1.0'))!), 'third')
})

test('of what could not be written nothing is known', async () => {
  const keys = createKeyStore('unwritten', disk.store, sealer, createKeyCache({ maxEntries: 10 }))
  await keys.commit([['session', '1.0', value('first')]])
  const written = Promise.reject(new Error('full'))
  keys.follow(
    [
      ['session', '1.0', value('second')],
      ['pre-key', '7', null],
    ],
    written,
  )
  await assert.rejects(written)
  assert.equal(text((await keys.ahead.get('session', '1.0'))!), 'first')
  assert.equal(text((await keys.get('session', '1.0'))!), 'first')
})
