import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { saltIn, withSalt } from '../../../workers/shard/wire/chat-token.ts'

const index = Buffer.from('["nct_salt_sync"]')
const salt = Buffer.from('0123456789abcdef')
/** Encoded field 80 of `SyncActionValue`. Its field 1 is the salt. */
const action = Buffer.concat([Buffer.from([0x82, 5, salt.length + 2, 0x0a, salt.length]), salt])

function read(value: proto.ISyncActionValue, more = Buffer.alloc(0)) {
  const bytes = Buffer.concat([proto.SyncActionValue.encode(proto.SyncActionValue.create(value)).finish(), more])
  const rest = proto.SyncActionData.encode(
    proto.SyncActionData.create({ index, version: 1, padding: new Uint8Array(3) }),
  ).finish()
  const plain = Buffer.concat([rest, Buffer.from([0x12, bytes.length]), bytes, Buffer.from([0x20, 1])])
  return withSalt(proto.SyncActionData.decode(plain).value!, plain)
}

test('a field that the definition of the library lacks is read beside those that it has', () => {
  const value = read({ timestamp: 7 }, action)
  assert.equal(Number(value.timestamp), 7)
  assert.deepEqual(Buffer.from(saltIn({ index: ['nct_salt_sync'], value })!), salt)
  assert.equal(saltIn({ index: ['pin_v1', 'x'], value }), undefined, 'other actions say nothing of it')
})

test('a removed salt is reported as null, or that is empty', () => {
  assert.equal(saltIn({ index: ['nct_salt_sync'], value: read({ timestamp: 7 }) }), null)
  assert.equal(saltIn({ index: ['nct_salt_sync'], value: read({}, Buffer.from([0x82, 5, 2, 0x0a, 0])) }), null)
  assert.equal(saltIn({ index: ['nct_salt_sync'], value: null }), null)
})
