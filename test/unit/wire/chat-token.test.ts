import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { chatToken } from '../../../workers/shard/wire/chat-token.ts'
import { bytesField } from '../../../workers/shard/wire/protobuf.ts'

test('the token is computed over the LID of the person, under the salt', () => {
  const salt = Buffer.from('salt')
  const { tag, content } = chatToken(salt, '123@lid')
  assert.equal(tag, 'cstoken')
  assert.deepEqual(content, createHmac('sha256', salt).update('123@lid').digest())
})

test('a field is found by its number, the last where there are several, and in nothing that is damaged', () => {
  // Field 1 is the varint 300, field 2 is "ab", field 3 is a fixed32, and field 4 is a fixed64. Then field 2 comes a
  // second time, with "c".
  const message = Buffer.concat([
    Buffer.from([8, 0xac, 2, 0x12, 2]),
    Buffer.from('ab'),
    Buffer.from([0x1d, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 1]),
    Buffer.from('c'),
  ])
  assert.deepEqual(Buffer.from(bytesField(message, 2)!), Buffer.from('c'))
  assert.equal(bytesField(message, 1), null, 'it is no field of bytes')
  assert.equal(bytesField(message, 9), null)
  assert.equal(bytesField(new Uint8Array(0), 2), null)
  for (const damaged of [message.subarray(0, 6), Buffer.from([0x12]), Buffer.from([0x13, 1]), Buffer.alloc(12, 0xff)])
    assert.equal(bytesField(damaged, 2), null)
})
