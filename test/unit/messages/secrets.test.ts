import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { proto, type WAMessage } from '@whiskeysockets/baileys'
import { sealAbout } from '../../../packages/sandbox/src/testing.ts'
import { DAY } from '../../../src/domain/clock.ts'
import type { Batch, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createRetention } from '../../../src/storage/retention.ts'
import { createSecrets, type Secrets, type Terms } from '../../../workers/shard/messages/secrets.ts'
import { receivedEvent } from '../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../harness/received-event.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until } from '../storage/fixtures.ts'
import { ANA, ANA_LID, ME, testContext } from '../translate/inbound/context.ts'

const HERE = new Set([ANA, '1@g.us'])
const secret = Buffer.alloc(32, 9)
const OPTIONS = [{ optionName: 'Monday' }, { optionName: 'Tuesday' }]
const poll = { pollCreationMessageV3: { name: 'Which day?', options: OPTIONS } }
const ofAna = (
  id: string,
  content: proto.IMessage,
  more: Partial<WAMessage['key']> = {},
): Pick<WAMessage, 'key' | 'message'> => ({
  key: { remoteJid: ANA, id, fromMe: false, ...more },
  message: { ...content, messageContextInfo: { messageSecret: secret } },
})

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const log = recordingLog()
  const bench = {
    store,
    log,
    now: START,
    /** Opens the store as after a kill: only the data on disk are left. */
    async open(terms?: Terms, its: StateStore = store) {
      const retention = createRetention(log)
      const context = { id: INSTANCE, store: its, sealer, clock: { now: () => bench.now }, log, retention }
      const secrets = createSecrets(context, terms)
      t.after(retention.stop)
      await secrets.load()
      return { ...secrets, start: retention.start, stop: retention.stop }
    },
    async keep(secrets: Secrets, ...messages: Pick<WAMessage, 'key' | 'message'>[]) {
      for (const message of messages) await store.commit({ ops: await secrets.opsUnlessTaken(message) })
    },
    async left() {
      let count = 0
      for await (const _ of store.range(keys.secrets(INSTANCE))) count++
      return count
    },
  }
  return bench
}

const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ofAna(`m${from + index}`, { conversation: 'hi' }))

function told(secrets: Secrets, message: proto.IMessage, context = testContext()) {
  context.original = (id, about) => secrets.get(id, new Set([about.remoteJid ?? '']))
  return receivedEvent(context, { key: { remoteJid: ANA, id: 'X', fromMe: false }, message })
}

test('a vote, an event edit and a new caption are read with what was kept', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  const imageMessage = {
    directPath: '/v/1',
    mediaKey: Buffer.alloc(32, 1),
    mimetype: 'image/png',
    caption: 'old',
    width: 5,
    jpegThumbnail: Buffer.alloc(900, 2),
  }
  await b.keep(
    before,
    ofAna('P', poll),
    ofAna('E', { eventMessage: { name: 'Planning' } }),
    ofAna('I', { ephemeralMessage: { message: { imageMessage } } }),
  )
  const secrets = await b.open()
  const about = (messageId: string) => ({ secret, messageId, author: ANA, sender: ANA })

  const selectedOptions = ['Tuesday', 'Sunday'].map((option) => createHash('sha256').update(option).digest())
  const vote = sealAbout(about('P'), 'Poll Vote', proto.Message.PollVoteMessage.encode({ selectedOptions }).finish())
  const voted = await told(secrets, { pollUpdateMessage: { pollCreationMessageKey: { id: 'P', fromMe: true }, vote } })
  assert.deepEqual(blockOf(voted?.body, 'poll_vote'), { poll_message_id: 'P', options: ['Tuesday'], unknown_options: 1 })

  const edit = (id: string, purpose: 'Event Edit' | 'Message Edit', secretEncType: number, content: proto.IMessage) => {
    const sealed = sealAbout(about(id), purpose, proto.Message.encode(content).finish())
    return told(secrets, { secretEncryptedMessage: { targetMessageKey: { id, fromMe: true }, ...sealed, secretEncType } })
  }
  const moved = await edit('E', 'Event Edit', 1, { eventMessage: { name: 'Planning, later' } })
  assert.equal(blockOf(moved?.body, 'event').name, 'Planning, later')

  const captioned = await edit('I', 'Message Edit', 2, { imageMessage: { caption: 'new' } })
  const image = blockOf(captioned?.body, 'image')
  assert.deepEqual([image.url, image.caption, image.width], ['https://api.example/media/link', 'new', 5])
})

