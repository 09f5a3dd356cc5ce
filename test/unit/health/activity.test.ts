import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { iso } from '../../../src/domain/clock.ts'
import type { InstanceReading } from '../../../src/domain/readings.ts'
import { watchActivity } from '../../../src/health/activity.ts'
import { deferred } from '../../../src/lib/deferred.ts'
import type { Batch, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { recordingLog, START, tempStore, until } from '../storage/fixtures.ts'

const HOUR = 3_600_000
const A = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11'
const B = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c12'

/** Number of instances, higher than the number of records in a commit. */
const MANY = 100
/** Largest number of records in a commit. */
const MOST_OPS = 16

const idOf = (index: number) => `7f8f1a52-9c0f-4a43-9a5e-${String(index).padStart(12, '0')}`

async function service(store: Pick<StateStore, 'range' | 'commit'>, from = START) {
  const time = { now: from }
  /** Instances that belong to another service. */
  const elsewhere = new Set<string>()
  const log = recordingLog()
  const all = new Map<string, InstanceReading>()
  const deleted: ((instance: string) => void)[] = []
  const looks: (() => void)[] = []
  const activity = await watchActivity({
    readings: { own: () => [...all.values()], lookHere: async () => looks.shift()?.() },
    directory: { onDeleted: (listener) => void deleted.push(listener), tokenTagOf: (id) => (all.has(id) ? 'tag' : undefined) },
    store,
    keyOf: (instance) => createHash('sha512').update(instance).digest(),
    isHere: (instance) => !elsewhere.has(instance),
    clock: { now: () => time.now },
    log,
  })
  return {
    time,
    log,
    activity,
    elsewhere,
    atNextLook: (run: () => void) => void looks.push(run),
    report(instance: string, [sent, received, delivered, failed]: readonly [number, number, number, number], since = 0) {
      all.set(instance, {
        instance,
        waiting: 0,
        backlog: 0,
        lastInboundAt: null,
        attempts: { delivered, retry: failed, failed: 0, discarded: 0 },
        refusedSince: null,
        work: { since, cpuMs: 0, sent, received, reconnects: 0, lastSentAt: null, lastReceivedAt: null, heldBytes: 0 },
      })
    },
    remove(instance: string) {
      all.delete(instance)
      for (const listener of deleted) listener(instance)
    },
  }
}

const hour = (at: number, [sent, received, delivered, failed]: readonly number[]) => ({
  at: iso(at),
  sent,
  received,
  delivered,
  failed,
})

test('what happened is counted once, in its hour, also after the thread of an instance began again', async (t) => {
  const { activity, report, time } = await service(await tempStore(t))
  report(A, [3, 2, 1, 0])
  report(B, [1, 0, 0, 4])
  assert.deepEqual(await activity.of([A, B]), [hour(START, [4, 2, 1, 4])])
  assert.deepEqual(await activity.of([A]), [hour(START, [3, 2, 1, 0])])
  time.now += HOUR
  report(A, [5, 2, 1, 0])
  report(B, [0, 0, 0, 2], 1)
  assert.deepEqual(await activity.of([A, B]), [hour(START, [4, 2, 1, 4]), hour(START + HOUR, [2, 0, 0, 2])])
  await activity.stop()
})

test('the hours are kept over a restart, seven days of them, in a record for a day', async (t) => {
  const store = await tempStore(t)
  const first = await service(store)
  for (let count = 1; count <= 10 * 24; count++) {
    first.report(A, [count, 0, 0, 0])
    await first.activity.of([A])
    first.time.now += HOUR
  }
  const before = await first.activity.of([A])
  assert.equal(before.length, 7 * 24 - 1)
  await first.activity.stop()
  assert.equal(await store.count(keys.activity(A)), 8)
  const next = await service(store, first.time.now)
  next.report(A, [0, 0, 0, 0])
  assert.deepEqual(await next.activity.of([A]), before)
  assert.deepEqual([...first.log.lines, ...next.log.lines], [])
  await next.activity.stop()
})

test('nothing of a deleted instance is stored any more', async (t) => {
  const store = await tempStore(t)
  const { activity, report, remove } = await service(store)
  report(A, [1, 1, 1, 1])
  await activity.of([A])
  remove(A)
  await activity.stop()
  assert.equal(await store.count(keys.activity(A)), 0)
  assert.deepEqual(await activity.of([B]), [])
})

test('a new thread that already did more than the one before it is counted from zero', async (t) => {
  const { activity, report } = await service(await tempStore(t))
  report(A, [40, 7, 0, 0], 1)
  await activity.of([A])
  report(A, [45, 3, 0, 0], 2)
  assert.deepEqual(await activity.of([A]), [hour(START, [85, 10, 0, 0])])
  await activity.stop()
})

test('a look that waits for the store does not count an old reading after a newer one', async (t) => {
  const store = await tempStore(t)
  const isOpen = deferred<void>()
  let isRead = false
  const slow: typeof store.range = async function* (prefix, options) {
    if (prefix === keys.activity(B)) await isOpen.promise
    yield* store.range(prefix, options)
    isRead ||= prefix === keys.activity(A)
  }
  const { activity, report, remove } = await service({ ...store, range: slow })
  report(B, [1, 0, 0, 0])
  report(A, [10, 0, 0, 0])
  const first = activity.of([A])
  await nextTurn()
  remove(B)
  report(A, [12, 0, 0, 0])
  const second = activity.of([A])
  await until(() => isRead, 'a read of the instance')
  isOpen.resolve()
  await Promise.all([first, second])
  assert.deepEqual(await activity.of([A]), [hour(START, [12, 0, 0, 0])])
  await activity.stop()
})

test('many instances are stored in short commits, and only the days that changed', async (t) => {
  const store = await tempStore(t)
  const commits: Batch[] = []
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { activity, report, time } = await service({
    ...store,
    commit: (commit) => {
      commits.push(commit)
      return store.commit(commit)
    },
  })
  const stored = () => commits.flatMap(({ ops }) => ops.map(([key]) => key))
  const ids = Array.from({ length: MANY }, (_, index) => idOf(index))
  for (const id of ids) report(id, [1, 0, 0, 0])
  time.now += 5 * 60_000
  t.mock.timers.tick(10_000)
  await until(() => stored().length === MANY, 'a record of each instance')
  time.now += 24 * HOUR
  for (const id of ids) report(id, [2, 0, 0, 0])
  await activity.stop()
  assert.equal(Math.max(...commits.map(({ ops }) => ops.length)), MOST_OPS)
  assert.equal(stored().length, 2 * MANY)
  assert.equal(new Set(stored()).size, 2 * MANY)
})

test('what happened since the last look is read at the stop, and stored', async (t) => {
  const store = await tempStore(t)
  const first = await service(store)
  first.report(A, [1, 0, 0, 0])
  await first.activity.of([A])
  first.atNextLook(() => first.report(A, [4, 0, 0, 0]))
  await first.activity.stop()
  const next = await service(store)
  next.report(A, [0, 0, 0, 0], 1)
  assert.deepEqual(await next.activity.of([A]), [hour(START, [4, 0, 0, 0])])
  await next.activity.stop()
})

test('a store that was away when an instance was seen first delays its numbers, and those of no other instance', async (t) => {
  const store = await tempStore(t)
  let isAway = true
  const { activity, report, log } = await service({
    ...store,
    range(prefix, options) {
      if (isAway && prefix === keys.activity(A)) throw new Error('away')
      return store.range(prefix, options)
    },
  })
  report(A, [1, 0, 0, 0])
  report(B, [2, 0, 0, 0])
  assert.deepEqual(await activity.of([B]), [hour(START, [2, 0, 0, 0])])
  await assert.rejects(activity.of([A]), /away/)
  assert.equal(log.lines[0]!.level, 'warn')
  isAway = false
  assert.deepEqual(await activity.of([A, B]), [hour(START, [3, 0, 0, 0])])
  await activity.stop()
  assert.deepEqual([await store.count(keys.activity(A)), await store.count(keys.activity(B))], [1, 1])
})

test('a stored record shows nothing without the key of its instance, and one that cannot be read is left out', async (t) => {
  const store = await tempStore(t)
  const first = await service(store)
  first.report(A, [1, 0, 0, 0])
  await first.activity.stop()
  for await (const [key, bytes] of store.range(keys.activity(A))) {
    assert.ok(!Buffer.from(bytes).includes('hours'))
    await store.commit({ ops: [[key.replace(A, B), bytes]] })
  }
  const next = await service(store)
  next.report(A, [0, 0, 0, 0])
  next.report(B, [0, 0, 0, 0])
  assert.deepEqual(await next.activity.of([A, B]), [hour(START, [1, 0, 0, 0])])
  assert.equal(next.log.lines.length, 1)
  await next.activity.stop()
})

test('only the service that has an instance counts and stores its numbers; another one shows what is stored', async (t) => {
  const store = await tempStore(t)
  const [first, second] = [await service(store), await service(store)]
  second.elsewhere.add(A)
  for (const each of [first, second]) each.report(A, [3, 0, 0, 0])
  await first.activity.of([A])
  await first.activity.stop()
  assert.deepEqual(await second.activity.of([A]), [hour(START, [3, 0, 0, 0])])
  const before = await store.get(keys.activityDay(A, Math.floor(START / (24 * HOUR)) % 8))

  // The instance moves to the second service and back. Each service then begins to count at zero.
  const [third, fourth] = [await service(store), second]
  third.elsewhere.add(A)
  fourth.elsewhere.delete(A)
  fourth.report(A, [2, 0, 0, 0], 1)
  assert.deepEqual(await fourth.activity.of([A]), [hour(START, [5, 0, 0, 0])])
  await fourth.activity.stop()
  assert.notDeepEqual(await store.get(keys.activityDay(A, Math.floor(START / (24 * HOUR)) % 8)), before)
  third.report(A, [0, 0, 0, 0])
  third.time.now += 2 * 60_000
  assert.deepEqual(await third.activity.of([A]), [hour(START, [5, 0, 0, 0])])
  third.elsewhere.delete(A)
  third.report(A, [4, 0, 0, 0], 2)
  assert.deepEqual(await third.activity.of([A]), [hour(START, [9, 0, 0, 0])])
  third.elsewhere.add(A)
  third.time.now += 2 * 60_000
  assert.deepEqual(await third.activity.of([A]), [hour(START, [5, 0, 0, 0])], 'what was not stored here is forgotten')
  await third.activity.stop()
})

test('the numbers of an instance that leaves are stored before, and only these', async (t) => {
  const store = await tempStore(t)
  const { activity, report, elsewhere, time } = await service(store)
  report(A, [3, 2, 1, 0])
  report(B, [1, 0, 0, 0])
  await activity.store(A)
  assert.deepEqual([await store.count(keys.activity(A)), await store.count(keys.activity(B))], [1, 0])
  elsewhere.add(A)
  const next = await service(store, time.now)
  next.report(A, [0, 0, 0, 0])
  assert.deepEqual(await next.activity.of([A]), [hour(START, [3, 2, 1, 0])])
  await Promise.all([activity.stop(), next.activity.stop()])
})

test('an instance can leave while its numbers cannot be stored', async (t) => {
  const store = await tempStore(t)
  let fails = true
  const { activity, report, log } = await service({
    ...store,
    commit: async (batch) => (fails ? Promise.reject(new Error('the disk is full')) : store.commit(batch)),
  })
  report(A, [3, 2, 1, 0])
  await activity.store(A)
  assert.equal(log.lines.length, 1)
  fails = false
  await activity.stop()
  assert.equal(await store.count(keys.activity(A)), 1)
})
