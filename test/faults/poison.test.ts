/** If processing a stored stanza always ends the process, the service must not try this forever. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import * as v from 'valibot'
import { keys } from '../../src/storage/record-keys.ts'
import { repository } from '../../src/storage/repository.ts'
import { ciphertextMark } from '../../workers/shard/messages/seen-marks.ts'
import { createJournal, type JournalRecord, MAX_REPLAYS, nodeText } from '../../workers/shard/receive/inbox/journal.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore } from '../unit/storage/fixtures.ts'

const ciphertext = Buffer.from('a ciphertext')
const node = (id: string): BinaryNode => ({
  tag: 'message',
  attrs: { id, from: '5511999990001@s.whatsapp.net', category: 'peer' },
  content: [{ tag: 'enc', attrs: { type: 'msg' }, content: ciphertext }],
})
const record = (id: string, at = START): JournalRecord => ({
  node: nodeText(node(id)),
  parts: { 0: Buffer.from('what it says').toString('base64') },
  isPeer: true,
  attempts: 0,
  at,
})

async function openJournals(t: TestContext, now = START) {
  const store = await tempStore(t)
  const reopen = async () => {
    const journal = createJournal({ instance: INSTANCE, store, sealer, clock: { now: () => now }, log: recordingLog() })
    await journal.load()
    return journal
  }
  return { store, reopen }
}

test('a peer message is taken again at each of five starts, then put aside for good', async (t) => {
  const { store, reopen } = await openJournals(t)
  const first = await reopen()
  await store.commit({ ops: [first.put('poison', record('POISON'))] })
  for (let start = 1; start <= MAX_REPLAYS; start++) {
    const journal = await reopen()
    const nodes = await journal.replayPeers()
    assert.deepEqual(
      nodes.map(({ attrs }) => attrs.id),
      ['POISON'],
      `start ${start}`,
    )
    assert.equal(Buffer.from(journal.replay(ciphertextMark(ciphertext))!).toString(), 'what it says')
  }
  const last = await reopen()
  assert.deepEqual(await last.replayPeers(), [])
  assert.equal(last.has('poison'), false)
  assert.equal(await store.get(keys.journal(INSTANCE, 'poison')), undefined)
  assert.ok(await store.get(keys.deadLetter(INSTANCE, 'poison')), 'kept for whoever looks into it')
  assert.deepEqual(await (await reopen()).replayPeers(), [])
})

test('the attempt is on disk before the message is handed out', async (t) => {
  const { store, reopen } = await openJournals(t)
  const journal = await reopen()
  await store.commit({ ops: [journal.put('one', record('ONE'))] })
  await (await reopen()).replayPeers()
  // The count of attempts is on disk before each attempt. So if the process ended here, the next start would know of
  // this attempt.
  const counted = await reopen()
  for (let left = MAX_REPLAYS - 1; left > 0; left--) assert.equal((await counted.replayPeers()).length, 1)
  assert.equal((await counted.replayPeers()).length, 0)
})

test('peer messages are taken again in the order in which they came', async (t) => {
  const { store, reopen } = await openJournals(t)
  const journal = await reopen()
  await store.commit({ ops: [journal.put('b', record('SECOND', START + 1)), journal.put('c', record('FIRST', START))] })
  const nodes = await (await reopen()).replayPeers()
  assert.deepEqual(
    nodes.map(({ attrs }) => attrs.id),
    ['FIRST', 'SECOND'],
  )
})

test('what nobody will deliver again goes by itself, put aside or not', async (t) => {
  const later = START + 14 * 24 * 3_600_000 + 1
  const { store, reopen } = await openJournals(t, later)
  const first = await reopen()
  const { deadLetter } = keys
  const [, old] = first.put('old', record('OLD'))
  const records = repository({ name: 'inbox journal', schema: v.looseObject({}), version: 1, sealed: sealer })
  await store.commit({
    ops: [
      [keys.journal(INSTANCE, 'old'), old],
      first.put('new', record('NEW', later - 1)),
      records.encode(deadLetter(INSTANCE, 'old'), record('OLD')),
      records.encode(deadLetter(INSTANCE, 'new'), record('NEW', later - 1)),
    ],
  })
  const journal = await reopen()
  assert.deepEqual([journal.has('old'), journal.has('new')], [false, true])
  const left: string[] = []
  for (const prefix of [keys.journals(INSTANCE), keys.deadLetters(INSTANCE)])
    for await (const [key] of store.range(prefix)) left.push(key)
  assert.deepEqual(left, [keys.journal(INSTANCE, 'new'), deadLetter(INSTANCE, 'new')])
})
