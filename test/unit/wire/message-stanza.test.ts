import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { envelopeOf, fromOf, idOf } from '../../../workers/shard/wire/envelope.ts'
import {
  absenceOf,
  ciphertextKind,
  ciphertextsIn,
  isEmptyHanded,
  isMarkedPeer,
  isViewOnce,
} from '../../../workers/shard/wire/message-stanza.ts'
import { postStanzaIn } from '../../../workers/shard/wire/newsletter-post.ts'
import { node } from '../../harness/nodes.ts'

const ANA = '5511999990001@s.whatsapp.net'

const message = (...content: BinaryNode[]) => node('message', { id: 'A', from: ANA }, content)
const enc = (type: string, byte: number) => node('enc', { type }, Uint8Array.of(byte))

test('ciphertexts that can be opened, in their order, each of its kind', () => {
  const stanza = message(
    enc('pkmsg', 1),
    enc('msmsg', 2),
    enc('skmsg', 3),
    enc('frskmsg', 4),
    node('enc', { type: 'msg' }),
    node('reporting'),
  )
  const found = ciphertextsIn(stanza)
  assert.deepEqual(
    found.map(([byte]) => byte),
    [1, 2, 3],
  )
  assert.deepEqual(
    found.map((each) => ciphertextKind(stanza, each)),
    ['pkmsg', 'msmsg', 'skmsg'],
  )
  assert.equal(ciphertextKind(stanza, Uint8Array.of(1)), undefined, 'the same bytes, not equal ones')
  assert.deepEqual(ciphertextsIn(node('message')), [])
})

test('a stanza with neither a ciphertext nor a text is empty-handed', () => {
  assert.equal(isEmptyHanded(message(enc('msg', 1))), false)
  assert.equal(isEmptyHanded(message(enc('msmsg', 1))), false)
  assert.equal(isEmptyHanded(message(node('plaintext', {}, Uint8Array.of(1)))), false)
  assert.equal(isEmptyHanded(message(node('unavailable'))), true)
  assert.equal(isEmptyHanded(node('message')), true)
})

test('what came without its content can be asked for, was shown elsewhere, or never comes', () => {
  const table = [
    [node('unavailable'), 'later'],
    [node('unavailable', { type: 'view_once' }), 'shown'],
    [node('unavailable', { hosted: 'true' }), 'never'],
    [node('unavailable', { type: 'bot_unavailable_fanout' }), 'never'],
    [node('unavailable', { type: 'hosted_unavailable_fanout' }), 'never'],
    [node('unavailable', { type: 'view_once_unavailable_fanout' }), 'never'],
    [node('unavailable', {}, [node('bot')]), 'never'],
    [node('other'), 'later'],
  ] as const
  for (const [child, absence] of table) assert.equal(absenceOf(message(child)), absence)
  assert.equal(isViewOnce(message(node('unavailable', { type: 'view_once' }))), true)
  assert.equal(isViewOnce(message(node('unavailable', { type: 'view_once_unavailable_fanout' }))), true)
  assert.equal(isViewOnce(message(node('unavailable'))), false)
})

test('a stanza marks what is for the own devices alone', () => {
  assert.equal(isMarkedPeer(node('message', { category: 'peer' })), true)
  assert.equal(isMarkedPeer(message()), false)
})

test('what stanzas of every kind have', () => {
  const attrs = { id: 'A', from: ANA, type: 'text', participant: 'p', participant_lid: 'l', t: '5', notify: 'Ana', offline: '1' }
  assert.deepEqual(envelopeOf(node('message', attrs)), {
    id: 'A',
    from: ANA,
    type: 'text',
    participant: 'p',
    participantAlt: 'l',
    t: '5',
    pushName: 'Ana',
    isOffline: true,
  })
  assert.deepEqual(envelopeOf(node('message')), {
    id: '',
    from: '',
    type: '',
    participant: '',
    participantAlt: undefined,
    t: undefined,
    pushName: undefined,
    isOffline: false,
  })
  assert.deepEqual([idOf(message()), fromOf(message()), idOf(node('ib')), fromOf(node('ib'))], ['A', ANA, '', ''])
})

test('a post is new, edited, removed or reacted to', () => {
  const post = (attrs: Record<string, string>, ...content: BinaryNode[]) => postStanzaIn(node('message', attrs, content))
  const text = node('plaintext', {}, Uint8Array.of(1))
  const nothing = { isOwn: false, edit: undefined, isRemoved: false, editedAt: undefined, content: null, reaction: undefined }
  const table = [
    [post({}, text), { ...nothing, content: Uint8Array.of(1), kind: 'plaintext' }],
    [
      post({ edit: '3', is_sender: 'true' }, text, node('meta', { msg_edit_t: '1790000000000' })),
      { ...nothing, isOwn: true, edit: '3', editedAt: 1_790_000_000_000, content: Uint8Array.of(1), kind: 'plaintext' },
    ],
    [post({ edit: '8' }, node('plaintext')), { ...nothing, edit: '8', isRemoved: true, kind: 'plaintext' }],
    [post({ edit: '7', type: 'text' }), { ...nothing, edit: '7', isRemoved: true, kind: 'text' }],
    [post({}, node('reaction', { code: '👍' })), { ...nothing, reaction: '👍', kind: 'reaction' }],
    [post({ edit: '7' }, node('reaction')), { ...nothing, reaction: '', kind: 'reaction' }],
  ] as const
  for (const [found, expected] of table) assert.deepEqual(found, expected)
})
