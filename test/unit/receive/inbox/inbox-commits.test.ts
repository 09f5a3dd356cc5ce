import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BinaryNode, proto, type WAMessage } from '@whiskeysockets/baileys'
import { createCommitChain } from '../../../../src/storage/commit-chain.ts'
import type { StateStore } from '../../../../src/storage/contract.ts'
import { createKeyCache, createKeyStore, type KeyChange } from '../../../../workers/shard/keys/key-store.ts'
import { ciphertextMark, createSeenMarks, messageMarks } from '../../../../workers/shard/messages/seen-marks.ts'
import { createInboxCommits, type InboxCommits } from '../../../../workers/shard/receive/inbox/inbox-commits.ts'
import { createJournal } from '../../../../workers/shard/receive/inbox/journal.ts'
import { messageStanza, readStanza } from '../../../../workers/shard/receive/inbox/stanza-message.ts'
import { createOutbox } from '../../../../workers/shard/webhooks/outbox.ts'
import { textEvent } from '../../../harness/received-event.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until, webhookSettings } from '../../storage/fixtures.ts'
import { stanza } from './stanza.ts'

const ME = { id: '5511999990000:7@s.whatsapp.net' }
const KEY: KeyChange = ['session', '5511988880001.0', Buffer.from('the key moved on')]

function opened(node: BinaryNode, ...said: proto.IMessage[]) {
  const seen = messageStanza(node, ME)
  for (const [index, message] of said.entries())
    seen.opened.set(index, Buffer.concat([proto.Message.encode(message).finish(), Buffer.of(1)]))
  return { seen, message: readStanza(seen, ME) }
}

async function bench(t: TestContext) {
  const disk = await tempStore(t)
  const log = recordingLog()
  const clock = { now: () => START }
  const outbox = createOutbox({
    steps: () => {},
    instanceId: INSTANCE,
    store: disk,
    sealer,
    clock,
    steady: clock,
    webhooks: () => webhookSettings(null, { received_url: 'http://127.0.0.1:1/hook' }),
    async deliver({ body }) {
      b.translated.push(JSON.parse(Buffer.from(body).toString()).message_id)
      return { ok: true, code: 200, error: null, durationMs: 0 }
    },
    log,
  })
  await outbox.start()
  t.after(() => outbox.stop(1_000))
  const store: StateStore = {
    ...disk,
    async commit(batch) {
      if (b.isFull) throw new Error('no space left on device')
      const isDone = await disk.commit(batch)
      // All keys have the form `instance:<id>:<kind>:…`, except for those of the test itself. Only the
      // kinds are recorded.
      b.commits.push([...new Set(batch.ops.map(([key]) => key.split(':')[2] ?? key))].sort())
      return isDone
    },
  }
  const keyStore = createKeyStore(INSTANCE, store, sealer, createKeyCache({ maxEntries: 100 }))
  const marks = createSeenMarks(INSTANCE, store, sealer)
  const journal = createJournal({ instance: INSTANCE, store, sealer, clock, log })
  const b = {
    translated: [] as string[],
    commits: [] as string[][],
    isFull: false,
    heard: [] as WAMessage[],
    remembered: [] as WAMessage[],
    steps: [] as string[],
    marks,
    keyStore,
    inbox: createInboxCommits(
      {
        keys: keyStore,
        marks,
        journal,
        clock,
        outbox,
        unreported() {},
        translate: async ({ key }) => textEvent(key.id ?? '', START),
        arrived: () => ({ ops: [['waited', null]], applied: () => b.steps.push('waited') }),
        alongside: async () => [['alongside', Buffer.of(1)]],
        remember: (message) => b.remembered.push(message),
        onMessage: (message) => b.heard.push(message),
        steps: (step) => void b.steps.push(step),
      },
      createCommitChain(store),
    ),
    message: async (...about: Parameters<InboxCommits['message']>): Promise<void> => (await b.inbox.message(...about)).written,
    async again() {
      const [laterMarks, laterJournal] = [
        createSeenMarks(INSTANCE, disk, sealer),
        createJournal({ instance: INSTANCE, store: disk, sealer, clock, log }),
      ]
      await Promise.all([laterMarks.load(), laterJournal.load()])
      return { marks: laterMarks, journal: laterJournal, session: await disk.get(keyStore.ops([KEY])[0]![0]) }
    },
  }
  return b
}

