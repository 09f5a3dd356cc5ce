import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initAuthCreds, type KeyPair, type SignalKeyStore } from '@whiskeysockets/baileys'
import { nextOneTimeKeys } from '../../../workers/shard/keys/next-one-time-keys.ts'
import { column } from '../../harness/columns.ts'

function memory() {
  const stored: Record<string, KeyPair> = {}
  const read: string[] = []
  const keys = {
    async get(_: string, ids: string[]) {
      read.push(...ids)
      return Object.fromEntries(ids.filter((id) => id in stored).map((id) => [id, stored[id]]))
    },
    async set(data: { 'pre-key': Record<string, KeyPair> }) {
      Object.assign(stored, data['pre-key'])
    },
  } as unknown as SignalKeyStore
  return { stored, read, keys }
}

test('new keys are stored and not read back, and follow the keys before them', async () => {
  const { stored, read, keys } = memory()
  const creds = initAuthCreds()
  const first = await nextOneTimeKeys({ creds, keys }, 3)
  assert.deepEqual(column(first.keys, 'id'), [1, 2, 3])
  for (const { id, pair } of first.keys) assert.equal(stored[id], pair)
  Object.assign(creds, first.update)
  const next = await nextOneTimeKeys({ creds, keys }, 2)
  assert.deepEqual(column(next.keys, 'id'), [4, 5])
  assert.deepEqual(read, [])
  assert.deepEqual(next.update, { nextPreKeyId: 6, firstUnuploadedPreKeyId: 6 })
})

test('keys that another program created and did not upload come first', async () => {
  const { read, keys } = memory()
  const created = await nextOneTimeKeys({ creds: initAuthCreds(), keys }, 3)
  const creds = { ...initAuthCreds(), nextPreKeyId: 4, firstUnuploadedPreKeyId: 1 }
  const some = await nextOneTimeKeys({ creds, keys }, 2)
  assert.deepEqual(some.keys, created.keys.slice(0, 2))
  assert.deepEqual(some.update, { nextPreKeyId: 4, firstUnuploadedPreKeyId: 3 })
  Object.assign(creds, some.update)
  const rest = await nextOneTimeKeys({ creds, keys }, 2)
  assert.deepEqual(column(rest.keys, 'id'), [3, 4])
  assert.deepEqual(read, ['1', '2', '3'])
  assert.deepEqual(rest.update, { nextPreKeyId: 5, firstUnuploadedPreKeyId: 5 })
})