test('who wrote it is kept under both names; of the account itself there is nothing to keep', async (t) => {
  const b = await bench(t)
  const secrets = await b.open()
  await b.keep(
    secrets,
    ofAna('alone', poll, { remoteJidAlt: ANA_LID }),
    ofAna('in a group', poll, { remoteJid: '1@g.us', participant: ANA_LID, participantAlt: ANA }),
    ofAna('ours', poll, { remoteJid: '1@g.us', participant: ME, fromMe: true }),
  )
  assert.deepEqual((await secrets.get('alone', HERE))?.key, {
    id: 'alone',
    fromMe: false,
    participant: ANA,
    participantAlt: ANA_LID,
  })
  assert.equal((await secrets.get('in a group', HERE))?.key.participantAlt, ANA)
  assert.deepEqual((await secrets.get('ours', HERE))?.key, { id: 'ours', fromMe: true })
})

test('who uses the id of another message does not take its place; our own message does', async (t) => {
  const b = await bench(t)
  const secrets = await b.open()
  const group = { remoteJid: '1@g.us', participant: ANA }
  const keep = async (message: Pick<WAMessage, 'key' | 'message'>) =>
    b.store.commit({ ops: await secrets.opsUnlessTaken(message) })
  await keep(ofAna('P', poll, group))
  const stranger = { remoteJid: '5511966665555@s.whatsapp.net' }
  await keep(ofAna('P', poll, stranger))
  await keep(ofAna('P', { conversation: 'hi' }, stranger))
  assert.equal((await secrets.get('P', HERE))?.key.participant, ANA)
  assert.equal(await b.left(), 1)
  // If a send is tried again, the message is composed again and has a new secret. So a message of
  // the account replaces the stored one.
  await keep(ofAna('P', poll, { fromMe: true }))
  assert.equal((await secrets.get('P', HERE))?.key.fromMe, true)
})

test('nothing is kept of what has no secret, of what speaks about another message, and of a poll made to be large', async (t) => {
  const secrets = await (await bench(t)).open()
  const short = { conversation: 'hi', messageContextInfo: { messageSecret: secret.subarray(1) } }
  const options = Array.from({ length: 5_000 }, (_, index) => ({ optionName: `option ${index}` }))
  for (const message of [
    { key: { id: 'A', remoteJid: ANA }, message: { conversation: 'hi' } },
    { key: { id: 'B', remoteJid: ANA }, message: short },
    ofAna('C', { reactionMessage: { text: '👍', key: { id: 'A' } } }),
    ofAna('D', { pollUpdateMessage: {} }),
    ofAna('E', { pollCreationMessageV3: { name: 'Large', options } }),
    ofAna('', { conversation: 'hi' }),
  ])
    assert.deepEqual(await secrets.opsUnlessTaken(message), [], JSON.stringify(message.key))
})

test('of what this service sends only polls and events have a row: the rest is kept whole for a day', async (t) => {
  const b = await bench(t)
  const secrets = await b.open()
  const sent = (id: string, content: proto.IMessage) => ofAna(id, content, { fromMe: true })
  assert.deepEqual(secrets.ownOps(sent('text', { conversation: 'hi' })), [])
  await b.store.commit({ ops: [...secrets.ownOps(sent('poll', poll)), ...secrets.ownOps(sent('event', { eventMessage: {} }))] })
  const after = await b.open()
  assert.deepEqual((await after.get('poll', HERE))?.key, { id: 'poll', fromMe: true })
  assert.ok(await after.get('event', HERE))
})

test('neither a secret nor an option can be read on the disk', async (t) => {
  const b = await bench(t)
  const secrets = await b.open()
  const [op] = await secrets.opsUnlessTaken(ofAna('3EB0', poll))
  const [key, value] = op!
  const row = Buffer.from(value!)
  for (const word of [secret.toString('base64'), secret, 'Monday', '5511988880001']) assert.equal(row.includes(word), false)
  assert.equal(key.includes('3EB0'), false)
})

