import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { DAY } from '../../../src/domain/clock.ts'
import type { Batch, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createRetention } from '../../../src/storage/retention.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { createAuthorship } from '../../../workers/shard/messages/authorship.ts'
import { createSecrets } from '../../../workers/shard/messages/secrets.ts'
import { createSent, type SentOptions } from '../../../workers/shard/messages/sent.ts'
import type { Stanza } from '../../../workers/shard/translate/outbound/stanza.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until } from '../storage/fixtures.ts'

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const log = recordingLog()
  const bench = {
    store,
    keys: createKeyStore(INSTANCE, store, sealer, createKeyCache({ maxEntries: 10 })),
    now: START,
    log,
    open({ store: its = store, ...more }: Partial<SentOptions & { store: StateStore }> = {}) {
      const retention = createRetention(log)
      const context = { id: INSTANCE, store: its, sealer, clock: { now: () => bench.now++ }, log, retention }
      // The retention of other records never runs in this test. So only old sent messages are removed.
      const others = { ...context, retention: createRetention(log) }
      const known = { secrets: createSecrets(others), authorship: createAuthorship(others) }
      const sent = createSent(context, { ...known, keys: bench.keys, ...more })
      const stop = async () => void (await Promise.all([sent.stop(), retention.stop()]))
      t.after(stop)
      return {
        ...sent,
        stop,
        start(inFlight: () => string | undefined) {
          sent.keepsUndecided(inFlight)
          retention.start()
        },
      }
    },
    async left() {
      const found: string[] = []
      for await (const [key] of store.range(keys.sents(INSTANCE))) found.push(key.slice(keys.sents(INSTANCE).length))
      return found
    },
  }
  return bench
}

const nothing = () => undefined
const text = (conversation: string) => ({ conversation })
const STANZA: Stanza = { to: '1@lid', attributes: { type: 'text' }, enc: {}, nodes: [] }

// An earlier bug: all messages of a day were kept, without a limit of their number.
test('the newest stay, by number', async (t) => {
  const b = await bench(t)
  const sent = b.open({ maxMessages: 10 })
  sent.start(nothing)
  for (let n = 10; n < 40; n++) await sent.put(`m${n}`, text(`text ${n}`), STANZA)
  await until(async () => (await b.left()).length <= 11, 'the oldest to go')
  const left = await b.left()
  assert.ok(left.includes('m39') && !left.includes('m10'))
  assert.equal((await sent.get('m39'))?.conversation, 'text 39')
  assert.equal(await sent.get('m10'), undefined)
})

test('the newest stay, by bytes', async (t) => {
  const b = await bench(t)
  const sent = b.open({ maxBytes: 10_000 })
  sent.start(nothing)
  for (let n = 10; n < 30; n++) await sent.put(`m${n}`, text('x'.repeat(2_000)), STANZA)
  await until(async () => (await b.left()).length <= 5, 'the oldest to go')
  assert.ok((await b.left()).includes('m29'))
})

test('after a day they go, a bounded number in one commit', async (t) => {
  const b = await bench(t)
  const sizes: number[] = []
  const store = {
    ...b.store,
    commit: (batch: Batch) => {
      sizes.push(batch.ops.length)
      return b.store.commit(batch)
    },
  }
  const before = b.open()
  for (let n = 0; n < 250; n++) await before.put(`m${n}`, text('old'), STANZA)
  b.now += DAY + 1
  assert.equal(await before.get('m1'), undefined)
  b.open({ store }).start(nothing)
  await until(async () => (await b.left()).length === 0, 'all to go')
  assert.deepEqual(sizes, [100, 100, 50])
})

test('a post keeps the number that the network gave it, through an edit too', async (t) => {
  const b = await bench(t)
  const sent = b.open()
  const post = { ...STANZA, to: '120363166555745933@newsletter' }
  await sent.put('m1', text('Version 2'), post)
  await Promise.all([sent.numbered('m1', '174'), sent.change('m1', () => text('Version 2 is out')), sent.numbered('none', '175')])
  const { message, stanza } = (await b.open().stored('m1')) ?? {}
  assert.equal(message?.conversation, 'Version 2 is out')
  assert.deepEqual(stanza, { ...post, serverId: '174' })
  assert.deepEqual(await b.left(), ['m1'])
  const later = b.open()
  assert.equal(await later.post(post.to, '174'), 'm1')
  for (const [channel, number] of [
    [post.to, '175'],
    ['120363166555745934@newsletter', '174'],
  ] as const)
    assert.equal(await later.post(channel, number), undefined)
  const posts = async () => {
    let count = 0
    for await (const _ of b.store.range(keys.sentPosts(INSTANCE))) count++
    return count
  }
  assert.equal(await posts(), 1)
  b.now += DAY + 1
  assert.equal(await later.post(post.to, '174'), undefined)
  later.start(nothing)
  await until(async () => (await posts()) === 0, 'the number to go with the post')
})

test('the one whose outcome is not known stays until it is, however long that takes', async (t) => {
  const b = await bench(t)
  let undecided: string | undefined = 'm1'
  const before = b.open()
  for (let n = 0; n < 6; n++) await before.put(`m${n}`, text('old'), STANZA)
  b.open({ maxMessages: 2 }).start(() => undecided)
  await until(async () => (await b.left()).length === 3, 'all but the newest two to go')
  assert.deepEqual(await b.left(), ['m1', 'm4', 'm5'])
  b.now += DAY + 1
  const sent = b.open()
  sent.start(() => undecided)
  await until(async () => (await b.left()).length === 1, 'the others to go')
  assert.deepEqual(await b.left(), ['m1'])
  assert.equal((await sent.stored('m1'))?.message.conversation, 'old')
  undecided = undefined
  assert.equal(await sent.stored('m1'), undefined)
  b.open().start(nothing)
  await until(async () => (await b.left()).length === 0, 'it to go')
})