test('a message is one commit: its key, its event, its marks, what is kept of it, and that it is waited for no more', async (t) => {
  const b = await bench(t)
  const { seen, message } = opened(stanza('A'), { conversation: 'hi' })
  assert.equal(await b.keyStore.get('session', KEY[1]), undefined)
  await b.message(seen, message, [KEY])
  assert.deepEqual(await b.keyStore.get('session', KEY[1]), KEY[2])
  // The first commit also records that the log has an index, so it has one kind of record more than others.
  assert.deepEqual(b.commits, [['alongside', 'key', 'log', 'momment', 'outbox', 'seen', 'waited']])
  assert.deepEqual(b.steps, ['inbox:before-commit', 'inbox:after-commit', 'waited'])
  assert.deepEqual(b.heard, [message])
  await until(() => b.translated.length > 0, 'its webhook')
  const { marks } = await b.again()
  for (const mark of [ciphertextMark(seen.ciphertexts[0]!), ...messageMarks(message.key)])
    assert.deepEqual([b.marks.has(mark), marks.has(mark)], [true, true])
})

test('a message that comes again in another ciphertext is done, and neither told nor heard of again', async (t) => {
  const b = await bench(t)
  for (let time = 0; time < 2; time++) {
    const { seen, message } = opened(stanza('A'), { conversation: 'hi' })
    await b.message(seen, message, [KEY])
    assert.ok(b.marks.has(ciphertextMark(seen.ciphertexts[0]!)))
  }
  assert.deepEqual(b.commits[1], ['key', 'seen', 'waited'])
  assert.equal(b.heard.length, 1)
  await until(() => b.translated.length > 0, 'its webhook')
  assert.deepEqual(b.translated, ['A'])
})

test('a message without content is not marked, and still waited for', async (t) => {
  const b = await bench(t)
  const { seen, message } = opened(stanza('A'), {})
  await b.message(seen, message, [KEY])
  assert.deepEqual(messageMarks(message.key).map(b.marks.has), [false])
  assert.ok(!b.steps.includes('waited'))
  assert.deepEqual(b.heard, [])
})

test('what is held is answered without its key in the next life, until it is settled', async (t) => {
  const b = await bench(t)
  const { seen } = opened(stanza('A', 2), { conversation: 'first' })
  const [first, second] = seen.ciphertexts.map(ciphertextMark)
  await b.inbox.held(seen, [KEY])
  assert.deepEqual(b.commits, [['journal', 'key']])
  const held = await b.again()
  assert.deepEqual(held.journal.replay(first!), seen.opened.get(0))
  assert.deepEqual([held.journal.replay(second!), held.marks.has(first!)], [undefined, false])
  await b.inbox.settled(seen, [])
  assert.deepEqual(b.commits[1], ['journal', 'seen'])
  const settled = await b.again()
  assert.equal(settled.journal.has(seen.id), false)
  assert.deepEqual([first!, second!].map(settled.marks.has), [true, true])
})

test('what was held of a stanza whose rest cannot be opened goes, and is not marked', async (t) => {
  const b = await bench(t)
  const { seen } = opened(stanza('A', 2), { conversation: 'first' })
  await b.inbox.dropped(seen)
  assert.deepEqual(b.commits, [])
  await b.inbox.held(seen, [KEY])
  await b.inbox.dropped(seen)
  const { journal, marks } = await b.again()
  assert.equal(journal.has(seen.id), false)
  assert.deepEqual(seen.ciphertexts.map(ciphertextMark).map(marks.has), [false, false])
})

test('of a commit that fails nothing is known, on the disk or in memory', async (t) => {
  const b = await bench(t)
  const { seen, message } = opened(stanza('A'), { conversation: 'hi' })
  b.isFull = true
  for (const commit of [b.message(seen, message, [KEY]), b.inbox.held(seen, [KEY]), b.inbox.settled(seen, [KEY])])
    await assert.rejects(commit, /the inbox could not be written/)
  assert.ok(!b.steps.includes('waited'))
  assert.deepEqual(b.heard, [])
  const later = await b.again()
  assert.deepEqual([later.session, await b.keyStore.get('session', KEY[1])], [undefined, undefined])
  assert.equal(later.journal.has(seen.id), false)
  assert.deepEqual([...seen.ciphertexts.map(ciphertextMark), ...messageMarks(message.key)].map(b.marks.has), [false, false])
  assert.deepEqual(b.translated, [])
})