test('a text is kept for a day, a poll for a month, both at most twice as long', async (t) => {
  const b = await bench(t)
  const first = await b.open()
  await b.keep(first, ofAna('text', { conversation: 'hi' }), ofAna('poll', poll))
  b.now = START + DAY - 1
  assert.ok(await first.get('text', HERE))
  b.now = START + 2 * DAY
  for (const secrets of [first, await b.open()]) {
    assert.equal(await secrets.get('text', HERE), null)
    assert.ok(await secrets.get('poll', HERE))
  }
  first.start()
  await until(async () => (await b.left()) === 1, 'the text to go')
  b.now = START + 30 * DAY - 1
  await b.keep(first, ofAna('later', poll))
  b.now = START + 30 * DAY
  await b.keep(first, ofAna('latest', poll))
  for (const secrets of [first, await b.open()])
    for (const id of ['poll', 'later', 'latest']) assert.ok(await secrets.get(id, HERE), id)
  b.now = START + 60 * DAY
  const last = await b.open()
  assert.equal(await last.get('poll', HERE), null)
  assert.equal(await last.get('later', HERE), null)
  assert.ok(await last.get('latest', HERE))
  last.start()
  await until(async () => (await b.left()) === 1, 'the polls of the first month to go')
})

for (const [what, bound] of [
  ['number', { rows: 10, bytes: 1_000_000 }],
  ['bytes', { rows: 1_000, bytes: 1_500 }],
] as const)
  test(`by ${what} the newest stay, across restarts, and polls do not give way to texts`, async (t) => {
    const b = await bench(t)
    const terms = { asked: { ms: 30 * DAY, ...bound }, said: { ms: DAY, ...bound } }
    await b.keep(await b.open(terms), ofAna('poll', poll))
    let most = 0
    for (let n = 0; n < 20; n++) {
      const secrets = await b.open(terms)
      await b.keep(secrets, ...texts(7, n * 7))
      await secrets.stop()
      most = Math.max(most, await b.left())
      b.now++
    }
    const secrets = await b.open(terms)
    secrets.start()
    await until(async () => (await b.left()) <= 21, 'the oldest to go')
    assert.ok(most <= 1 + 10 * 2 + 7, `${most} lay there`)
    assert.ok(await secrets.get('m139', HERE))
    assert.equal(await secrets.get('m100', HERE), null)
    assert.ok(await secrets.get('poll', HERE))
  })

test('old ones go a bounded number in one commit, and when that fails it is said', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  await b.keep(before, ...texts(2_500))
  b.now += 2 * DAY
  const sizes: number[] = []
  let isFailing = true
  const store = {
    ...b.store,
    commit: async (batch: Batch) => {
      if (isFailing) throw new Error('no space left on device')
      sizes.push(batch.ops.length)
      return b.store.commit(batch)
    },
  }
  const secrets = await b.open(undefined, store)
  secrets.start()
  await until(() => b.log.lines.some(({ level }) => level === 'error'), 'the failure')
  isFailing = false
  await secrets.stop()
  const next = await b.open(undefined, store)
  next.start()
  await until(async () => (await b.left()) === 0, 'all to go')
  assert.equal(Math.max(...sizes), 100)
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    2_500,
  )
})

test('with the device everything goes, and what comes then is kept again', async (t) => {
  const b = await bench(t)
  const secrets = await b.open()
  await b.keep(secrets, ...texts(1_200), ofAna('poll', poll))
  await secrets.forget()
  assert.equal(await b.left(), 0)
  assert.equal(await secrets.get('poll', HERE), null)
  await b.keep(secrets, ofAna('next', poll))
  assert.ok(await (await b.open()).get('next', HERE))
})

test('one that was changed on disk is as if it were not there', async (t) => {
  const b = await bench(t)
  const secrets = await b.open()
  const [op] = await secrets.opsUnlessTaken(ofAna('A', poll))
  const [key, value] = op!
  const changed = Buffer.from(value!)
  changed[changed.length - 1]! ^= 1
  await b.store.commit({ ops: [[key, changed]] })
  assert.equal(await secrets.get('A', HERE), null)
  assert.ok(b.log.lines.some(({ level }) => level === 'error'))
})
