/** The library determines the kind of media only from the outermost message; a wrapped message is shown to it unwrapped, and nothing else changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeMessageContent, proto } from '@whiskeysockets/baileys'
import { mediaTypeOf, withMediaType } from '../../../workers/shard/baileys/media-type.ts'

const image = { imageMessage: { url: 'https://example.org/a', mimetype: 'image/jpeg' } }
const messageContextInfo = { messageSecret: Buffer.alloc(32, 7) }

for (const [name, message, field] of [
  ['seen once', { viewOnceMessageV2: { message: image } }, 'imageMessage'],
  ['sound heard once', { viewOnceMessageV2Extension: { message: { audioMessage: { ptt: true } } } }, 'audioMessage'],
  [
    'a document with a caption',
    { documentWithCaptionMessage: { message: { documentMessage: { caption: 'x' } } } },
    'documentMessage',
  ],
] as const)
  test(`${name}: the field shows on the message, and the bytes stay the same`, () => {
    const whole = proto.Message.fromObject({ ...message, messageContextInfo })
    const relayed = withMediaType(whole)
    assert.ok(!whole[field])
    assert.ok(relayed[field])
    assert.deepEqual(Object.keys(relayed), Object.keys(whole))
    assert.deepEqual(proto.Message.encode(relayed).finish(), proto.Message.encode(whole).finish())
    const deviceSent = (inner: proto.IMessage) =>
      proto.Message.encode({ deviceSentMessage: { destinationJid: 'a', message: inner } }).finish()
    assert.deepEqual(deviceSent(relayed), deviceSent(whole))
    assert.ok(normalizeMessageContent(relayed)?.[field])
  })

test('what is not wrapped, and what is no medium, is handed on as it is', () => {
  for (const message of [proto.Message.fromObject(image), proto.Message.fromObject({ conversation: 'hi' })])
    assert.equal(withMediaType(message), message)
})

for (const [type, message] of [
  ['image', image],
  ['image', { viewOnceMessageV2: { message: image } }],
  ['video', { videoMessage: {} }],
  ['gif', { ephemeralMessage: { message: { videoMessage: { gifPlayback: true } } } }],
  ['audio', { audioMessage: {} }],
  ['ptt', { viewOnceMessageV2Extension: { message: { audioMessage: { ptt: true } } } }],
  ['document', { documentWithCaptionMessage: { message: { documentMessage: {} } } }],
  ['vcard', { contactMessage: {} }],
  ['contact_array', { contactsArrayMessage: {} }],
  ['sticker', { stickerMessage: {} }],
  ['order', { orderMessage: {} }],
  ['product', { productMessage: {} }],
  ['url', { groupInviteMessage: {} }],
  [undefined, { conversation: 'hi' }],
  [undefined, { locationMessage: {} }],
  [undefined, { protocolMessage: { editedMessage: image } }],
] as const)
  test(`${JSON.stringify(message).slice(0, 60)} says ${type ?? 'nothing'} of its medium when it is sent again`, () => {
    assert.equal(mediaTypeOf(proto.Message.fromObject(message)), type)
  })
