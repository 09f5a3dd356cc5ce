/** Names of chats: which one counts, and what of them is there after a restart. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { Contact } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { keys } from '../../../src/storage/keys.ts'
import { createNames } from '../../../workers/shard/chats/names.ts'
import { createSavedContacts } from '../../../workers/shard/chats/saved-contacts.ts'
import type { Session } from '../../../workers/shard/chats/session.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

const LID = '81896604190001@lid'
const NUMBER = '5511988880001@s.whatsapp.net'
const BOTH = [LID, NUMBER]
const GROUP = '120363019502650977@g.us'

/** The library's events, without a network. */
function session() {
  const ev = new EventEmitter()
  return { ev, session: { isOpen: false, groups: { known: () => undefined }, sock: { ev } } as unknown as Session }
}

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const log = recordingLog()
  const contacts = createSavedContacts(INSTANCE, store, sealer)
  const open = () => createNames({ log: log as unknown as Logger, contacts, onNewsletter() {} })
  return { store, log, contacts, open }
}

test('a saved name is better than what somebody calls itself, by whichever of the two jids it came', async (t) => {
  const names = (await bench(t)).open()
  const { ev, session: current } = session()
  names.attach(current)
  assert.equal(names.of(BOTH), null)
  names.heard([LID], 'Annie')
  assert.equal(names.of(BOTH), 'Annie')
  ev.emit('contacts.upsert', [{ id: NUMBER, name: 'Ana' }] satisfies Contact[])
  assert.equal(names.of(BOTH), 'Ana')
  ev.emit('contacts.update', [{ id: NUMBER, notify: 'Anna' }])
  assert.equal(names.of(BOTH), 'Ana')
})

// Taken off the phone's address book, the name stood until the next restart.
test('a person who is not saved any more is called as it calls itself', async (t) => {
  const names = (await bench(t)).open()
  const { ev, session: current } = session()
  names.attach(current)
  names.heard([LID], 'Annie')
  ev.emit('contacts.upsert', [{ id: NUMBER, lid: LID, name: 'Ana' }] satisfies Contact[])
  ev.emit('contacts.upsert', [{ id: NUMBER, lid: LID }] satisfies Contact[])
  assert.equal(names.of(BOTH), 'Annie')
})

// The subject a group was first known by stood for good.
test('a group whose subject changes has the new name', async (t) => {
  const names = (await bench(t)).open()
  const { ev, session: current } = session()
  names.attach(current)
  ev.emit('groups.upsert', [{ id: GROUP, subject: 'Team' }])
  assert.equal(names.of([GROUP]), 'Team')
  ev.emit('groups.update', [{ id: GROUP, subject: 'New name' }])
  ev.emit('groups.update', [{ id: GROUP, announce: true }])
  assert.equal(names.of([GROUP]), 'New name')
})

test('saved names are there after a restart, and not readable on the disk', async (t) => {
  const { store, contacts, open } = await bench(t)
  await store.commit({ ops: contacts.ops([{ id: NUMBER, lid: LID, name: 'Ana of the bakery' }]) })
  const names = open()
  await names.load()
  assert.equal(names.of([LID]), 'Ana of the bakery')
  assert.equal(names.of([NUMBER]), 'Ana of the bakery')
  for await (const [, bytes] of store.range(keys.savedContacts(INSTANCE)))
    assert.ok(!Buffer.from(bytes).includes('bakery'), 'sealed')
})

test('what was told before the saved names are read is newer', async (t) => {
  const { store, contacts, open } = await bench(t)
  await store.commit({ ops: contacts.ops([{ id: NUMBER, lid: LID, name: 'Old' }]) })
  const names = open()
  const { ev, session: current } = session()
  names.attach(current)
  ev.emit('contacts.upsert', [{ id: NUMBER, lid: LID, name: 'New' }] satisfies Contact[])
  await names.load()
  assert.equal(names.of(BOTH), 'New')
})

test('another account has none of the names, also when they are being read', async (t) => {
  const { store, contacts, open } = await bench(t)
  await store.commit({ ops: contacts.ops([{ id: NUMBER, lid: LID, name: 'Ana' }]) })
  const names = open()
  const reading = names.load()
  names.clear()
  await reading
  assert.equal(names.of(BOTH), null)
})

test('a record that cannot be read costs its own name only', async (t) => {
  const { store, log, contacts, open } = await bench(t)
  await store.commit({ ops: contacts.ops([{ id: NUMBER, lid: LID, name: 'Ana' }]) })
  await store.commit({ ops: [[keys.savedContact(INSTANCE, '5511988880002'), Buffer.from('damaged')]] })
  const names = open()
  await names.load()
  assert.equal(names.of(BOTH), 'Ana')
  assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 1)
  await assert.rejects(contacts.all(), /saved contact/)
})

test('people who were saved before names were kept are still an audience', async (t) => {
  const { store, contacts, open } = await bench(t)
  const key = keys.savedContact(INSTANCE, '5511988880001')
  const first = Buffer.from(JSON.stringify({ v: 1, jid: NUMBER, lid: LID }))
  await store.commit({ ops: [[key, sealer.seal(key, first)]] })
  assert.deepEqual(await contacts.all(), [{ jid: NUMBER, lid: LID, name: null }])
  const names = open()
  await names.load()
  assert.equal(names.of(BOTH), null)
})
