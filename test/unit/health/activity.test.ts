/**
 * Tests the hourly counts of each instance: every message counts one time, the counts are added up and limited in
 * number, survive a restart, and are deleted with their instance.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iso } from '../../../src/domain/clock.ts'
import type { InstanceReading } from '../../../src/domain/readings.ts'
import { watchActivity } from '../../../src/health/activity.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { recordingLog, START, tempStore } from '../storage/fixtures.ts'

const HOUR = 3_600_000
const A = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c11'
const B = '7f8f1a52-9c0f-4a43-9a5e-0a7b8f6f2c12'

async function service(store: StateStore, from = START) {
  const time = { now: from }
  const log = recordingLog()
  const all = new Map<string, InstanceReading>()
  const deleted: ((instance: string) => void)[] = []
  const activity = await watchActivity({
    readings: { all: () => [...all.values()], look: async () => {} },
    directory: { onDeleted: (listener) => void deleted.push(listener), tokenTagOf: (id) => (all.has(id) ? 'tag' : undefined) },
    store,
    clock: { now: () => time.now },
    log,
  })
  return {
    time,
    log,
    activity,
    /** Sets the counts that the shard of an instance reports. */
    report(instance: string, [sent, received, delivered, failed]: readonly [number, number, number, number]) {
      all.set(instance, {
        instance,
        waiting: 0,
        backlog: 0,
        lastInboundAt: null,
        attempts: { delivered, retry: failed, failed: 0, discarded: 0 },
        work: { since: 0, cpuMs: 0, sent, received, reconnects: 0, lastSentAt: null, lastReceivedAt: null, heldBytes: 0 },
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
  report(B, [0, 0, 0, 2])
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
