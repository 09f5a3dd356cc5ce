import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { WAMessageKey } from '@whiskeysockets/baileys'
import { DAY } from '../../../src/domain/clock.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createRetention } from '../../../src/storage/retention.ts'
import { createAuthorship } from '../../../workers/shard/messages/authorship.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until } from '../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const ANA_LID = '81896604190001@lid'
const BEN = '5511988880002@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'
const HERE = { place: 'here', isSpeakers: true }
const NOT_THEIRS = { place: 'here', isSpeakers: false }

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const log = recordingLog()
  const bench = {
    store,
    now: START,
    /** Opens the store as after a kill: only the data on disk are left. */
    async open(terms?: Parameters<typeof createAuthorship>[1]) {
      const retention = createRetention(log)
      const context = { id: INSTANCE, store, sealer, clock: { now: () => bench.now }, log, retention }
      const authorship = createAuthorship(context, terms)
      t.after(retention.stop)
      await authorship.load()
      return {
        ...authorship,
        start: retention.start,
        async heard(...messages: WAMessageKey[]) {
          for (const key of messages) await store.commit({ ops: await authorship.ops(key) })
        },
        async sent(id: string, chat: string) {
          await store.commit({ ops: authorship.ownOps(id, chat) })
        },
      }
    },
    async left() {
      const found: string[] = []
      for await (const [key, value] of store.range(keys.authors(INSTANCE)))
        found.push(key + Buffer.from(value).toString('latin1'))
      return found
    },
  }
  return bench
}

test('a person is the same under both names, and so is the chat', async (t) => {
  const b = await bench(t)
  await (await b.open()).heard(
    { id: 'A', remoteJid: ANA_LID, remoteJidAlt: ANA, fromMe: false },
    { id: 'G', remoteJid: GROUP, participant: ANA_LID, participantAlt: ANA, fromMe: false },
  )
  const authorship = await b.open()
  for (const name of [ANA, ANA_LID]) {
    assert.deepEqual(await authorship.claim('A', [name], [name]), HERE)
    assert.deepEqual(await authorship.claim('G', [GROUP], [name]), HERE)
    assert.deepEqual(await authorship.claim('G', [name], [name]), { place: 'elsewhere' })
  }
  assert.deepEqual(await authorship.claim('G', [GROUP], [BEN]), NOT_THEIRS)
  assert.deepEqual(await authorship.claim('A', [ANA], 'account'), NOT_THEIRS)
  assert.deepEqual(await authorship.claim('nobody', [ANA], [ANA]), { place: 'unknown' })
})

// An earlier bug: two messages with the same id were looked up before either was on disk, so the second one replaced
// the first.
test('of two messages of one id that come at a time the first is the owner, also when its commit has to be made again', async (t) => {
  const b = await bench(t)
  const authorship = await b.open()
  const anas = { id: 'G', remoteJid: GROUP, participant: ANA, fromMe: false }
  const bens = { id: 'G', remoteJid: BEN, fromMe: false }
  const [first, second] = await Promise.all([authorship.ops(anas), authorship.ops(bens)])
  assert.deepEqual([first.length, second.length], [1, 0])
  // The commit of the first message has failed, so the network sends this message again.
  await b.store.commit({ ops: [...(await authorship.ops(bens)), ...(await authorship.ops(anas))] })
  assert.deepEqual(await authorship.claim('G', [GROUP], [ANA]), HERE)
  assert.deepEqual(await authorship.claim('G', [BEN], [BEN]), { place: 'elsewhere' })
  await authorship.forget()
  assert.equal((await authorship.ops(bens)).length, 1)
})

test('who uses the id of another message is not its author, in this chat or another; ours come first', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  await before.heard({ id: 'G', remoteJid: GROUP, participant: ANA, fromMe: false })
  await before.heard({ id: 'G', remoteJid: GROUP, participant: BEN, fromMe: false }, { id: 'G', remoteJid: BEN, fromMe: false })
  await before.heard({ id: 'O', remoteJid: BEN, fromMe: false })
  await before.sent('O', ANA)
  await before.sent('P', ANA)
  await before.heard({ id: 'P', remoteJid: ANA, fromMe: false })
  const authorship = await b.open()
  assert.deepEqual(await authorship.claim('G', [GROUP], [BEN]), NOT_THEIRS)
  assert.deepEqual(await authorship.claim('G', [BEN], [BEN]), { place: 'elsewhere' })
  assert.deepEqual(await authorship.claim('O', [ANA], 'account'), HERE)
  assert.deepEqual(await authorship.claim('P', [ANA], [ANA]), NOT_THEIRS)
})

