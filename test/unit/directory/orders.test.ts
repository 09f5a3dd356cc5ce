/**
 * Tests orders that commands leave in a real store: an order is carried out while its command waits for it, and never
 * afterwards.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerTo, createOrders, ORDER_MS, orderOps } from '../../../src/directory/orders.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { INSTANCE, recordingLog, START, tempStore } from '../storage/fixtures.ts'

for (const [when, writtenAt, now, isCarriedOut] of [
  ['just now', START + 5, START + 5, true],
  ['as long ago as a command waits', START, START + ORDER_MS, true],
  ['longer ago than any command waits', START, START + ORDER_MS + 1, false],
  ['before this service started', START - 1, START + 5, false],
] as const)
  test(`an order that was written ${when} is ${isCarriedOut ? 'carried out and answered' : 'dropped'}`, async (t) => {
    const store = await tempStore(t)
    const done: string[] = []
    const log = recordingLog()
    const engine = {
      async call(_: string, { operation }: { operation: string }) {
        done.push(operation)
      },
      async stop() {},
    } as unknown as Engine
    const carryOut = createOrders({
      store,
      engine,
      clock: { now: () => now },
      startedAt: START,
      steps: () => {},
      log,
      host: async () => {},
    })
    await store.commit({ ops: orderOps(INSTANCE, 'resume', writtenAt) })
    await carryOut()
    assert.deepEqual(done, isCarriedOut ? ['instance.callOffMove'] : [])
    assert.equal(await store.get(keys.order(INSTANCE)), undefined, 'it does not wait any more')
    assert.deepEqual(await answerTo(store, INSTANCE), isCarriedOut ? { problem: null } : undefined)
    assert.equal(
      log.lines.some(({ level }) => level === 'warn'),
      !isCarriedOut,
    )
  })
