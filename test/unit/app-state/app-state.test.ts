/** A version of app state and what it brought are one commit: in order, all of it or nothing. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Contact, newLTHashState, type WASocket } from '@whiskeysockets/baileys'
import { LabelAssociationType } from '@whiskeysockets/baileys/lib/Types/LabelAssociation.js'
import type { Batch, StateStore } from '../../../src/storage/contract.ts'
import { type Changes, holdAppState } from '../../../workers/shard/app-state/app-state.ts'
import { createAuthState } from '../../../workers/shard/keys/credentials.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { createAddressLocks } from '../../../workers/shard/keys/signal/locks.ts'
import { INSTANCE, sealer, tempStore } from '../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const VERSION = 'app-state-sync-version'
const at = (version: number) => ({ ...newLTHashState(), version })

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const batches: Batch[] = []
  let isFull = false
  const own: StateStore = {
    ...store,
    commit(batch) {
      if (isFull) throw new Error('no space left on device')
      batches.push(batch)
      return store.commit(batch)
    },
  }
  const open = () => {
    const keys = createKeyStore(INSTANCE, own, sealer, createKeyCache({ maxEntries: 100 }))
    return createAuthState({ keys, store: own, sealer, locks: createAddressLocks() })
  }
  const auth = open()
  const creds = await auth.discardHalfPaired()
  Object.assign(creds, { me: { id: '5511999990001:1@s.whatsapp.net', name: 'Before' }, accountSyncCounter: 1 })
  creds.account = { details: Buffer.of(1) }
  const written: Changes[] = []
  const failures: unknown[] = []
  let isRead: Promise<void> = Promise.resolve()
  const appState = holdAppState({
    auth,
    creds,
    async write(changes) {
      await isRead
      written.push(changes)
      return { ops: () => [[`told:${written.length}`, Buffer.from(JSON.stringify(changes))]], applied() {} }
    },
    onFailure: (error) => failures.push(error),
    killAt() {},
  })
  const { keys } = appState.state
  const ev = { emit: () => true } as unknown as WASocket['ev']
  appState.attach({ ev }, (name) => name === 'regular_low')
  /** As the library: what is read, then in the same turn what it says. */
  async function read(name: string, version: number, labels: string[] = []) {
    await keys.set({ [VERSION]: { [name]: at(version) } })
    for (const labelId of labels)
      ev.emit('labels.association', { type: 'add', association: { type: LabelAssociationType.Chat, chatId: ANA, labelId } })
  }
  return {
    store,
    batches,
    creds,
    appState,
    keys,
    ev,
    written,
    failures,
    read,
    fill: () => (isFull = true),
    /** What is made of changes waits until the returned function is called. */
    stall() {
      let go!: () => void
      isRead = new Promise((resolve) => (go = resolve))
      return go
    },
    rename(name: string) {
      creds.me = { ...creds.me!, name }
      ev.emit('creds.update', { me: creds.me })
      appState.save()
    },
    /** As after a kill: what is on the disk. */
    async onDisk(name: string) {
      const again = open()
      const stored = await again.loadCreds()
      const state = again.forSocket(stored ?? creds)
      return { version: (await state.keys.get(VERSION, [name]))[name]?.version, name: stored?.me?.name }
    },
  }
}

test('the versions of several collections and what they brought are one commit, the credentials with them', async (t) => {
  const b = await bench(t)
  await Promise.all([b.read('regular', 3, ['1', '2']), b.read('critical_block', 2)])
  b.rename('After')
  b.ev.emit('contacts.upsert', [{ id: ANA, name: 'Ana' }] satisfies Contact[])
  assert.equal(b.batches.length, 0)
  await b.appState.settled()
  assert.equal(b.batches.length, 1)
  assert.equal(b.written.length, 1)
  assert.deepEqual(b.written[0], {
    reading: 'critical_block 2, regular 3',
    name: 'After',
    associations: ['1', '2'].map((label) => ({ chat: ANA, label, assigned: true })),
    contacts: [{ id: ANA, name: 'Ana' }],
  })
  assert.deepEqual(await b.onDisk('regular'), { version: 3, name: 'After' })
  assert.deepEqual(await b.onDisk('critical_block'), { version: 2, name: 'After' })
})

test('what is held is served, and not on disk before what it brought', async (t) => {
  const b = await bench(t)
  const go = b.stall()
  await b.read('regular', 3, ['1'])
  assert.equal((await b.keys.get(VERSION, ['regular'])).regular?.version, 3)
  assert.equal((await b.onDisk('regular')).version, undefined)
  go()
  await b.appState.settled()
  assert.equal((await b.keys.get(VERSION, ['regular'])).regular?.version, 3)
  assert.equal((await b.onDisk('regular')).version, 3)
})

test('credentials saved while a name waits for its event are not ahead of it', async (t) => {
  const b = await bench(t)
  b.appState.save()
  await b.appState.settled()
  const go = b.stall()
  await b.read('critical_block', 2)
  b.rename('After')
  await new Promise((resolve) => setImmediate(resolve))
  b.appState.save()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await b.onDisk('critical_block'), { version: undefined, name: 'Before' })
  go()
  await b.appState.settled()
  assert.deepEqual(await b.onDisk('critical_block'), { version: 2, name: 'After' })
})

test('when a commit fails nothing behind it is written, and it is told once', async (t) => {
  const b = await bench(t)
  b.appState.save()
  await b.appState.settled()
  b.fill()
  await b.read('regular', 3, ['1'])
  await assert.rejects(b.appState.settled(), /no space left/)
  const before = b.batches.length
  await b.read('regular', 4)
  b.appState.save()
  await assert.rejects(b.appState.settled(), /no space left/)
  assert.equal(b.failures.length, 1)
  assert.equal(b.batches.length, before)
  assert.equal((await b.onDisk('regular')).version, undefined)
})

test('versions that brought nothing are written in their turn', async (t) => {
  const b = await bench(t)
  const go = b.stall()
  await b.read('regular', 3, ['1'])
  await new Promise((resolve) => setImmediate(resolve))
  await b.read('regular', 4)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await b.onDisk('regular')).version, undefined)
  go()
  await b.appState.settled()
  assert.deepEqual(
    b.written.map(({ reading }) => reading),
    ['regular 3', 'regular 4'],
  )
  assert.equal((await b.onDisk('regular')).version, 4)
})

test('other keys of the same transaction are written at once', async (t) => {
  const b = await bench(t)
  await b.keys.set({ 'lid-mapping': { a: 'b' }, [VERSION]: { regular: at(1) } })
  assert.equal(b.batches.length, 1)
  assert.equal((await b.keys.get('lid-mapping', ['a'])).a, 'b')
  await b.appState.settled()
  assert.equal(b.batches.length, 2)
})

test('a label of a message is none of its chat, and the name of the first sync is no news', async (t) => {
  const b = await bench(t)
  b.ev.emit('labels.association', {
    type: 'add',
    association: { type: LabelAssociationType.Message, chatId: ANA, labelId: '1', messageId: 'A' },
  })
  b.creds.accountSyncCounter = 0
  b.rename('What the pairing brought')
  await b.appState.settled()
  assert.deepEqual(b.written, [{ reading: '', name: null, associations: [], contacts: [] }])
})
