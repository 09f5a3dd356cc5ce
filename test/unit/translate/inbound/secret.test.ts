/**
 * Tests encrypted content that refers to a message. Its keys depend on the addresses of the author and the sender. Each
 * of these people may have used one of two addresses, so all combinations are tried.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { sealAbout } from '../../../../packages/sandbox/src/testing.ts'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, ANA_LID, ME, ME_LID, testContext } from './context.ts'

const secret = Buffer.alloc(32, 9)
const POLL = {
  pollCreationMessageV3: { name: 'Which day?', options: [{ optionName: 'Monday' }, { optionName: 'Tuesday' }] },
  messageContextInfo: { messageSecret: secret },
}
const chosen = (...options: string[]) =>
  proto.Message.PollVoteMessage.encode({
    selectedOptions: options.map((option) => createHash('sha256').update(option).digest()),
  }).finish()

for (const author of [ME, ME_LID])
  for (const sender of [ANA, ANA_LID])
    for (const chat of [ANA, ANA_LID])
      test(`a vote by ${sender} about a poll of ${author} is decrypted in ${chat}`, async () => {
        const context = testContext()
        context.remember({ remoteJid: chat, id: 'P', fromMe: true }, POLL)
        const about = { secret, messageId: 'P', author, sender }
        const vote = sealAbout(about, 'Poll Vote', chosen('Tuesday', 'Sunday'))
        const message = { pollUpdateMessage: { pollCreationMessageKey: { id: 'P', remoteJid: chat, fromMe: false }, vote } }
        const event = await receivedEvent(context, { key: { remoteJid: chat, id: 'V', fromMe: false }, message })
        assert.deepEqual(blockOf(event?.body, 'poll_vote'), { poll_message_id: 'P', options: ['Tuesday'], unknown_options: 1 })
      })

test('a vote that another speaker sealed is not opened', async () => {
  const context = testContext()
  context.remember({ remoteJid: ANA, id: 'P', fromMe: true }, POLL)
  const about = { secret, messageId: 'P', author: ME, sender: '5511977776666@s.whatsapp.net' }
  const vote = sealAbout(about, 'Poll Vote', chosen('Tuesday'))
  const message = { pollUpdateMessage: { pollCreationMessageKey: { id: 'P', fromMe: false }, vote } }
  const event = await receivedEvent(context, { key: { remoteJid: ANA, id: 'V', fromMe: false }, message })
  assert.equal(event?.body.message_type, 'unsupported')
})

test('an edited event is told as an event under its own id', async () => {
  const context = testContext()
  const event = { eventMessage: { name: 'Planning', startTime: 1_767_225_600 }, messageContextInfo: { messageSecret: secret } }
  context.remember({ remoteJid: ANA, id: 'E', fromMe: false }, event)
  const inner = proto.Message.encode({ eventMessage: { name: 'Planning, later', startTime: 1_767_312_000 } }).finish()
  const { encPayload, encIv } = sealAbout({ secret, messageId: 'E', author: ANA_LID, sender: ANA_LID }, 'Event Edit', inner)
  const message = { secretEncryptedMessage: { targetMessageKey: { id: 'E', fromMe: true }, encPayload, encIv, secretEncType: 1 } }
  const translated = await receivedEvent(context, { key: { remoteJid: ANA, id: 'X', fromMe: false }, message })
  const { message_id, edit_message_id, is_edit } = translated!.body
  assert.deepEqual({ message_id, edit_message_id, is_edit }, { message_id: 'E', edit_message_id: 'X', is_edit: true })
  assert.equal(blockOf(translated?.body, 'event').name, 'Planning, later')
})

test('an edited caption keeps the picture it belongs to', async () => {
  const context = testContext()
  const imageMessage = { directPath: '/v/1', mediaKey: Buffer.alloc(32, 1), mimetype: 'image/png', caption: 'old', width: 5 }
  context.remember({ remoteJid: ANA, id: 'I', fromMe: false }, { imageMessage })
  const editedMessage = proto.Message.decode(proto.Message.encode({ imageMessage: { caption: 'new' } }).finish())
  const message = { protocolMessage: { type: 14, key: { id: 'I', fromMe: true }, editedMessage } }
  const translated = await receivedEvent(context, { key: { remoteJid: ANA, id: 'X', fromMe: false }, message })
  const { url, caption, mime_type, width } = blockOf(translated?.body, 'image')
  assert.deepEqual(
    { url, caption, mime_type, width },
    { url: 'https://api.example/media/link', caption: 'new', mime_type: 'image/png', width: 5 },
  )
})

test('what anybody else calls an edit is told as unsupported, and nothing of the message with it', async () => {
  const context = testContext()
  const imageMessage = { directPath: '/v/1', mediaKey: Buffer.alloc(32, 1), mimetype: 'image/png', caption: 'old', width: 5 }
  context.remember({ remoteJid: ANA, id: 'I', fromMe: false }, { imageMessage })
  const editedMessage = proto.Message.decode(proto.Message.encode({ imageMessage: { caption: 'mine now' } }).finish())
  const message = { protocolMessage: { type: 14, key: { id: 'I', fromMe: true }, editedMessage } }
  const stranger = '5511977776666@s.whatsapp.net'
  const translated = await receivedEvent(context, { key: { remoteJid: stranger, id: 'X', fromMe: false }, message })
  const { message_id, is_edit } = translated!.body
  assert.deepEqual([message_id, is_edit, 'image' in translated!.body], ['X', false, false])
  assert.deepEqual(blockOf(translated?.body, 'unsupported'), { proto_type: 'protocolMessage' })
})

test('a picture is known to its author under either name', async () => {
  const context = testContext()
  const imageMessage = { directPath: '/v/1', mediaKey: Buffer.alloc(32, 1), mimetype: 'image/png', width: 5 }
  context.remember({ remoteJid: ANA_LID, id: 'I', fromMe: false }, { imageMessage })
  const editedMessage = proto.Message.decode(proto.Message.encode({ imageMessage: { caption: 'new' } }).finish())
  const message = { protocolMessage: { type: 14, key: { id: 'I', fromMe: true }, editedMessage } }
  const translated = await receivedEvent(context, { key: { remoteJid: ANA, id: 'X', fromMe: false }, message })
  assert.equal(blockOf(translated?.body, 'image').width, 5)
})
