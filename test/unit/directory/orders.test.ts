/**
 * Tests orders. A command is a separate process, and stores an order for the running service. The service must carry
 * out the order only while the command waits for it.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { answerTo, confirmOrder, createOrders, newOrder, orderOps } from '../../../src/directory/orders.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { INSTANCE, recordingLog, START, tempStore } from '../storage/fixtures.ts'

async function service(t: TestContext, pause: () => Promise<unknown> = async () => {}, isOurs = () => true) {
  const store = await tempStore(t)
  const done: string[] = []
  const log = recordingLog()
  const engine = {
    async call(_: string, { operation }: { operation: string }) {
      done.push(operation)
    },
    async stop() {},
  } as unknown as Engine
  const host = async () => {}
  const { carryOut } = createOrders({
    store,
    engine,
    startedAt: START,
    steps: () => {},
    log,
    host,
    paused: new Map(),
    isOurs,
    pause,
  })
  const warned = () => log.lines.some(({ level }) => level === 'warn')
  return { store, done, warned, carryOut }
}

const anOrder = (at = START) => newOrder('resume', at)

test('an order is carried out and answered when its command says that it waits', async (t) => {
  const order = anOrder()
  const { store, done, warned, carryOut } = await service(t, async () => {
    assert.deepEqual(await answerTo(store, INSTANCE), { asks: order.id })
    assert.deepEqual(done, [], 'nothing is done before the command has confirmed its order')
    await confirmOrder(store, INSTANCE, order)
  })
  await store.commit({ ops: orderOps(INSTANCE, order) })
  await carryOut()
  assert.deepEqual(done, ['instance.callOffMove'])
  assert.deepEqual(await answerTo(store, INSTANCE), { problem: null })
  assert.equal(await store.get(keys.order(INSTANCE)), undefined, 'it does not wait any more')
  assert.equal(warned(), false)
})

test('the order of a killed command is dropped, whoever asks the service to look', async (t) => {
  const { store, done, warned, carryOut } = await service(t)
  await store.commit({ ops: orderOps(INSTANCE, anOrder()) })
  await carryOut()
  assert.deepEqual(done, [])
  assert.equal(await store.get(keys.order(INSTANCE)), undefined)
  assert.equal(warned(), true)
  const { problem } = (await answerTo(store, INSTANCE)) as { problem: string }
  assert.match(problem, /^The command did not confirm its request in time/, 'a command that was only slow learns why')
})

test('an order that another command writes meanwhile is not lost, and is not confirmed by the first one', async (t) => {
  const [first, second] = [anOrder(), anOrder()]
  const { store, done, carryOut } = await service(t, async () => {
    await store.commit({ ops: orderOps(INSTANCE, second) })
    await confirmOrder(store, INSTANCE, first)
  })
  await store.commit({ ops: orderOps(INSTANCE, first) })
  await carryOut()
  assert.deepEqual(done, [])
  assert.ok(await store.get(keys.order(INSTANCE)), 'it waits for the visit of its own command')
})

test('an order that was written before this service started is dropped at once', async (t) => {
  const { store, done, warned, carryOut } = await service(t, async () => assert.fail('nobody is asked'))
  await store.commit({ ops: orderOps(INSTANCE, anOrder(START - 1)) })
  await carryOut()
  assert.deepEqual(done, [])
  assert.equal(await store.get(keys.order(INSTANCE)), undefined)
  assert.equal(await answerTo(store, INSTANCE), undefined)
  assert.equal(warned(), true)
})

test('an order for an instance that another service has is left to that service, also by one that started later', async (t) => {
  const { store, done, carryOut } = await service(
    t,
    async () => assert.fail('nobody is asked'),
    () => false,
  )
  await store.commit({ ops: orderOps(INSTANCE, anOrder(START - 1)) })
  assert.equal(await carryOut(), true)
  assert.deepEqual(done, [])
  assert.ok(await store.get(keys.order(INSTANCE)))
  assert.equal(await answerTo(store, INSTANCE), undefined)
})

test('an instance that goes to another service while its command confirms the order is left to that service', async (t) => {
  let isOurs = true
  const order = anOrder()
  const { store, done, carryOut } = await service(
    t,
    async () => {
      await confirmOrder(store, INSTANCE, order)
      isOurs = false
    },
    () => isOurs,
  )
  await store.commit({ ops: orderOps(INSTANCE, order) })
  assert.equal(await carryOut(), true)
  assert.deepEqual(done, [])
  assert.ok(await store.get(keys.order(INSTANCE)))
})
