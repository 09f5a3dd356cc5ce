/** Which field of a message is its content. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, testContext } from './context.ts'

/** As it comes off the wire: fields in the order of their numbers, and what is written there is an own property. */
async function translated(message: proto.IMessage) {
  const decoded = proto.Message.decode(proto.Message.encode(message).finish())
  const event = await receivedEvent(testContext(), { key: { id: '3EB0A', remoteJid: ANA, fromMe: false }, message: decoded })
  assert.ok(event)
  return event.body
}

// Number 1 comes first, and was taken for the content: the picture was told as a text that says nothing.
test('an empty conversation beside other content hides none of it', async () => {
  const image = await translated({ conversation: '', imageMessage: { caption: 'Beach' } })
  assert.equal(image.message_type, 'image')
  assert.equal(blockOf(image, 'image').caption, 'Beach')
  assert.ok(!('text' in image))
  const extended = await translated({ conversation: '', extendedTextMessage: { text: 'See' } })
  assert.equal(blockOf(extended, 'text').message, 'See')
  const wrapped = await translated({ ephemeralMessage: { message: { conversation: '', audioMessage: { ptt: true } } } })
  assert.equal(wrapped.message_type, 'audio')
})

test('a conversation that says nothing is still a message', async () => {
  const body = await translated({ conversation: '', messageContextInfo: {} })
  assert.equal(body.message_type, 'text')
  assert.equal((body.text as { message: string }).message, '')
})
