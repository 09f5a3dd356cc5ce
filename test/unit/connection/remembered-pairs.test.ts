import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuthenticationState, jidDecode, type SignalDataSet } from '@whiskeysockets/baileys'
import { deferred } from '../../../src/lib/deferred.ts'
import { createIdentity, keepingPairs } from '../../../workers/shard/connection/identity.ts'
import { jidParts, jidUser } from '../../../workers/shard/wire/jid.ts'

const PN = '5511988887777@s.whatsapp.net'

function opened() {
  const stored = new Map<string, unknown>()
  const reads: string[] = []
  const gate = { opens: Promise.resolve(), failsAfterWrite: false }
  const keys = {
    async get(_: string, ids: string[]) {
      reads.push(...ids)
      const found = Object.fromEntries(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id)]] : [])))
      await gate.opens
      return found
    },
    async set(data: SignalDataSet) {
      for (const [id, value] of Object.entries(data['lid-mapping'] ?? {})) {
        if (value === null) stored.delete(id)
        else stored.set(id, value)
      }
      if (gate.failsAfterWrite) throw new Error('the disk failed')
    },
  }
  const auth = keepingPairs({ creds: {}, keys } as unknown as AuthenticationState, () => {})
  const map = (lid: string | null) => auth.keys.set({ 'lid-mapping': { [jidUser(PN)]: lid } })
  return { identity: createIdentity(auth), auth, map, reads, gate }
}

test('a pair is read once, and a changed or removed pair is read again', async () => {
  const { identity, map, reads, gate } = opened()
  assert.equal(await identity.lidOf(PN), null)
  await map('1')
  assert.equal(await identity.lidOf(PN), '1@lid')
  assert.equal(await identity.lidOf(PN), '1@lid')
  assert.equal(reads.length, 2)
  await map('2')
  assert.equal(await identity.lidOf(PN), '2@lid')
  gate.failsAfterWrite = true
  await assert.rejects(Promise.resolve(map('3')))
  assert.equal(await identity.lidOf(PN), '3@lid')
  gate.failsAfterWrite = false
  await map(null)
  assert.equal(await identity.lidOf(PN), null)
})

test('a read that began before a change is not remembered', async () => {
  const { identity, map, gate } = opened()
  await map('1')
  const held = deferred()
  gate.opens = held.promise
  const early = identity.lidOf(PN)
  await map('2')
  held.resolve()
  assert.equal(await early, '1@lid')
  assert.equal(await identity.lidOf(PN), '2@lid')
})

test('a person is found once, and again after a change of the pairs or while one name is unknown', async () => {
  const { identity, map, reads, gate } = opened()
  const lidOf = async () => (await identity.person(PN)).lid
  assert.equal(await lidOf(), null)
  assert.equal(await lidOf(), null)
  assert.equal(reads.length, 2)
  await map('1')
  const first = await identity.person(PN)
  assert.deepEqual(first, { phone: jidUser(PN), lid: '1@lid' })
  assert.equal(await identity.person(PN), first)
  assert.equal(reads.length, 3)
  await map('2')
  assert.equal(await lidOf(), '2@lid')
  const held = deferred()
  gate.opens = held.promise
  await map('3')
  const early = lidOf()
  await map('4')
  // This look-up puts the latest change into memory before the early look-up ends. The result of the early one must
  // not replace this change.
  const other = identity.person('4@lid')
  held.resolve()
  await other
  assert.equal(await early, '3@lid')
  assert.equal(await lidOf(), '4@lid')
  await map(null)
  assert.equal(await lidOf(), null)
})

test('other types, and several ids at once, are read as before', async () => {
  const { auth, map, reads } = opened()
  await map('1')
  const ids = [jidUser(PN), 'absent']
  assert.deepEqual(await auth.keys.get('lid-mapping', ids), { [jidUser(PN)]: '1' })
  await auth.keys.get('session', ['a'])
  await auth.keys.get('session', ['a'])
  assert.deepEqual(reads, [...ids, 'a', 'a'])
})

test('a jid has the same parts as in the library', () => {
  const names = ['', '5511988887777', '1', 'a.b', '1_1', '1_128', '_', '_1', '1_', '1_2_3']
  const devices = ['', ':', ':0', ':3', ':99', ':3:4', ':x', ':1_2', '_5:1']
  const servers = ['', '@', '@s.whatsapp.net', '@lid', '@hosted', '@hosted.lid', '@g.us', '@c.us', '@a@b', '@b:1', '@b_1']
  for (const name of names)
    for (const device of devices)
      for (const server of servers) {
        const jid = name + device + server
        assert.deepEqual(jidParts(jid), jidDecode(jid), jid)
      }
})

test('the user of a jid is the part before the device, the agent and the server', () => {
  for (const [jid, user] of [
    [PN, '5511988887777'],
    ['5511988887777:3@s.whatsapp.net', '5511988887777'],
    ['1:99@hosted.lid', '1'],
    ['1_1:2@lid', '1'],
    ['120363000000000000@g.us', '120363000000000000'],
    ['status@broadcast', 'status'],
    ['no jid', 'no jid'],
  ] as const)
    assert.equal(jidUser(jid), user)
})
