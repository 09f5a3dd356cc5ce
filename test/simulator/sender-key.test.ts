import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from '@whiskeysockets/baileys/lib/Signal/Group/index.js'
import { createSignalDevice, restoreSignalDevice } from '../../packages/sandbox/src/testing.ts'
import { createRustSide } from './rust-signal.ts'

const GROUP = '120363000000000001@g.us'
const ANNA = '491700000001.0'
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

function createBaileysSide() {
  const records = new Map<string, SenderKeyRecord>()
  const store = {
    loadSenderKey: async (name: SenderKeyName) => {
      const known = records.get(name.toString()) ?? new SenderKeyRecord()
      records.set(name.toString(), known)
      return known
    },
    storeSenderKey: async (name: SenderKeyName, record: SenderKeyRecord) => {
      records.set(name.toString(), record)
    },
  }
  const named = (address: string) => {
    const [id, deviceId] = address.split('.')
    return new SenderKeyName(GROUP, { id: id!, deviceId: Number(deviceId), toString: () => address })
  }
  return {
    senderKey: async (self: string) => (await new GroupSessionBuilder(store).create(named(self))).serialize(),
    accept: (author: string, bytes: Uint8Array) =>
      new GroupSessionBuilder(store).process(named(author), new SenderKeyDistributionMessage(null, null, null, null, bytes)),
    encrypt: (self: string, words: string) => new GroupCipher(store, named(self)).encrypt(Buffer.from(words)),
    decrypt: async (author: string, bytes: Uint8Array) => text(await new GroupCipher(store, named(author)).decrypt(bytes)),
  }
}

test('members of a group read each other, late and out of order', async () => {
  const anna = createSignalDevice()
  const ben = createSignalDevice()
  await ben.acceptSenderKey(GROUP, ANNA, await anna.senderKey(GROUP))
  const sealed = await Promise.all(['0', '1', '2', '3'].map((words) => anna.encryptGroup(GROUP, Buffer.from(words))))
  for (const n of [3, 0, 2, 1]) assert.equal(text(await ben.decryptGroup(GROUP, ANNA, sealed[n]!)), `${n}`)
  await assert.rejects(ben.decryptGroup(GROUP, ANNA, sealed[1]!), /already read/)
})

test('a member who joins later reads from there on only', async () => {
  const anna = createSignalDevice()
  const ben = createSignalDevice()
  await anna.senderKey(GROUP)
  const before = await anna.encryptGroup(GROUP, Buffer.from('before'))
  await ben.acceptSenderKey(GROUP, ANNA, await anna.senderKey(GROUP))
  await assert.rejects(ben.decryptGroup(GROUP, ANNA, before))
  assert.equal(text(await ben.decryptGroup(GROUP, ANNA, await anna.encryptGroup(GROUP, Buffer.from('after')))), 'after')
})

test('a message with a wrong signature is refused and costs nothing', async () => {
  const anna = createSignalDevice()
  const ben = createSignalDevice()
  await ben.acceptSenderKey(GROUP, ANNA, await anna.senderKey(GROUP))
  const sealed = await anna.encryptGroup(GROUP, Buffer.from('good'))
  const forged = Buffer.from(sealed)
  forged[5]! ^= 1
  await assert.rejects(ben.decryptGroup(GROUP, ANNA, forged))
  assert.equal(text(await ben.decryptGroup(GROUP, ANNA, sealed)), 'good')
})

test('a dropped sender key is replaced, and both stay readable to those who were given them', async () => {
  const anna = createSignalDevice()
  const ben = createSignalDevice()
  await ben.acceptSenderKey(GROUP, ANNA, await anna.senderKey(GROUP))
  const old = await anna.encryptGroup(GROUP, Buffer.from('old key'))
  anna.dropSenderKey(GROUP)
  await ben.acceptSenderKey(GROUP, ANNA, await anna.senderKey(GROUP))
  assert.equal(text(await ben.decryptGroup(GROUP, ANNA, await anna.encryptGroup(GROUP, Buffer.from('new key')))), 'new key')
  assert.equal(text(await ben.decryptGroup(GROUP, ANNA, old)), 'old key')
})

test('sender keys survive a restart on both sides', async () => {
  const anna = createSignalDevice()
  const ben = createSignalDevice()
  await ben.acceptSenderKey(GROUP, ANNA, await anna.senderKey(GROUP))
  const late = await anna.encryptGroup(GROUP, Buffer.from('late'))
  assert.equal(text(await ben.decryptGroup(GROUP, ANNA, await anna.encryptGroup(GROUP, Buffer.from('one')))), 'one')
  const annaAgain = restoreSignalDevice(JSON.parse(JSON.stringify(anna.save())))
  const benAgain = restoreSignalDevice(JSON.parse(JSON.stringify(ben.save())))
  assert.equal(text(await benAgain.decryptGroup(GROUP, ANNA, await annaAgain.encryptGroup(GROUP, Buffer.from('two')))), 'two')
  assert.equal(text(await benAgain.decryptGroup(GROUP, ANNA, late)), 'late')
})

test("Baileys' group cipher reads a device", async () => {
  const anna = createSignalDevice()
  const baileys = createBaileysSide()
  await baileys.accept(ANNA, await anna.senderKey(GROUP))
  for (const words of ['one', 'two', 'three']) {
    assert.equal(await baileys.decrypt(ANNA, await anna.encryptGroup(GROUP, Buffer.from(words))), words)
  }
})

test("a device reads Baileys' group cipher", async () => {
  const ben = createSignalDevice()
  const baileys = createBaileysSide()
  await ben.acceptSenderKey(GROUP, ANNA, await baileys.senderKey(ANNA))
  for (const words of ['one', 'two', 'three']) {
    assert.equal(text(await ben.decryptGroup(GROUP, ANNA, await baileys.encrypt(ANNA, words))), words)
  }
})

test("the Rust library's group cipher reads a device", async () => {
  const anna = createSignalDevice()
  const rust = createRustSide()
  await rust.acceptSenderKey(GROUP, ANNA, await anna.senderKey(GROUP))
  const late = await anna.encryptGroup(GROUP, Buffer.from('late'))
  for (const words of ['one', 'two', 'three']) {
    assert.equal(await rust.decryptGroup(GROUP, ANNA, await anna.encryptGroup(GROUP, Buffer.from(words))), words)
  }
  assert.equal(await rust.decryptGroup(GROUP, ANNA, late), 'late')
})

test("a device reads the Rust library's group cipher", async () => {
  const ben = createSignalDevice()
  const rust = createRustSide()
  await ben.acceptSenderKey(GROUP, ANNA, await rust.senderKey(GROUP, ANNA))
  for (const words of ['one', 'two', 'three']) {
    assert.equal(text(await ben.decryptGroup(GROUP, ANNA, await rust.encryptGroup(GROUP, ANNA, words))), words)
  }
})
