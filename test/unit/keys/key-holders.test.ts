import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAuthState } from '../../../workers/shard/keys/auth-state.ts'
import { createKeyHolders } from '../../../workers/shard/keys/key-holders.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { createAddressLocks } from '../../../workers/shard/keys/signal/address/address-locks.ts'
import { openDisk, sealer } from './signal/gateway.ts'

const GROUP = '1@g.us'
const disk = await openDisk()
after(() => disk.close())

async function open(instance: string) {
  const keys = createKeyStore(instance, disk.store, sealer, createKeyCache({ maxEntries: 100 }))
  const auth = createAuthState({ keys, store: disk.store, sealer, locks: createAddressLocks() })
  const socket = auth.forSocket(await auth.discardHalfPaired())
  return createKeyHolders(keys, socket.keys)
}

test('devices without an entry lack the key; hosted ones never get it', async () => {
  const holders = await open('all')
  const [one, both] = [['1@lid'], ['1@lid', '2:7@lid']]
  assert.deepEqual(await holders.lacking(GROUP, one), one, 'there is no record')
  await holders.add(GROUP, one)
  assert.deepEqual(await holders.lacking(GROUP, one), [])
  assert.deepEqual(await holders.lacking(GROUP, both), ['2:7@lid'])
  await holders.add(GROUP, ['2:7@lid'])
  assert.deepEqual(await holders.lacking(GROUP, both), [])
  assert.deepEqual(await holders.lacking(GROUP, [...both, '3:99@hosted.lid', '3@hosted', '4:99@lid']), [])
})

test('a device that asked for the key again lacks it, under either of its names', async () => {
  const holders = await open('asked')
  const devices = ['1@lid', '2@lid']
  await holders.add(GROUP, devices)
  assert.deepEqual(await holders.lacking(GROUP, devices), [])
  assert.equal(await holders.has(GROUP, ['55@s.whatsapp.net', '2@lid']), true)
  await holders.forget(GROUP, ['55@s.whatsapp.net', '2@lid'])
  assert.deepEqual(await holders.lacking(GROUP, devices), ['2@lid'])
  assert.equal(await holders.has(GROUP, ['2@lid']), false)
  await holders.forget(GROUP, ['nobody'])
  assert.deepEqual(await holders.lacking(GROUP, devices), ['2@lid'])
})

test('changes of a record at the same time are all kept, and an audience is replaced as a whole', async () => {
  const holders = await open('several')
  const devices = Array.from({ length: 20 }, (_, at) => `${at}@lid`)
  await Promise.all(devices.map((device) => holders.add(GROUP, [device])))
  assert.deepEqual(await holders.lacking(GROUP, devices), [])
  await holders.replace(GROUP, ['1@lid'])
  assert.deepEqual(await holders.lacking(GROUP, ['1@lid', '2@lid']), ['2@lid'])
})
