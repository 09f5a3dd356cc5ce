import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { closedBy } from '../../../workers/shard/connection/disconnect.ts'
import { endOf } from '../../../workers/shard/network/end-reason.ts'

const ended = (stanza: BinaryNode) => closedBy(endOf(stanza)).code

const conflict = (type: string, attrs: Record<string, string> = {}): BinaryNode => ({
  tag: 'stream:error',
  attrs,
  content: [{ tag: 'conflict', attrs: { type } }],
})

test('a device that was removed is unlinked, with or without a code; one that was replaced is not', () => {
  assert.equal(ended(conflict('device_removed', { code: '401' })), 401)
  assert.equal(ended(conflict('device_removed')), 401)
  assert.equal(ended(conflict('replaced')), 440)
})

test('a login that the store refused says nothing about the network', () => {
  const refused = new StorageFailure('The database cannot be reached.', {
    cause: new Error('connect ECONNREFUSED 127.0.0.1:5432'),
  })
  assert.equal(closedBy(refused).startFailure, 'storeAway')
  assert.equal(closedBy(new Error('connect ECONNREFUSED 127.0.0.1:443')).startFailure, null)
})

test('any value is a reason', () => {
  for (const odd of [undefined, null, 428, 'gone']) assert.deepEqual(closedBy(odd).code, null)
})
