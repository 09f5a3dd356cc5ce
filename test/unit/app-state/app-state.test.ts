import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { WAPatchName } from '@whiskeysockets/baileys'
import type { Batch, StateStore } from '../../../src/storage/contract.ts'
import { type Changes, holdAppState, type Reading } from '../../../workers/shard/app-state/app-state.ts'
import { createAuthState } from '../../../workers/shard/keys/auth-state.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { createAddressLocks } from '../../../workers/shard/keys/signal/address/address-locks.ts'
import type { NetworkSocket } from '../../../workers/shard/network/network-socket.ts'
import { collectionBytes, collectionVersion, newCollection } from '../../../workers/shard/wire/app-state-collection.ts'
import { column } from '../../harness/columns.ts'
import { INSTANCE, sealer, tempStore } from '../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const VERSION = 'app-state-sync-version'

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
    return { keys, auth: createAuthState({ keys, store: own, sealer, locks: createAddressLocks() }) }
  }
  const { auth, keys } = open()
  const creds = await auth.discardHalfPaired()
  Object.assign(creds, { me: { id: '5511999990001:1@s.whatsapp.net', name: 'Before' }, accountSyncCounter: 1 })
  creds.account = { details: Buffer.of(1) }
  const written: Changes[] = []
  const failures: unknown[] = []
  let isRead: Promise<void> = Promise.resolve()
  const appState = holdAppState({
    auth,
    keys,
    creds,
    async write(changes) {
      await isRead
      written.push(changes)
      return { ops: () => [[`told:${written.length}`, Buffer.from(JSON.stringify(changes))]], applied() {} }
    },
    steps() {},
  })
  const ev = new EventEmitter()
  appState.attach({ ev: ev as unknown as NetworkSocket['ev'] }, (error) => failures.push(error))
  const records = await Promise.all([0, 1, 2, 3, 4].map((version) => collectionBytes({ ...newCollection(), version })))
  function read(collection: WAPatchName, version: number, labels: string[] = [], more: Partial<Reading> = {}) {
    const associations = labels.map((label) => ({ chat: ANA, label, assigned: true }))
    const nothing = { isHistory: false, name: null, contacts: [], actions: [] }
    appState.take({ ...nothing, collection, version, bytes: records[version]!, associations, ...more })
  }
  return {
    store,
    batches,
    creds,
    appState,
    written,
    failures,
    read,
    fill: () => (isFull = true),
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
    async onDisk(collection: string) {
      const again = open()
      const record = await again.keys.get(VERSION, collection)
      return { version: record && collectionVersion(record), name: (await again.auth.loadCreds())?.me?.name }
    },
    async version(collection: WAPatchName) {
      const record = await appState.stored(collection)
      return record && collectionVersion(record)
    },
  }
}

test('the versions of several collections and what they brought are one commit, the credentials with them', async (t) => {
  const b = await bench(t)
  b.read('regular', 3, ['1', '2'], { actions: [{ index: ['mute', ANA], value: { muteAction: { muted: true } } }] })
  b.read('critical_block', 2, [], { name: 'After', contacts: [{ id: ANA, name: 'Ana' }] })
  b.rename('After')
  assert.equal(b.batches.length, 0)
  await b.appState.settled()
  assert.equal(b.batches.length, 1)
  assert.equal(b.written.length, 1)
  assert.deepEqual(b.written[0], {
    reading: 'critical_block 2, regular 3',
    name: 'After',
    associations: ['1', '2'].map((label) => ({ chat: ANA, label, assigned: true })),
    contacts: [{ id: ANA, name: 'Ana' }],
    actions: [{ index: ['mute', ANA], value: { muteAction: { muted: true } } }],
  })
  assert.deepEqual(await b.onDisk('regular'), { version: 3, name: 'After' })
  assert.deepEqual(await b.onDisk('critical_block'), { version: 2, name: 'After' })
})

test('what is held is served, and not on disk before what it brought', async (t) => {
  const b = await bench(t)
  const go = b.stall()
  b.read('regular', 3, ['1'])
  assert.equal(await b.version('regular'), 3)
  assert.equal((await b.onDisk('regular')).version, undefined)
  go()
  await b.appState.settled()
  assert.equal(await b.version('regular'), 3)
  assert.equal((await b.onDisk('regular')).version, 3)
})

test('credentials saved while a name waits for its event are not ahead of it', async (t) => {
  const b = await bench(t)
  b.appState.save()
  await b.appState.settled()
  const go = b.stall()
  b.read('critical_block', 2)
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
  b.read('regular', 3, ['1'])
  await assert.rejects(b.appState.settled(), /no space left/)
  const before = b.batches.length
  b.read('regular', 4)
  b.appState.save()
  await assert.rejects(b.appState.settled(), /no space left/)
  assert.equal(b.failures.length, 1)
  assert.equal(b.batches.length, before)
  assert.equal((await b.onDisk('regular')).version, undefined)
})

test('versions that brought nothing are written in their turn', async (t) => {
  const b = await bench(t)
  const go = b.stall()
  b.read('regular', 3, ['1'])
  await new Promise((resolve) => setImmediate(resolve))
  b.read('regular', 4)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await b.onDisk('regular')).version, undefined)
  go()
  await b.appState.settled()
  assert.deepEqual(column(b.written, 'reading'), ['regular 3', 'regular 4'])
  assert.equal((await b.onDisk('regular')).version, 4)
})

test('what is forgotten is read as if it never had been', async (t) => {
  const b = await bench(t)
  b.read('regular', 3)
  await b.appState.settled()
  const forgotten = b.appState.forget(['regular'])
  assert.equal(await b.version('regular'), undefined)
  await forgotten
  assert.equal((await b.onDisk('regular')).version, undefined)
})

test('what stood there before is no news, nor is the name of the first reading', async (t) => {
  const b = await bench(t)
  b.read('regular', 1, ['1'], { isHistory: true, actions: [{ index: ['mute', ANA], value: null }] })
  b.read('critical_block', 1, [], { isHistory: true, name: 'Theirs' })
  b.creds.accountSyncCounter = 0
  b.rename('What the pairing brought')
  await b.appState.settled()
  assert.deepEqual(
    b.written.map(({ name, associations, actions }) => [name, associations.length, actions.length]),
    [[null, 0, 1]],
  )
})

test('a name in a collection that was read before is told, even if the first reading of all collections was interrupted', async (t) => {
  const b = await bench(t)
  b.creds.accountSyncCounter = 0
  b.read('critical_block', 1, [], { isHistory: true, name: 'Before' })
  await b.appState.settled()
  b.read('critical_block', 2, [], { name: 'After' })
  b.rename('After')
  await b.appState.settled()
  assert.deepEqual(column(b.written, 'name'), [null, 'After'])
})
