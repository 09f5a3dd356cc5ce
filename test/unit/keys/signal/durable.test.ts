import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSignalDevice } from '../../../../packages/sandbox/src/testing.ts'
import type { Batch, StateStore } from '../../../../src/storage/contract.ts'
import { GATEWAY, openDisk, openGateway, said, sealer, session, text } from './gateway.ts'

const disk = await openDisk()
after(() => disk.close())

const JID = '4915700000005@s.whatsapp.net'

function failing(store: StateStore) {
  const batches: Batch[] = []
  const state = { fails: false, batches }
  const wrapped: StateStore = {
    get: (key) => store.get(key),
    range: (prefix, options) => store.range(prefix, options),
    count: (prefix, options) => store.count(prefix, options),
    close: () => store.close(),
    commit: async (batch) => {
      if (state.fails) throw new Error('disk full')
      batches.push(batch)
      return store.commit(batch)
    },
  }
  return { state, store: wrapped }
}

test('a failed commit leaves the old state, on disk and in memory, and the message can be opened again', async () => {
  const { state, store } = failing(disk.store)
  const { repository, bundle, keys, openRepository } = await openGateway({ store, instanceId: 'fail' })
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(1))
  const message = await device.encrypt(GATEWAY, said('precious'))
  state.fails = true
  await assert.rejects(repository.decryptMessage({ jid: JID, ...message }), { message: 'disk full' })
  assert.equal(await keys.get('session', '4915700000005.0'), undefined)
  assert.ok(await keys.get('pre-key', '1'))
  state.fails = false
  assert.equal(text(await openRepository().decryptMessage({ jid: JID, ...message })), 'precious')
})

test('what could not be stored does not leave, and the next message is readable', async () => {
  const { state, store } = failing(disk.store)
  const { repository } = await openGateway({ store, instanceId: 'fail-out' })
  const device = createSignalDevice()
  await repository.injectE2ESession({ jid: JID, session: session(device) })
  state.fails = true
  await assert.rejects(repository.encryptMessage({ jid: JID, data: said('lost') }), { message: 'disk full' })
  state.fails = false
  const { type, ciphertext } = await repository.encryptMessage({ jid: JID, data: said('kept') })
  assert.equal(text(await device.decrypt(GATEWAY, type, ciphertext)), 'kept')
})

test('session, identity and used one-time key are one step', async () => {
  const { state, store } = failing(disk.store)
  const { repository, bundle } = await openGateway({ store, instanceId: 'one-step' })
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(4))
  const before = state.batches.length
  await repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('x'))) })
  assert.equal(state.batches.length, before + 1)
  assert.deepEqual(
    state.batches
      .at(-1)!
      .ops.map(([key, value]) => [key.split(':').slice(3).join(':'), value !== null])
      .toSorted(),
    [
      [`identity-key:${sealer.blind('4915700000005.0')}`, true],
      ['pre-key:00000004', false],
      [`session:${sealer.blind('4915700000005.0')}`, true],
    ],
  )
})

test('a restart goes on with what is on disk', async () => {
  const first = await openGateway({ store: disk.store, instanceId: 'restart' })
  const device = createSignalDevice()
  first.creds.account = { details: Buffer.from('linked') }
  await first.auth.saveCreds(first.creds)
  await first.repository.injectE2ESession({ jid: JID, session: session(device) })
  const out = await first.repository.encryptMessage({ jid: JID, data: said('1') })
  await device.decrypt(GATEWAY, out.type, out.ciphertext)
  const again = await openGateway({ store: disk.store, instanceId: 'restart', preKeys: 0 })
  assert.equal(text(await again.repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('2'))) })), '2')
})

test('the store’s own error comes through, and says nothing about the message', async () => {
  const broken: StateStore = {
    ...disk.store,
    get: async (key) => {
      if (key.includes(':pre-key:')) throw new Error('cannot read the disk')
      return disk.store.get(key)
    },
  }
  const { repository, bundle } = await openGateway({ store: broken, instanceId: 'unreadable', maxEntries: 1 })
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(1))
  await assert.rejects(repository.decryptMessage({ jid: JID, ...(await device.encrypt(GATEWAY, said('x'))) }), {
    name: 'Error',
    message: 'cannot read the disk',
  })
})

test('a part is not decrypted before the turn of the one before it ends, and not after its repository was closed', async () => {
  const { repository, bundle, keys } = await openGateway({ store: disk.store, instanceId: 'turns' })
  const device = createSignalDevice()
  await device.openSession(GATEWAY, bundle(1))
  const part = async (words: string) => ({ chat: JID, author: JID, ...(await device.encrypt(GATEWAY, said(words))) })
  const [one, two, three] = [await part('1'), await part('2'), await part('3')]
  const first = await repository.turnOf(one)
  const seen: string[] = []
  const second = repository.turnOf(two).then(async (turn) => {
    seen.push('second turn')
    const { plaintext, changes } = await turn.decrypt()
    await keys.commit(changes)
    turn.end()
    return text(plaintext)
  })
  const { plaintext, changes } = await first.decrypt()
  assert.equal(text(plaintext), '1')
  await keys.commit(changes)
  seen.push('first turn')
  first.end()
  assert.equal(await second, '2')
  assert.deepEqual(seen, ['first turn', 'second turn'])
  const holding = await repository.turnOf(three)
  const late = repository.turnOf(three)
  repository.close?.()
  holding.end()
  await assert.rejects(late, { message: 'session closed' })
  await assert.rejects(repository.turnOf(three), { message: 'session closed' })
})
