import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import protobuf from 'protobufjs/minimal.js'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { unknownField } from '../../../../workers/shard/translate/inbound/unknown-content.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, testContext } from './context.ts'

const FUTURE = protobuf.Writer.create()
  .uint32((999 << 3) | 2)
  .string('what nobody knows yet')
  .finish()
const encoded = (message: proto.IMessage) => proto.Message.encode(message).finish()
const fieldOf = (...parts: Uint8Array[]) =>
  unknownField(Object.assign({}, ...parts.map((part) => proto.Message.decode(part))), parts)

test('a content the library does not know is found, alone and beside what is no content', () => {
  const aside = encoded({ messageContextInfo: { messageSecret: Buffer.alloc(32) } })
  const key = encoded({ senderKeyDistributionMessage: { groupId: '1@g.us' } })
  assert.equal(fieldOf(FUTURE), 999)
  assert.equal(fieldOf(Buffer.concat([aside, FUTURE])), 999)
  assert.equal(fieldOf(key, FUTURE), 999)
})

/** Encodes the wrapper without the library, because the library drops unknown fields. */
function wrapped(wrapper: 'ephemeralMessage' | 'viewOnceMessageV2', inner: Uint8Array): Uint8Array {
  const empty = protobuf.Reader.create(encoded({ [wrapper]: {} }))
  const message = protobuf.Writer.create()
    .uint32((1 << 3) | 2)
    .bytes(inner)
    .finish()
  return protobuf.Writer.create().uint32(empty.uint32()).bytes(message).finish()
}

// An earlier bug: the service did not find content that the library does not know, so it acknowledged the message
// without an event.
test('a content the library does not know is found behind an empty text, and inside of wrappers', () => {
  const nothing = encoded({ conversation: '' })
  assert.equal(fieldOf(Buffer.concat([nothing, FUTURE])), 999)
  assert.equal(fieldOf(wrapped('ephemeralMessage', FUTURE)), 999)
  assert.equal(fieldOf(wrapped('ephemeralMessage', wrapped('viewOnceMessageV2', Buffer.concat([nothing, FUTURE])))), 999)
})

test('an empty message and what is not reported are none inside of wrappers, however deep they are', () => {
  const album = encoded({ albumMessage: { expectedImageCount: 2 } })
  for (const part of [new Uint8Array(), encoded({ conversation: '' }), album, encoded({ conversation: 'hello' })])
    assert.equal(fieldOf(wrapped('ephemeralMessage', part)), null)
  let deep: Uint8Array = FUTURE
  for (let depth = 0; depth < 50; depth++) deep = wrapped('ephemeralMessage', deep)
  assert.equal(fieldOf(deep), null)
})

test('what our own phone wraps is found as well', () => {
  const sent = protobuf.Writer.create()
    .uint32((2 << 3) | 2)
    .bytes(FUTURE)
    .finish()
  const outer = protobuf.Writer.create()
    .uint32((31 << 3) | 2)
    .bytes(sent)
    .finish()
  assert.equal(unknownField({}, [outer]), 999)
})

test('an empty message, a key alone and a known content with something new in it are none', () => {
  const key = encoded({ senderKeyDistributionMessage: { groupId: '1@g.us' } })
  for (const part of [new Uint8Array(), key, Buffer.concat([encoded({ conversation: 'hello' }), FUTURE])])
    assert.equal(fieldOf(part), null)
})

test('an unknown content is reported as unsupported, with its field number', async () => {
  const event = await receivedEvent(testContext(), { key: { remoteJid: ANA, id: 'F' }, message: {}, unknownField: 999 })
  assert.deepEqual(blockOf(event?.body, 'unsupported'), { proto_type: 'field 999' })
})
