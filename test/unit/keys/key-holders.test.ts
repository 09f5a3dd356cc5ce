import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAuthState } from '../../../workers/shard/keys/auth-state.ts'
import { createKeyHolders, holdersCodec } from '../../../workers/shard/keys/key-holders.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { createAddressLocks } from '../../../workers/shard/keys/signal/address/address-locks.ts'
import { type Disk, openDisk, sealer } from './signal/gateway.ts'

const GROUP = '1@g.us'
let disk: Disk
before(async () => {
  disk = await openDisk()
})
after(() => disk.close())

async function open(instance: string) {
  const keys = createKeyStore(instance, disk.store, sealer, createKeyCache({ maxEntries: 100 }))
  const auth = createAuthState({ keys, store: disk.store, sealer, locks: createAddressLocks() })
  const socket = auth.forSocket(await auth.discardHalfPaired())
  return {
    holders: createKeyHolders(keys),
    give: (map: Record<string, boolean>) => socket.keys.set({ 'sender-key-memory': { [GROUP]: map } }),
    read: async () => (await socket.keys.get('sender-key-memory', [GROUP]))[GROUP],
  }
}

test('all devices of a group have its key when each has an entry; hosted ones never get it', async () => {
  const { holders, give, read } = await open('all')
  const [one, both] = [['1@lid'], ['1@lid', '2:7@lid']]
  assert.equal(await holders.haveAll(GROUP, one), false, 'there is no record')
  await give({ '1@lid': true })
  assert.equal(await holders.haveAll(GROUP, one), true)
  assert.equal(await holders.haveAll(GROUP, both), false)
  await give({ ...(await read())!, '2:7@lid': true })
  assert.equal(await holders.haveAll(GROUP, both), true)
  assert.equal(await holders.haveAll(GROUP, [...both, '3:99@hosted.lid', '3@hosted', '4:99@lid']), true)
  await give({ '1@lid': true })
  assert.equal(await holders.haveAll(GROUP, one), true)
  assert.equal(await holders.haveAll(GROUP, both), false, 'one of them has asked for it again')
})

test('what a send adds to the record of holders is its own until it is written', async () => {
  const { give, read } = await open('own')
  await give({ '1@lid': true })
  const [first, second] = [await read(), await read()]
  first!['2@lid'] = true
  assert.deepEqual([first, second], [{ '1@lid': true, '2@lid': true }, { '1@lid': true }])
  await give(first!)
  assert.deepEqual(await read(), { '1@lid': true, '2@lid': true })
  // This one was not read, so it is stored unchanged.
  const unread = (await read())!
  assert.equal(holdersCodec.bytes(unread), holdersCodec.bytes(unread))
  await give(unread)
  assert.deepEqual(await read(), { '1@lid': true, '2@lid': true })
  delete first!['1@lid']
  await give(first!)
  assert.deepEqual(await read(), { '2@lid': true })
})