test('when it has stopped nothing is written any more, and a sweep that fails is no unhandled rejection', async (t) => {
  const b = await bench(t)
  let isFailing = true
  const store = {
    ...b.store,
    commit: async (batch: Batch) => {
      if (isFailing) throw new Error('no space left on device')
      return b.store.commit(batch)
    },
  }
  const before = b.open()
  await before.put('old', text('old'), STANZA)
  b.now += DAY + 1
  const sent = b.open({ store })
  sent.start(nothing)
  await until(() => b.log.lines.some(({ level }) => level === 'error'), 'the failure')
  isFailing = false
  const writing = sent.put('last', text('last'), STANZA)
  await sent.stop()
  assert.ok((await b.left()).includes('last'))
  await writing
  await assert.rejects(sent.put('late', text('late'), STANZA), { code: 'instance_not_connected' })
})

test('what is encrypted is written by the commit of the keys that its ciphertext leaves behind', async (t) => {
  const b = await bench(t)
  const batches: string[][] = []
  const store = {
    ...b.store,
    commit: (batch: Batch) => {
      batches.push(batch.ops.map(([key]) => key))
      return b.store.commit(batch)
    },
  }
  const keyStore = createKeyStore(INSTANCE, store, sealer, createKeyCache({ maxEntries: 10 }))
  const sent = b.open({ store, keys: keyStore })
  const settle = sent.putEncrypted('A', text('hi'), STANZA)
  assert.equal(batches.length, 0)
  await keyStore.commit([['session', '1.0', Buffer.from('advanced')]])
  assert.equal((await sent.get('A'))?.conversation, 'hi')
  await settle()
  await keyStore.commit([['session', '1.0', Buffer.from('further')]])
  assert.equal(batches.length, 2)
  assert.deepEqual([batches[0]!.includes(keys.sent(INSTANCE, 'A')), batches[1]!.length], [true, 1])
})

test('what was not encrypted is written when its send is over', async (t) => {
  const b = await bench(t)
  const sent = b.open()
  await sent.putEncrypted('A', text('hi'), STANZA)()
  assert.equal((await sent.get('A'))?.conversation, 'hi')
})

test('with the device all of them go', async (t) => {
  const b = await bench(t)
  const sent = b.open()
  await sent.put('A', text('hi'), STANZA)
  await sent.forget()
  assert.deepEqual(await b.left(), [])
  assert.equal(await sent.get('A'), undefined)
})

test('one that was changed on disk is as if it were not there', async (t) => {
  const b = await bench(t)
  const sent = b.open()
  await sent.put('A', text('hi'), STANZA)
  const key = keys.sent(INSTANCE, 'A')
  const value = Buffer.from((await b.store.get(key))!)
  value[value.length - 1]! ^= 1
  await b.store.commit({ ops: [[key, value]] })
  assert.equal(await sent.get('A'), undefined)
})

test('a message is kept with the stanza it left in', async (t) => {
  const b = await bench(t)
  const sent = b.open()
  const stanza: Stanza = {
    to: '120@g.us',
    attributes: { type: 'poll', addressing_mode: 'lid' },
    enc: { mediatype: 'image' },
    nodes: [{ tag: 'biz', attrs: { a: '1' }, content: [{ tag: 'inner', attrs: {}, content: Buffer.from([0, 1, 255]) }] }],
  }
  await sent.put('A', text('hi'), stanza)
  const stored = await sent.stored('A')
  assert.equal(stored?.message.conversation, 'hi')
  assert.deepEqual(stored?.stanza, stanza)
  assert.equal((await sent.get('A'))?.conversation, 'hi')
  assert.equal(await sent.stored('B'), undefined)
})

test('a row of before, which is a message and nothing else, is still readable', async (t) => {
  const b = await bench(t)
  const key = keys.sent(INSTANCE, 'A')
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(START))
  const before = sealer.seal(key, proto.Message.encode(text('hi')).finish())
  await b.store.commit({ ops: [[key, Buffer.concat([time, before])]] })
  const stored = await b.open().stored('A')
  assert.equal(stored?.message.conversation, 'hi')
  assert.equal(stored?.stanza, undefined)
})

// An earlier bug: a message was removed, and then an edit of it was written, which stored the message again.
test('of changes of one message at once each is made to what the one before has left', async (t) => {
  const b = await bench(t)
  const sent = b.open()
  await sent.put('m', text('a'), STANZA)
  const add = (more: string) => sent.change('m', ({ conversation }) => text(`${conversation}${more}`))
  await Promise.all([add('b'), add('c')])
  assert.equal((await sent.get('m'))?.conversation, 'abc')
  await Promise.all([add('d'), sent.remove('m'), add('e')])
  assert.deepEqual(await b.left(), [])
})

// An earlier bug: while all data of an account were being removed, a running change wrote a message of this account
// into the data of the next account.
test('a change under way while everything is forgotten writes nothing', async (t) => {
  const b = await bench(t)
  let read = () => {}
  const isRead = new Promise<void>((resolve) => {
    read = resolve
  })
  const store = {
    ...b.store,
    async get(key: string) {
      const value = await b.store.get(key)
      await isRead
      return value
    },
  }
  const sent = b.open({ store })
  await sent.put('m', text('a'), STANZA)
  const changed = sent.change('m', () => text('b'))
  await sent.forget()
  read()
  await changed
  assert.deepEqual(await b.left(), [])
})
