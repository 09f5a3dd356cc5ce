/** Messages that cannot be read, over a real store and with a clock of our own: what is left of them after a kill. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { DomainEvent } from '../../../src/domain/events.ts'
import { createLog } from '../../../src/log.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/keys.ts'
import { createWaiting, type WaitingMessage } from '../../../workers/shard/waiting.ts'
import { INSTANCE, sealer, tempStore } from '../storage/fixtures.ts'
import { ANA } from './context.ts'

const key = { id: '3EB0A', remoteJid: ANA, fromMe: false }
const node = (content: BinaryNode[] = []): BinaryNode => ({ tag: 'message', attrs: { t: '1767225600', notify: 'Ana' }, content })
const placeholder = node([{ tag: 'unavailable', attrs: { type: 'view_once' } }])

/** One life of the instance over this store. */
async function live(store: StateStore, time: { now: number }) {
  const told: WaitingMessage[] = []
  const outbox = {
    append: (_: DomainEvent) => ({ eventId: `${told.length}`, ops: [] }),
    committed: () => {},
  }
  const waiting = createWaiting({
    instance: INSTANCE,
    store,
    sealer,
    clock: { now: () => time.now },
    log: createLog('silent', 'test'),
    outbox,
    async event(message) {
      told.push(message)
      return { type: 'received', at: 0, body: {} }
    },
  })
  await waiting.load()
  return { waiting, told }
}

const rows = async (store: StateStore) => {
  let count = 0
  for await (const _ of store.range(keys.waitings(INSTANCE))) count++
  return count
}

/** Timers of ours go by the mocked clock; storage goes by the real one. */
async function pass(ms: number, until: () => boolean) {
  mock.timers.tick(ms)
  for (let turn = 0; turn < 5_000 && !until(); turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function written(store: StateStore, count: number) {
  for (let turn = 0; turn < 5_000 && (await rows(store)) !== count; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await rows(store), count)
}

test('a kill before the retry leaves the record, and the next life tells it, once', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const store = await tempStore(t)
  const time = { now: 1_767_225_600_000 }
  const first = await live(store, time)
  first.waiting.add(key, node())
  await written(store, 1)
  assert.equal(first.told.length, 0)

  const second = await live(store, time)
  await pass(10_000, () => second.told.length > 0)
  assert.equal(second.told.length, 1)
  assert.equal(second.told[0]!.viewOnce, false)
  await second.waiting.stop()
  // The retry fails again: nothing new is told, in this life and the next.
  const third = await live(store, time)
  third.waiting.add(key, node())
  await pass(20_000, () => false)
  assert.equal(third.told.length, 0)
  time.now += 25 * 60 * 60 * 1_000
  await live(store, time)
  assert.equal(await rows(store), 0)
})

test('a message that comes in time is not told', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const store = await tempStore(t)
  const { waiting, told } = await live(store, { now: 1_767_225_600_000 })
  waiting.add(key, node())
  await written(store, 1)
  const { ops, applied } = waiting.arrived(key)
  await store.commit({ ops })
  applied()
  await pass(60_000, () => false)
  assert.equal(told.length, 0)
  assert.equal(await rows(store), 0)
})

test('a view-once placeholder is told at once: nobody sends it again', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const store = await tempStore(t)
  const { waiting, told } = await live(store, { now: 1_767_225_600_000 })
  waiting.add(key, placeholder)
  await pass(1, () => told.length > 0)
  assert.equal(told[0]?.viewOnce, true)
})
