import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Contact } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { ListedNames } from '../../../workers/shard/chats/names.ts'
import { createNames } from '../../../workers/shard/chats/names.ts'
import { createSavedContacts } from '../../../workers/shard/chats/saved-contacts.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

const LID = '81896604190001@lid'
const NUMBER = '5511988880001@s.whatsapp.net'
const BOTH = [LID, NUMBER]
const GROUP = '120363019502650977@g.us'

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const log = recordingLog()
  const contacts = createSavedContacts({ id: INSTANCE, store, sealer })
  const listed = new Map<string, ListedNames>()
  const open = () =>
    createNames({
      log: log as unknown as Logger,
      contacts,
      listed: (jids) => jids.map((jid) => listed.get(jid)).find((found) => found !== undefined),
    })
  return { store, log, contacts, listed, open }
}

test('a saved name is better than what somebody calls itself, by whichever of the two jids it came', async (t) => {
  const names = (await bench(t)).open()
  assert.equal(names.of(BOTH), null)
  names.recordPushName([LID], 'Annie')
  assert.equal(names.of(BOTH), 'Annie')
  names.saved([{ id: NUMBER, name: 'Ana' }])
  assert.equal(names.of(BOTH), 'Ana')
  names.recordPushName(BOTH, 'Anna')
  assert.equal(names.of(BOTH), 'Ana')
})

// An earlier bug: evicted names were not read from the directory, so most people of a large address book had no name in
// their events.
test('a person whose name fell out of memory has the one that the directory lists', async (t) => {
  const { listed, open } = await bench(t)
  const names = open()
  listed.set(NUMBER, { name: 'Ana of the bakery', pushName: 'Annie' })
  assert.equal(names.of(BOTH), 'Ana of the bakery')
  names.recordPushName(BOTH, 'Anna')
  assert.equal(names.of(BOTH), 'Ana of the bakery', 'what it calls itself is no better')
  names.saved([{ id: NUMBER, name: 'Ana' }])
  assert.equal(names.of(BOTH), 'Ana', 'what was saved since counts')
  const other = '5511988880009@s.whatsapp.net'
  listed.set(other, { name: null, pushName: 'Ben' })
  assert.equal(names.of([other]), 'Ben')
  names.recordPushName([other], 'Benny')
  assert.equal(names.of([other]), 'Benny')
})

// An earlier bug: when a contact was removed from the phone's address book, its name from there was used until the next
// restart.
test('a person who is not saved any more is called as it calls itself', async (t) => {
  const names = (await bench(t)).open()
  names.recordPushName([LID], 'Annie')
  names.saved([{ id: NUMBER, lid: LID, name: 'Ana' }])
  names.saved([{ id: NUMBER, lid: LID }])
  assert.equal(names.of(BOTH), 'Annie')
})

// An earlier bug: the first known subject of a group was used forever.
test('a group whose subject changes has the new name', async (t) => {
  const names = (await bench(t)).open()
  names.renamed(GROUP, 'Team')
  assert.equal(names.of([GROUP]), 'Team')
  names.renamed(GROUP, 'New name')
  assert.equal(names.of([GROUP]), 'New name')
})

test('saved names are there after a restart, and not readable on the disk', async (t) => {
  const { store, contacts, open } = await bench(t)
  await contacts.write([{ id: NUMBER, lid: LID, name: 'Ana of the bakery' }], () => {})
  const names = open()
  await names.load()
  assert.equal(names.of([LID]), 'Ana of the bakery')
  assert.equal(names.of([NUMBER]), 'Ana of the bakery')
  for await (const [, bytes] of store.range(keys.savedContacts(INSTANCE)))
    assert.ok(!Buffer.from(bytes).includes('bakery'), 'sealed')
})

// An earlier bug: all 20,000 people of an address book were stored in one commit, which blocked the thread for 100 ms.
test('an address book is written in slices, and each is told of when it is on disk', async (t) => {
  const { store } = await bench(t)
  const sizes: number[] = []
  let written = 0
  const counting: StateStore = {
    ...store,
    async commit(batch) {
      sizes.push(batch.ops.length)
      const isWritten = await store.commit(batch)
      written += batch.ops.length
      return isWritten
    },
  }
  const contacts = createSavedContacts({ id: INSTANCE, store: counting, sealer })
  const number = (index: number) => `${15_550_100_000 + index}@s.whatsapp.net`
  const book = Array.from({ length: 1_000 }, (_, index): Contact => ({ id: number(index), name: `Person ${index}` }))
  let told = 0
  await contacts.write([...book, { id: number(7) }], (slice) => {
    told += slice.length
    assert.equal(told, written)
  })
  assert.ok(sizes.length > 4 && Math.max(...sizes) <= 200, `commits of ${sizes}`)
  assert.equal(told, 1_001)
  assert.equal((await contacts.all()).length, 999, 'of two changes to one person the later one counts')
})

test('what was told before the saved names are read is newer', async (t) => {
  const { contacts, open } = await bench(t)
  await contacts.write([{ id: NUMBER, lid: LID, name: 'Old' }], () => {})
  const names = open()
  names.saved([{ id: NUMBER, lid: LID, name: 'New' }])
  await names.load()
  assert.equal(names.of(BOTH), 'New')
})

test('another account has none of the names, also when they are being read', async (t) => {
  const { contacts, open } = await bench(t)
  await contacts.write([{ id: NUMBER, lid: LID, name: 'Ana' }], () => {})
  const names = open()
  const reading = names.load()
  names.clear()
  await reading
  assert.equal(names.of(BOTH), null)
})

test('a record that cannot be read costs its own name only', async (t) => {
  const { store, log, contacts, open } = await bench(t)
  await contacts.write([{ id: NUMBER, lid: LID, name: 'Ana' }], () => {})
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

test('the history names chats as the phone shows them, and people as they call themselves', async (t) => {
  const names = (await bench(t)).open()
  names.history([
    { kind: 'pushName', jid: LID, name: 'Annie' },
    { kind: 'chat', chat: { id: GROUP, name: 'Team', newest: undefined } },
  ])
  assert.deepEqual([names.of(BOTH), names.of([GROUP])], ['Annie', 'Team'])
  names.history([{ kind: 'chat', chat: { id: NUMBER, lidJid: LID, name: 'a', displayName: 'Ana', newest: undefined } }])
  assert.deepEqual([names.of([LID]), names.of([NUMBER])], ['Ana', 'Ana'])
})
