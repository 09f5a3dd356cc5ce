import assert from 'node:assert/strict'
import { mock, type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { WebhookEvent } from '../../../../src/features/webhook-payloads.ts'
import { createLog } from '../../../../src/log.ts'
import type { StateStore } from '../../../../src/storage/contract.ts'
import { keys } from '../../../../src/storage/record-keys.ts'
import type { WaitingMessage } from '../../../../workers/shard/receive/waiting/waiting-message.ts'
import { createWaitingMessages } from '../../../../workers/shard/receive/waiting/waiting-messages.ts'
import { textEvent } from '../../../harness/received-event.ts'
import { INSTANCE, sealer, tempStore, until } from '../../storage/fixtures.ts'
import { ANA } from '../../translate/inbound/context.ts'

const key = { id: '3EB0A', remoteJid: ANA, fromMe: false }
const node = (content: BinaryNode[] = []): BinaryNode => ({ tag: 'message', attrs: { t: '1767225600', notify: 'Ana' }, content })
const placeholder = node([{ tag: 'unavailable', attrs: { type: 'view_once' } }])

async function live(store: StateStore, time: { now: number }, maxRecords?: number) {
  const translated: WaitingMessage[] = []
  const appended: WebhookEvent[] = []
  const unreported: string[] = []
  const outbox = {
    append: (event: WebhookEvent) => ({ eventId: `${appended.push(event)}`, ops: [] }),
    committed: () => {},
  }
  const waiting = createWaitingMessages({
    instance: INSTANCE,
    store,
    sealer,
    clock: { now: () => time.now },
    log: createLog({ level: 'silent' }, 'test'),
    outbox,
    unreported: (reason) => void unreported.push(reason),
    async event(message) {
      translated.push(message)
      return textEvent('told', 0)
    },
    ...(maxRecords === undefined ? {} : { maxRecords }),
  })
  await waiting.load()
  return { waiting, translated, appended, unreported }
}

/** Opens the waiting messages on a new store. The timers of the process are simulated until the end of the test. */
async function begun(t: TestContext, maxRecords?: number) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const store = await tempStore(t)
  const time = { now: 1_767_225_600_000 }
  return { store, time, ...(await live(store, time, maxRecords)) }
}

const rows = async (store: StateStore) => {
  let count = 0
  for await (const _ of store.range(keys.waitings(INSTANCE))) count++
  return count
}

/**
 * Advances the simulated timers of the service, and waits until the condition is true. The store uses the real clock.
 */
async function pass(ms: number, condition: () => boolean, what: string) {
  mock.timers.tick(ms)
  await until(condition, what)
}

/**
 * Advances the clock by a time in which nothing must happen. Then it waits for enough turns of the event loop to notice
 * a fault.
 */
