import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DAY } from '../../../src/domain/clock.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createSealer, type Sealer } from '../../../src/storage/sealer.ts'
import { createIdempotency, fingerprintOf } from '../../../workers/shard/queue/idempotency.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until } from '../storage/fixtures.ts'

test('a request is the same whatever the order of its fields, and another when anything differs', () => {
  const print = (input: unknown) => fingerprintOf('send.sendText', input)
  assert.equal(print({ a: 1, b: { c: [1, 2], d: 'x' } }), print({ b: { d: 'x', c: [1, 2] }, a: 1 }))
  const all = [
    { a: 1 },
    { a: '1' },
    { a: [1] },
    { a: [[1]] },
    { a: null },
    { b: 1 },
    { a: Uint8Array.of(1) },
    { a: Uint8Array.of(2) },
  ]
  assert.equal(new Set(all.map(print)).size, all.length)
  assert.notEqual(print({ a: 1 }), fingerprintOf('send.sendLink', { a: 1 }))
  assert.equal(print({ a: 1, b: undefined }), print({ a: 1 }))
})

// An unkeyed hash of a short text, or of a number with an id, can be reversed by trying all values. So the name of the
// record is a hash with the key of the instance.
test('the name of the record of a key is keyed: of another instance it is another', async (t) => {
  const namesUnder = async (of: Sealer) => {
    const store = await tempStore(t)
    const idempotency = createIdempotency({
      instanceId: INSTANCE,
      store,
      sealer: of,
      clock: { now: () => START },
      log: recordingLog(),
    })
    await idempotency.once('order 1', 'print', async (opsOf) => {
      const made = { svcId: '01JD3V8Q6ZP4M5T7X9K2B0C1DE', messageId: '3EB0EE97803A91FF2C0ED1' }
      await store.commit({ ops: opsOf(made) })
      return made
    })
    const names: string[] = []
    for await (const [name] of store.range('')) names.push(name)
    return names
  }
  const names = await namesUnder(sealer)
  assert.equal(names.length, 1)
  assert.deepEqual(await namesUnder(sealer), names)
  assert.notDeepEqual(await namesUnder(createSealer(Buffer.alloc(32, 9))), names)
})

function bench(store: StateStore, time: { now: number }) {
  const log = recordingLog()
  const idempotency = createIdempotency({ instanceId: INSTANCE, store, sealer, clock: { now: () => time.now }, log })
  const queued: string[] = []
  const send = (key: string) =>
    idempotency.once(key, 'print', async (opsOf) => {
      const made = { svcId: `svc ${queued.push(key)}`, messageId: '3EB0EE97803A91FF2C0ED1' }
      await store.commit({ ops: opsOf(made) })
      return made
    })
  return { idempotency, log, queued, send }
}

// An earlier bug: twenty thousand old idempotency keys were removed in a single commit, which made the file of the
// store a gigabyte larger.
test('what is too old is removed, also beside what cannot be read, and the store does not grow by it', async (t) => {
  const store = await tempStore(t)
  const time = { now: START }
  const { idempotency, log, send } = bench(store, time)
  // Only a few requests run at a time, so that all of them fit in the running commits.
  for (let from = 0; from < 1_500; from += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => send(`order ${from + i}`)))
  await store.commit({ ops: [[keys.idempotency(INSTANCE, 'A'), Buffer.from('damaged')]] })
  const size = () => statSync(join(store.dir, 'data.mdb')).size
  const before = size()
  time.now += DAY
  idempotency.start()
  await until(async () => (await store.count(keys.idempotencies(INSTANCE))) === 1, 'all but one removed')
  await idempotency.stop()
  assert.ok(size() < before + 16 * 2 ** 20, `${size() - before} bytes more`)
  assert.deepEqual(
    log.lines.map(({ message }) => message),
    ['a stored answer to a request with an Idempotency-Key could not be decoded; it was skipped'],
  )
})

// An earlier bug: the new acknowledgement was removed together with the old one, so a repeated request was queued a
// second time.
test('a key that is used again while old ones are removed is remembered', async (t) => {
  const disk = await tempStore(t)
  const time = { now: START }
  let go = () => {}
  const read = new Promise<void>((resolve) => {
    go = resolve
  })
  let isRead = false
  const store: StateStore = {
    ...disk,
    async *range(prefix, options) {
      yield* disk.range(prefix, options)
      isRead = true
      await read
    },
  }
  const { idempotency, queued, send } = bench(store, time)
  await Promise.all([send('daily report'), send('once')])
  time.now += DAY
  idempotency.start()
  await until(() => isRead, 'the old ones were read')
  const again = await send('daily report')
  go()
  await until(async () => (await disk.count(keys.idempotencies(INSTANCE))) === 1, 'the other one removed')
  assert.deepEqual(await send('daily report'), again)
  assert.deepEqual(queued, ['daily report', 'once', 'daily report'])
  await idempotency.stop()
})
