import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GroupMetadata, proto } from '@whiskeysockets/baileys'
import { stanzaOf } from '../../../../workers/shard/translate/outbound/stanza.ts'

const { Type } = proto.Message.ProtocolMessage
const about = (message: proto.IMessage) => {
  const { attributes, enc } = stanzaOf(message, { jid: '1@lid', group: null })
  return { ...attributes, ...enc }
}

for (const [name, message, said] of [
  ['a text', { extendedTextMessage: { text: 'hi' } }, { type: 'text' }],
  ['buttons', { interactiveMessage: {} }, { type: 'text' }],
  ['a reaction', { reactionMessage: { text: '+' } }, { type: 'reaction', 'decrypt-fail': 'hide' }],
  ['a reaction taken back', { reactionMessage: { text: '' } }, { type: 'reaction', edit: '7', 'decrypt-fail': 'hide' }],
  ['a sealed reaction', { encReactionMessage: {} }, { type: 'reaction' }],
  ['a pin', { pinInChatMessage: {} }, { type: 'text', edit: '2', 'decrypt-fail': 'hide' }],
  ['a deletion', { protocolMessage: { type: Type.REVOKE } }, { type: 'text', edit: '7' }],
  ['an edit', { protocolMessage: { type: Type.MESSAGE_EDIT, editedMessage: { imageMessage: {} } } }, { type: 'text', edit: '1' }],
  ['a poll', { pollCreationMessageV3: {} }, { type: 'poll' }],
  ['a vote', { pollUpdateMessage: {} }, { type: 'poll' }],
  ['an event', { eventMessage: {} }, { type: 'event' }],
  ['a place', { locationMessage: {} }, { type: 'media' }],
  ['a round film', { ptvMessage: {} }, { type: 'media' }],
  ['a picture', { imageMessage: {} }, { type: 'media', mediatype: 'image' }],
  ['a picture seen once', { viewOnceMessageV2: { message: { imageMessage: {} } } }, { type: 'media', mediatype: 'image' }],
  ['an order', { orderMessage: {} }, { type: 'media', mediatype: 'order' }],
] as const satisfies (readonly [string, proto.IMessage, Record<string, string>])[])
  test(`the stanza of ${name}`, () => {
    assert.deepEqual(about(proto.Message.fromObject(message)), said)
  })

test('what its sender says of it goes before, and a group is addressed as it is', () => {
  const message = { protocolMessage: { type: Type.REVOKE } }
  const node = { tag: 'biz', attrs: {} }
  const group = { addressingMode: 'pn', ephemeralDuration: 86_400 } as GroupMetadata
  assert.deepEqual(stanzaOf(message, { jid: '120@g.us', group }, { attributes: { edit: '8' }, nodes: [node] }), {
    to: '120@g.us',
    attributes: { type: 'text', edit: '8', addressing_mode: 'pn' },
    enc: {},
    nodes: [node],
  })
})