async function passInVain(ms: number) {
  mock.timers.tick(ms)
  for (let turn = 0; turn < 5_000; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const written = (store: StateStore, count: number) => until(async () => (await rows(store)) === count, `${count} records`)

test('a kill before the retry leaves the record, and the next life tells it, once', async (t) => {
  const { store, time, ...first } = await begun(t)
  void first.waiting.add(key, node())
  await written(store, 1)
  assert.equal(first.translated.length, 0)

  const second = await live(store, time)
  await pass(10_000, () => second.translated.length > 0, 'the events')
  assert.equal(second.translated.length, 1)
  assert.equal(second.translated[0]!.viewOnce, false)
  await second.waiting.stop()
  // The retry fails again, but nothing new is reported.
  const third = await live(store, time)
  void third.waiting.add(key, node())
  await passInVain(20_000)
  assert.equal(third.translated.length, 0)
  time.now += 25 * 60 * 60 * 1_000
  await live(store, time)
  assert.equal(await rows(store), 0)
})

test('a message that comes in time is not told', async (t) => {
  const { store, waiting, translated } = await begun(t)
  void waiting.add(key, node())
  await written(store, 1)
  const { ops, applied } = waiting.arrived(key)
  await store.commit({ ops })
  applied()
  await passInVain(60_000)
  assert.equal(translated.length, 0)
  assert.equal(await rows(store), 0)
})

// An earlier bug: the waiting time of a message ended while its content was being written, so the last event said that
// the message still waits.
test('a message whose content is on its way to the disk is not told; one that could not be written is', async (t) => {
  const { store, waiting, appended } = await begun(t)
  void waiting.add(key, node())
  await written(store, 1)
  waiting.arrived(key)
  await passInVain(10_000)
  assert.equal(appended.length, 0)
  await pass(10_000, () => appended.length === 1, 'the event of the one that was not written')

  void waiting.add(named('3EB0B'), node())
  await written(store, 2)
  const { ops, applied } = waiting.arrived(named('3EB0B'))
  await passInVain(10_000)
  await store.commit({ ops })
  applied()
  await passInVain(60_000)
  assert.equal(appended.length, 1)
  assert.equal(await rows(store), 1)
})

// An earlier bug: a message that nobody can decrypt was reported late, and a hidden addition to a message was reported
// as a message that waits forever.
test('what nobody can open is told at once under its kind; a hidden addition is not told', async (t) => {
  const { store, waiting, translated, appended, unreported } = await begun(t)
  void waiting.add(key, node(), { protoType: 'msmsg', isFinal: true })
  await written(store, 1)
  await pass(0, () => appended.length === 1, 'the event')
  assert.deepEqual([translated[0]!.protoType, unreported], ['msmsg', []])
  const hidden: BinaryNode = { tag: 'enc', attrs: { type: 'msg', 'decrypt-fail': 'hide' } }
  void waiting.add(named('3EB0B'), node([hidden]))
  await written(store, 2)
  await pass(10_000, () => unreported.length === 1, 'its reason')
  assert.deepEqual([translated.length, appended.length, unreported], [1, 1, ['hidden']])
})

test('a view-once placeholder is told at once: nobody sends it again', async (t) => {
  const { waiting, translated } = await begun(t)
  void waiting.add(key, placeholder)
  await pass(1, () => translated.length > 0, 'the events')
  assert.equal(translated[0]?.viewOnce, true)
})

const named = (id: string) => ({ ...key, id })
const ids = (translated: readonly WaitingMessage[]) => translated.map(({ key: { id } }) => id)

// An earlier bug: the oldest record was dropped even if its message was not reported yet, so the event of this message
// was lost.
test('a message is told before its record gives way, and those that are told give way first', async (t) => {
  const { store, waiting, translated } = await begun(t, 2)
  void waiting.add(named('A'), node())
  void waiting.add(named('B'), placeholder)
  await pass(1, () => translated.length > 0, 'the events')
  assert.deepEqual(ids(translated), ['B'])
  await written(store, 2)
  void waiting.add(named('C'), node())
  await until(() => !waiting.known(named('B')), 'the end of the one that is told')
  assert.deepEqual(ids(translated), ['B'])
  for (const id of ['D', 'E']) void waiting.add(named(id), node())
  await until(() => translated.length === 3, 'the events')
  assert.deepEqual(ids(translated), ['B', 'A', 'C'])
  await until(() => !waiting.known(named('C')), 'the end of the oldest')
  await written(store, 2)
  assert.deepEqual(
    ['A', 'B', 'C', 'D', 'E'].filter((id) => waiting.known(named(id))),
    ['D', 'E'],
  )
  await pass(10_000, () => translated.length === 4, 'the events')
  await pass(25, () => translated.length === 5, 'the last event')
  assert.deepEqual(ids(translated), ['B', 'A', 'C', 'D', 'E'])
  await waiting.stop()
})

test('a record that could not be told does not give way: it is told when storage works again', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const store = await tempStore(t)
  let isBroken = false
  const moody: StateStore = {
    ...store,
    commit: (batch) => (isBroken ? Promise.reject(new Error('the disk is full')) : store.commit(batch)),
  }
  const { waiting, translated } = await live(moody, { now: 1_767_225_600_000 }, 1)
  await waiting.add(named('A'), node())
  const added = waiting.add(named('B'), node())
  // The record of A is evicted by the record of B. So A must be reported first, and this report fails.
  await added
  isBroken = true
  await pass(0, () => translated.length === 1, 'the events')
  assert.ok(waiting.known(named('A')))
  isBroken = false
  // B is reported before A, because the failed report of A is tried again only after 10 s.
  await pass(10_000, () => translated.length === 2, 'the events')
  await pass(25, () => translated.length === 3, 'the last event')
  assert.deepEqual(ids(translated).sort(), ['A', 'A', 'B'])
  await waiting.stop()
})

test('a record that cannot be written is a failure: nothing is known of it, and the message has to come again', async (t) => {
  const store = await tempStore(t)
  let isBroken = true
  const moody: StateStore = {
    ...store,
    commit: (batch) => (isBroken ? Promise.reject(new Error('the disk is full')) : store.commit(batch)),
  }
  const { waiting } = await live(moody, { now: 1_767_225_600_000 })
  await assert.rejects(waiting.add(key, node()), /the disk is full/)
  assert.equal(waiting.has(key), false)
  isBroken = false
  await waiting.add(key, node())
  assert.deepEqual([waiting.has(key), await rows(store)], [true, 1])
  await waiting.stop()
})

test('a record goes a day after it was told, while the service runs, and not before it is told', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  t.after(() => mock.timers.reset())
  const store = await tempStore(t)
  const time = { now: 1_767_225_600_000 }
  const { waiting, translated } = await live(store, time)
  void waiting.add(named('A'), placeholder)
  await pass(1, () => translated.length > 0, 'the events')
  await written(store, 1)
  await waiting.stop()
  const second = await live(store, time)
  void second.waiting.add(named('B'), node())
  await written(store, 2)
  time.now += 25 * 60 * 60 * 1_000
  // No timer fires between the start and this stop, so B is not reported in this run.
  await second.waiting.stop()
  const third = await live(store, time)
  await written(store, 1)
  await pass(10_000, () => third.translated.length > 0, 'the events')
  assert.deepEqual(ids(third.translated), ['B'])
  await pass(60 * 60 * 1_000, () => !third.waiting.known(named('B')), 'the end of the record')
  await written(store, 0)
  await third.waiting.stop()
})

