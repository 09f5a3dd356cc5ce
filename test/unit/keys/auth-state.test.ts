import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Curve, proto, type SignalDataTypeMap } from '@whiskeysockets/baileys'
import type { StateStore } from '../../../src/storage/contract.ts'
import { createAuthState } from '../../../workers/shard/keys/auth-state.ts'
import { createKeyCache, createKeyStore } from '../../../workers/shard/keys/key-store.ts'
import { createAddressLocks } from '../../../workers/shard/keys/signal/address/address-locks.ts'
import { openDisk, sealer } from './signal/gateway.ts'

const disk = await openDisk()
after(() => disk.close())

function open(instanceId: string, store: StateStore = disk.store) {
  const keys = createKeyStore(instanceId, store, sealer, createKeyCache({ maxEntries: 100 }))
  const locks = createAddressLocks()
  return { keys, locks, auth: createAuthState({ keys, store, sealer, locks }) }
}

test('every type of key comes back as it was, from the disk', async () => {
  const { auth } = open('types')
  const pair = Curve.generateKeyPair()
  const values: { [T in keyof SignalDataTypeMap]: SignalDataTypeMap[T] } = {
    'pre-key': pair,
    session: Buffer.from('session'),
    'sender-key': Buffer.from('sender key'),
    'identity-key': Buffer.alloc(33, 5),
    'sender-key-memory': { '1@lid': true, '2@lid': false },
    'device-list': ['0', '12'],
    'lid-mapping': '99900000001',
    tctoken: { token: Buffer.from([1, 2, 3]), timestamp: '1700000000', senderTimestamp: 7 },
    'app-state-sync-version': {
      version: 3,
      hash: Buffer.alloc(128, 1),
      indexValueMap: { 'aa/+=': { valueMac: Buffer.from([9]) } },
    },
    'app-state-sync-key': proto.Message.AppStateSyncKeyData.create({
      keyData: Buffer.from('key data'),
      fingerprint: { rawId: 1, currentIndex: 2, deviceIndexes: [0, 1] },
    }),
  }
  /**
   * Returns an id for a key of this type. The ids of one-time pre-keys must be numbers, because the protocol sends them
   * as numbers.
   */
  const idOf = (type: string) => (type === 'pre-key' ? '7' : 'an/id+=')
  const creds = await auth.discardHalfPaired()
  creds.account = { details: Buffer.of(1) }
  await auth.saveCreds(creds)
  await auth
    .forSocket(creds)
    .keys.set(Object.fromEntries(Object.entries(values).map(([type, value]) => [type, { [idOf(type)]: value }])))
  // This second key store simulates another process. It has not written the keys itself, so it must read them from the
  // disk.
  const again = open('types').auth
  const view = again.forSocket(await again.discardHalfPaired()).keys
  for (const [type, value] of Object.entries(values)) {
    const id = idOf(type)
    const { [id]: found } = await view.get(type as keyof SignalDataTypeMap, [id, type === 'pre-key' ? '8' : 'absent'])
    if (type === 'app-state-sync-key') {
      const key = found as unknown as proto.Message.AppStateSyncKeyData
      assert.deepEqual(
        proto.Message.AppStateSyncKeyData.encode(key).finish(),
        proto.Message.AppStateSyncKeyData.encode(values[type]).finish(),
      )
    } else assert.deepEqual(found, value, type)
  }
})

test('a set of many types is one commit, and null removes', async () => {
  let commits = 0
  const commit: StateStore['commit'] = (batch) => {
    commits += 1
    return disk.store.commit(batch)
  }
  const { auth } = open('one', { ...disk.store, commit })
  const { keys } = auth.forSocket(await auth.discardHalfPaired())
  await keys.set({ session: { a: Buffer.of(1), b: Buffer.of(2) }, 'lid-mapping': { c: 'd' }, 'device-list': { e: ['0'] } })
  assert.equal(commits, 1)
  await keys.set({ session: { a: null } })
  assert.deepEqual(Object.keys(await keys.get('session', ['a', 'b'])), ['b'])
})

