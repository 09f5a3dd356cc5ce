/**
 * Tests wrappers, which are messages that contain the real message. The service must unwrap every wrapper that the
 * library knows, unless this test lists it. Another test checks which pictures name an album.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { unwrap, WRAPPERS } from '../../../../workers/shard/translate/inbound/content.ts'
import { receivedEvent } from '../../../../workers/shard/translate/inbound/message.ts'
import { blockOf } from '../../../harness/received-event.ts'
import { ANA, testContext } from './context.ts'

/** Wrappers that the service does not unwrap. The network itself creates the messages in them, which cause no event. */
const NOTICES = ['statusMentionMessage', 'groupStatusMentionMessage', 'limitSharingMessage']

test('every wrapper that the library knows is opened, but for notices', () => {
  const types = createRequire(import.meta.url).resolve('@whiskeysockets/baileys/WAProto/index.d.ts')
  const [message = ''] = /interface IMessage \{[^}]*conversation[^}]*\}/.exec(readFileSync(types, 'utf8')) ?? []
  const known = [...message.matchAll(/(\w+)\?: \(proto\.Message\.IFutureProofMessage\|null\)/g)].map(([, name]) => name)
  assert.ok(known.length > 20, `${known.length} wrappers`)
  const opened = WRAPPERS.filter((name) => name !== 'deviceSentMessage')
  assert.deepEqual([...opened, ...NOTICES].sort(), known.sort())
})

test('a wrapper hides neither its content nor what surrounds it, at any depth up to the bound', async () => {
  for (const name of WRAPPERS) {
    const inner = { extendedTextMessage: { text: 'inside', contextInfo: { stanzaId: '3EB0', isForwarded: true } } }
    const message = proto.Message.decode(
      proto.Message.encode({ ephemeralMessage: { message: { [name]: { message: inner } } } }).finish(),
    )
    const event = await receivedEvent(testContext(), { key: { id: 'A', remoteJid: ANA, fromMe: false }, message })
    assert.equal(blockOf(event?.body, 'text').message, 'inside', name)
    assert.equal(event?.body.reference_message_id, '3EB0', name)
    assert.equal(event?.body.forwarded, true, name)
    assert.equal(unwrap(message)?.viewOnce, name.startsWith('viewOnce'), name)
  }
})

// This field says that a picture belongs to an album. High-definition copies and pictures of polls also have this
// field, but there it names another message.
test('only a picture of an album names one', async () => {
  const { MEDIA_ALBUM, MEDIA_POLL, HD_IMAGE_DUAL_UPLOAD } = proto.MessageAssociation.AssociationType
  for (const [associationType, album] of [
    [MEDIA_ALBUM, '3EB0ALBUM'],
    [MEDIA_POLL, undefined],
    [HD_IMAGE_DUAL_UPLOAD, undefined],
    [undefined, undefined],
  ] as const) {
    const messageAssociation = { parentMessageKey: { id: '3EB0ALBUM' }, ...(associationType ? { associationType } : {}) }
    const message = { imageMessage: { caption: 'Beach' }, messageContextInfo: { messageAssociation } }
    const event = await receivedEvent(testContext(), { key: { id: 'A', remoteJid: ANA, fromMe: false }, message })
    assert.equal(event?.body.album_message_id, album)
  }
})
