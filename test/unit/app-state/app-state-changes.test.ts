import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { Mutex } from 'async-mutex'
import { Failure } from '../../../src/domain/failures.ts'
import { keys as records } from '../../../src/storage/record-keys.ts'
import { createAppStateChanges } from '../../../workers/shard/app-state/app-state-changes.ts'
import { type AppStateAction, pinChange } from '../../../workers/shard/wire/app-state-actions.ts'
import { newCollection } from '../../../workers/shard/wire/app-state-collection.ts'
import { INSTANCE, recordingLog, tempStore } from '../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const KEY = Buffer.of(0, 0, 0, 7).toString('base64')

async function bench(t: TestContext) {
  const store = await tempStore(t)
  let state = newCollection()
  const read: string[][] = []
  const told: AppStateAction[] = []
  let answer: () => Promise<BinaryNode> = async () => ok
  let marks: string[] = []
  const isMarked = async () => {
    const found: string[] = []
    for await (const [key] of store.range(records.openChanges(INSTANCE)))
      found.push(key.slice(records.openChanges(INSTANCE).length))
    return found
  }
  const creds = { myAppStateKeyId: KEY as string | undefined, me: { id: '5511999990001:1@s.whatsapp.net' } }
  const sock = {
    async query() {
      marks = await isMarked()
      return answer()
    },
  }
  const context = { id: INSTANCE, store, log: recordingLog(), steps() {} }
  const changes = createAppStateChanges(context, {
    sock: sock as never,
    changing: new Mutex(),
    creds: creds as never,
    keyOf: async (id) => (id === KEY ? Buffer.alloc(32, 5) : undefined),
    reader: {
      async read(names) {
        read.push([...names])
      },
      change: (_, work) => work(state),
      async take(_, next, actions) {
        state = next
        told.push(...actions)
      },
    },
    appState: { settled: async () => {} },
  })
  return {
    ...changes,
    creds,
    read,
    told,
    isMarked,
    marksAtQuery: () => marks,
    version: () => state.version,
    answers: (next: typeof answer) => (answer = next),
  }
}

const result = (collection: BinaryNode): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'sync', attrs: {}, content: [collection] }],
})
const ok = result({ tag: 'collection', attrs: { name: 'regular_low' } })
const refusal = (code: string) =>
  result({ tag: 'collection', attrs: { name: 'regular_low', type: 'error' }, content: [{ tag: 'error', attrs: { code } }] })
const pin = [pinChange(ANA, true, 1_800_000_000_000)]

test('that a change is under way is on disk before the network hears of it, and gone with its outcome', async (t) => {
  const b = await bench(t)
  await b.change(pin)
  assert.deepEqual(b.marksAtQuery(), ['regular_low'])
  assert.deepEqual(await b.isMarked(), [])
  assert.deepEqual([b.version(), b.told.length, b.read], [1, 1, [['regular_low']]])
  b.answers(async () => refusal('409'))
  await assert.rejects(b.change(pin), { data: 409 })
  assert.deepEqual([await b.isMarked(), b.version(), b.told.length], [[], 1, 1])
})

test('a change without an answer is not reported, and its collection is read', async (t) => {
  const b = await bench(t)
  b.answers(() => Promise.reject(new Failure('send_timeout')))
  await assert.rejects(b.change(pin), (error) => error instanceof Failure && error.code === 'send_timeout')
  assert.deepEqual([b.version(), b.told.length], [0, 0])
  while ((await b.isMarked()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(b.read, [['regular_low'], ['regular_low']])
})

test('one that a cut left open is read after the next login', async (t) => {
  const b = await bench(t)
  let isClosed = false
  b.answers(async () => {
    isClosed = true
    throw new Error('Connection Closed')
  })
  await assert.rejects(b.change(pin), /Closed/)
  assert.ok(isClosed)
  while ((await b.isMarked()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  await b.recover()
  assert.equal(b.read.length, 2, 'nothing is left to read')
})

test('without the key of the phone nothing can be changed yet, and nothing is asked', async (t) => {
  const b = await bench(t)
  b.creds.myAppStateKeyId = undefined
  await assert.rejects(b.change(pin), (error) => error instanceof Failure && error.code === 'instance_starting')
  b.creds.myAppStateKeyId = Buffer.of(9).toString('base64')
  await assert.rejects(b.change(pin), (error) => error instanceof Failure && error.code === 'instance_starting')
  assert.equal(b.version(), 0)
})

test('what is made of the newest version is made when that has been read, and may be refused', async (t) => {
  const b = await bench(t)
  let readBefore = 0
  await b.change({
    collection: 'regular_low',
    make() {
      readBefore = b.read.length
      return pin
    },
  })
  assert.equal(readBefore, 1)
  const none = new Failure('label_not_found')
  const refused = b.change({
    collection: 'regular_low',
    make() {
      throw none
    },
  })
  await assert.rejects(refused, none)
  assert.deepEqual([await b.isMarked(), b.version()], [[], 1])
})