test('credentials come back whole, the account with its bytes', async () => {
  const { auth } = open('creds')
  const creds = await auth.discardHalfPaired()
  creds.me = { id: '4915700000001:7@s.whatsapp.net', lid: '99900000001:7@lid' }
  creds.account = proto.ADVSignedDeviceIdentity.create({ details: Buffer.of(1, 2), accountSignature: Buffer.alloc(64, 3) })
  creds.routingInfo = Buffer.of(8, 2)
  await auth.saveCreds(creds)
  const loaded = await open('creds').auth.loadCreds()
  assert.deepEqual(Buffer.from(loaded!.account!.details!), Buffer.of(1, 2))
  assert.deepEqual(Buffer.from(loaded!.account!.accountSignature!), Buffer.alloc(64, 3))
  assert.deepEqual(loaded!.signedPreKey, creds.signedPreKey)
  assert.deepEqual(loaded!.noiseKey, creds.noiseKey)
  assert.deepEqual(loaded!.routingInfo, creds.routingInfo)
  assert.deepEqual(loaded!.me, creds.me)
})

test('saves land in the order they were asked for', async () => {
  const pending: (() => void)[] = []
  const commit: StateStore['commit'] = async (batch) => {
    await new Promise<void>((resolve) => pending.push(resolve))
    return disk.store.commit(batch)
  }
  const { auth } = open('order', { ...disk.store, commit })
  const creds = await auth.discardHalfPaired()
  creds.account = { details: Buffer.of(1) }
  creds.nextPreKeyId = 10
  const first = auth.saveCreds(creds)
  creds.nextPreKeyId = 20
  const second = auth.saveCreds(creds)
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await turn()
  assert.equal(pending.length, 1, 'the second waits for the first')
  pending.shift()!()
  await first
  assert.equal((await open('order').auth.loadCreds())?.nextPreKeyId, 10)
  await turn()
  pending.shift()!()
  await second
  assert.equal((await open('order').auth.loadCreds())?.nextPreKeyId, 20)
})

test('credentials that are loaded contain the saves that were requested before', async () => {
  const { auth } = open('load')
  const creds = await auth.discardHalfPaired()
  creds.account = { details: Buffer.of(1) }
  await auth.saveCreds(creds)
  creds.nextPreKeyId = 30
  const saved = auth.saveCreds(creds)
  assert.equal((await auth.loadCreds())?.nextPreKeyId, 30)
  await saved
})

test('credentials without an account are discarded with their keys, linked ones stay', async () => {
  const { auth, keys } = open('half')
  const half = await auth.discardHalfPaired()
  half.me = { id: '4915700000001@s.whatsapp.net', name: '~' }
  await auth.saveCreds(half)
  await keys.commit([['pre-key', '1', Buffer.alloc(64)]])
  const fresh = await auth.discardHalfPaired()
  assert.equal(fresh.me, undefined)
  assert.notDeepEqual(fresh.noiseKey, half.noiseKey)
  assert.equal(await keys.isEmpty(), true)
  fresh.account = { details: Buffer.of(1) }
  await auth.saveCreds(fresh)
  assert.deepEqual((await auth.discardHalfPaired()).noiseKey, fresh.noiseKey)
})

test('after erasing, a late save or key of the old socket brings nothing back', async () => {
  const { auth, keys } = open('late')
  const creds = await auth.discardHalfPaired()
  creds.account = { details: Buffer.of(1) }
  const socket = auth.forSocket(creds)
  await auth.saveCreds(creds)
  await socket.keys.set({ session: { a: Buffer.of(1) } })
  await auth.erase()
  await auth.saveCreds(creds)
  await assert.rejects(async () => socket.keys.set({ session: { a: Buffer.of(1) } }), /belong to a pairing that has ended/)
  assert.equal(await auth.loadCreds(), undefined)
  assert.equal(await keys.isEmpty(), true)
})

test('a save that waits while the account is erased writes nothing, and what was to go with it is not begun', async () => {
  const { auth, keys } = open('erased')
  const creds = await auth.discardHalfPaired()
  creds.account = { details: Buffer.of(1) }
  let begun = 0
  const alongside = async () => {
    begun++
    return { keys: [], ops: () => [], applied() {} }
  }
  const first = auth.saveCreds(creds, alongside)
  const second = auth.saveCreds(creds, alongside)
  await Promise.all([first, second, auth.erase()])
  assert.equal(begun, 0)
  assert.equal(await auth.loadCreds(), undefined)
  assert.equal(await keys.isEmpty(), true)
})