// An earlier bug: the records of a device that was removed were kept for a day, or until the next start.
test('with the device its records go, and what was not told is told', async (t) => {
  const { store, waiting, translated } = await begun(t)
  void waiting.add(named('A'), placeholder)
  await pass(1, () => translated.length > 0, 'the events')
  void waiting.add(named('B'), node())
  await waiting.forget()
  assert.deepEqual(ids(translated), ['A', 'B'])
  assert.equal(await rows(store), 0)
  for (const id of ['A', 'B']) assert.equal(waiting.known(named(id)), undefined)
  await passInVain(60_000)
  assert.equal(translated.length, 2)
  await waiting.stop()
})

// An earlier bug: two thousand messages of one sender were reported at the same time, which delayed the events of
// everybody else.
test('a burst is told one after the other, with room for others between', async (t) => {
  const { waiting, translated } = await begun(t)
  for (let index = 0; index < 30; index++) await waiting.add({ ...key, id: `3EB0${index}` }, node())
  await pass(10_000, () => translated.length === 1, 'the first')
  await passInVain(24)
  assert.equal(translated.length, 1)
  await pass(1, () => translated.length === 2, 'the second')
  await waiting.add({ ...key, id: 'later' }, node([]))
  for (let count = 3; count <= 30; count++) await pass(25, () => translated.length === count, `number ${count}`)
  await waiting.stop()
  const inOrder = Array.from({ length: 30 }, (_, index) => `3EB0${index}`)
  assert.deepEqual(ids(translated), inOrder)
})