test('ours are those we sent and those of our own phone, each in its chat alone', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  await before.sent('api', ANA)
  await before.heard(
    { id: 'phone', remoteJid: ANA_LID, remoteJidAlt: ANA, fromMe: true },
    { id: 'group', remoteJid: GROUP, participant: ANA, fromMe: true },
    { id: 'hers', remoteJid: ANA, fromMe: false },
  )
  const { isOwn } = await b.open()
  const names = [ANA, ANA_LID]
  assert.deepEqual(await Promise.all(['api', 'phone', 'group', 'hers'].map((id) => isOwn(id, names))), [true, true, false, false])
  assert.equal(await isOwn('group', [GROUP]), true)
  assert.equal(await isOwn('api', [BEN]), false)
})

test('however much is written in one chat, nothing of another is pushed out', async (t) => {
  const b = await bench(t)
  const bytes = Number.POSITIVE_INFINITY
  const terms = { ours: { ms: DAY, rows: bytes, bytes }, others: { ms: 31 * DAY, rows: 1_000, bytes } }
  const authorship = await b.open(terms)
  authorship.start()
  const hers = { id: 'hers', remoteJid: ANA, fromMe: false }
  const quiet = { id: 'quiet', remoteJid: GROUP, participant: ANA, fromMe: false }
  await authorship.heard(hers, quiet)
  // These are three times as many messages as the two generations of shared records can hold.
  for (let n = 0; n < 60; n++) {
    const flood = Array.from({ length: 100 }, (_, i) => ({ id: `f${n}.${i}`, remoteJid: BEN, fromMe: false }))
    const ops = await Promise.all(flood.map((key) => authorship.ops(key)))
    await b.store.commit({ ops: ops.flat() })
    b.now++
  }
  for (const each of [authorship, await b.open(terms)]) {
    assert.deepEqual(await each.claim('hers', [ANA], [ANA]), HERE)
    assert.deepEqual(await each.claim('quiet', [GROUP], [ANA]), HERE)
    assert.deepEqual(await each.claim('f59.99', [BEN], [BEN]), HERE)
    assert.deepEqual(await each.claim('f10.1', [BEN], [BEN]), { place: 'unknown' })
  }
  await until(async () => (await b.left()).length <= 2_100, 'the oldest of the crowd to go')
})

test('after two months nothing is left, and neither an id nor a name can be read on the disk', async (t) => {
  const b = await bench(t)
  const authorship = await b.open()
  await authorship.heard({ id: '3EB0', remoteJid: ANA, remoteJidAlt: ANA_LID, fromMe: false })
  await authorship.sent('3EB1', ANA)
  for (const row of await b.left()) assert.doesNotMatch(row, /5511988880001|81896604190001|3EB0|3EB1/)
  b.now += 30 * DAY
  assert.deepEqual(await (await b.open()).claim('3EB0', [ANA], [ANA]), HERE)
  b.now += 33 * DAY
  const last = await b.open()
  assert.deepEqual(await last.claim('3EB0', [ANA], [ANA]), { place: 'unknown' })
  last.start()
  await until(async () => (await b.left()).length === 0, 'all to go')
})

test('with the device everything goes', async (t) => {
  const b = await bench(t)
  const authorship = await b.open()
  await authorship.sent('A', ANA)
  await authorship.heard({ id: 'B', remoteJid: ANA, fromMe: false })
  await authorship.forget()
  assert.deepEqual(await b.left(), [])
  assert.equal(await authorship.isOwn('A', [ANA]), false)
})

// An earlier bug: each row in memory was a small buffer that kept 8 kB of Node's buffer pool alive, a megabyte for
// every instance.
test('the rows that are remembered for messages in unfinished commits keep no buffers', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A buffer counts as used memory until another thread has freed it, which may happen only after the collection.
  // So the memory is read several times.
  const buffers = async () => {
    for (let round = 0; round < 3; round++) {
      collect()
      await setImmediate()
    }
    return process.memoryUsage().arrayBuffers
  }
  const authorship = await (await bench(t)).open()
  const before = await buffers()
  for (let number = 0; number < 100; number++) {
    await authorship.ops({ id: `message ${number}`, remoteJid: ANA_LID, remoteJidAlt: ANA, fromMe: false })
    // These texts fill the current block of Node's buffer pool, so that the next small buffer is in a new block.
    for (let piece = 0; piece < 3; piece++) Buffer.from('x'.repeat(3_000))
  }
  const kept = (await buffers()) - before
  assert.ok(kept < 200_000, `${kept} bytes`)
})
