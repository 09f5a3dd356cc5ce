import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { mediaTypeOf } from '../../../../workers/shard/translate/outbound/media-type.ts'

const image = { imageMessage: { url: 'https://example.org/a', mimetype: 'image/jpeg' } }

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
  test(`${JSON.stringify(message).slice(0, 60)} says ${type ?? 'nothing'} of its medium`, () => {
    assert.equal(mediaTypeOf(proto.Message.fromObject(message)), type)
  })
