import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, testContext } from './context.ts'

/**
 * Returns the event of a message. The message is first encoded and decoded, so that its fields are in the order of
 * their numbers, and each is an own property.
 */
function eventOf(message: proto.IMessage) {
  const decoded = proto.Message.decode(proto.Message.encode(message).finish())
  return receivedEvent(testContext(), { key: { id: '3EB0A', remoteJid: ANA, fromMe: false }, message: decoded })
}

async function translated(message: proto.IMessage) {
  const event = await eventOf(message)
  assert.ok(event)
  return event.body
}

// An earlier bug: the text field always counted as the content, so a picture beside an empty text was reported as an
// empty text.
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

const EMPTY: proto.IMessage[] = [
  { conversation: '' },
  { conversation: '', messageContextInfo: {} },
  { extendedTextMessage: { text: '' } },
  { extendedTextMessage: { contextInfo: { expiration: 86_400 } } },
  { ephemeralMessage: { message: { conversation: '' } } },
]

test('a text that says nothing gives no event', async () => {
  for (const message of EMPTY) assert.equal(await eventOf(message), null, JSON.stringify(message))
})

test('a text without words is told when something else is in it', async () => {
  const card = await translated({ extendedTextMessage: { matchedText: 'https://x.example' } })
  assert.equal(blockOf(card, 'text').url, 'https://x.example')
  const ad = await translated({ extendedTextMessage: { text: '', contextInfo: { externalAdReply: { sourceId: '1' } } } })
  assert.equal(ad.external_ad_reply?.source_id, '1')
})

// These messages are internal data of the network's clients: a history for a new member, and stickers that two devices
// compare.
test('what clients tell each other about histories and stickers gives no event', async () => {
  const plumbing: proto.IMessage[] = [
    { messageHistoryNotice: { messageHistoryMetadata: { messageCount: 3 } } },
    { messageHistoryBundle: { mimetype: 'application/octet-stream', directPath: '/v/1' } },
    { stickerSyncRmrMessage: { filehash: ['x'], rmrSource: 'x' } },
  ]
  for (const message of plumbing) assert.equal(await eventOf(message), null, JSON.stringify(message))
})
