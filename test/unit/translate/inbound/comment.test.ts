import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto, type WAMessageKey } from '@whiskeysockets/baileys'
import { sealAbout } from '../../../../packages/sandbox/src/testing.ts'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, ANA_LID, ME, ME_LID, testContext } from './context.ts'

const GROUP = '120363019502650977@g.us'
const secret = Buffer.alloc(32, 9)
const POST = { conversation: 'Tomorrow', messageContextInfo: { messageSecret: secret } }
const KEY: WAMessageKey = { remoteJid: GROUP, id: 'C', fromMe: false, participant: ANA }
const TARGET = { remoteJid: GROUP, id: 'P', fromMe: false, participant: ME_LID }

function sealedComment(content: proto.IMessage, { author = ME, sender = ANA, target = TARGET } = {}): proto.IMessage {
  const plain = proto.Message.encode(proto.Message.fromObject(content)).finish()
  const sealed = sealAbout({ secret, messageId: 'P', author, sender }, 'Enc Comment', plain)
  return { encCommentMessage: { targetMessageKey: target, ...sealed } }
}

async function told(message: proto.IMessage, { isKnown = true } = {}) {
  const context = testContext()
  if (isKnown) context.remember({ remoteJid: GROUP, id: 'P', fromMe: true }, POST)
  const event = await receivedEvent(context, { key: KEY, message })
  assert.deepEqual(context.problems, [])
  assert.ok(event)
  return event.body
}

test('a comment is opened under every pair of names, and has the fields that surround it', async () => {
  const content = { extendedTextMessage: { text: 'When?', contextInfo: { mentionedJid: [ANA_LID], expiration: 86_400 } } }
  for (const author of [ME, ME_LID])
    for (const sender of [ANA, ANA_LID]) {
      const body = await told(sealedComment(content, { author, sender }))
      assert.deepEqual(blockOf(body, 'text'), { message: 'When?', title: null, description: null, url: null })
      const { message_id, comment_on_message_id, mentions, message_expiration_seconds, participant_phone } = body
      assert.deepEqual(
        { message_id, comment_on_message_id, mentions, message_expiration_seconds, participant_phone },
        {
          message_id: 'C',
          comment_on_message_id: 'P',
          mentions: ['5511988880001'],
          message_expiration_seconds: 86_400,
          participant_phone: '5511988880001',
        },
      )
    }
})

test('a comment that is not sealed, and one that is a picture, are told in the same way', async () => {
  const plain = await told({ commentMessage: { message: { conversation: 'When?' }, targetMessageKey: TARGET } })
  assert.equal(blockOf(plain, 'text').message, 'When?')
  assert.equal(plain.comment_on_message_id, 'P')
  const picture = await told(sealedComment({ imageMessage: { caption: 'Here', directPath: '/v/1', mediaKey: secret } }))
  assert.equal(blockOf(picture, 'image').caption, 'Here')
  assert.equal(picture.comment_on_message_id, 'P')
})

test('a comment that cannot be opened is unsupported', async () => {
  for (const body of [
    await told(sealedComment({ conversation: 'x' }), { isKnown: false }),
    await told(sealedComment({ conversation: 'x' }, { sender: '5511977776666@s.whatsapp.net' })),
    await told({ encCommentMessage: {} }),
  ])
    assert.deepEqual(blockOf(body, 'unsupported'), { proto_type: 'encCommentMessage' })
})

test('what only changes another message is no comment, however it is wrapped', async () => {
  const inside: proto.IMessage[] = [
    { protocolMessage: { type: 0, key: TARGET } },
    { reactionMessage: { key: TARGET, text: '👍' } },
    { commentMessage: { message: { conversation: 'x' }, targetMessageKey: TARGET } },
    { ephemeralMessage: { message: { protocolMessage: { type: 0, key: TARGET } } } },
    { conversation: '' },
    {},
  ]
  for (const content of inside) {
    assert.equal((await told(sealedComment(content))).message_type, 'unsupported', JSON.stringify(content))
    const plain = await told({ commentMessage: { message: content, targetMessageKey: TARGET } })
    assert.equal(plain.message_type, 'unsupported', JSON.stringify(content))
  }
})
