import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { ownReadIn, receiptOf, receiptsOf } from '../../../../workers/shard/translate/inbound/receipt.ts'

const ME = { id: '5511999990000:7@s.whatsapp.net', lid: '81896604190000:7@lid' }
const ANA = '5511988880001@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'
const NOW = 1_767_225_610_123

const receipt = (attrs: Record<string, string>) => receiptOf({ tag: 'receipt', attrs }, ME, NOW)

// An earlier bug: a receipt without a time was reported with `momment` 0.
test('a receipt without a time is of the moment it comes in', () => {
  assert.equal(receipt({ from: ANA, id: 'A', t: '1767225600' })?.at, 1_767_225_600_000)
  assert.equal(receipt({ from: ANA, id: 'A' })?.at, NOW)
  for (const t of ['', 'soon', '-1']) assert.equal(receipt({ from: ANA, id: 'A', t })?.at, NOW)
})

test('that the network took a message for a group is nobody’s receipt in particular', () => {
  const own = { from: GROUP, id: 'A', type: 'sender', participant: '5511999990000@s.whatsapp.net' }
  assert.deepEqual(receipt(own), { status: 'sent', ids: ['A'], chat: GROUP, participant: null, at: NOW })
  assert.equal(receipt({ from: GROUP, id: 'A', participant: ANA })?.participant, ANA)
})

// The account's own devices also send receipts for messages of other people. But `message_status` reports only on
// messages of the account.
test('the receipts of our own devices for what others wrote say nothing of ours', () => {
  for (const own of [ME.id, ME.lid, '5511999990000@s.whatsapp.net'])
    for (const type of ['read-self', 'played-self', 'inactive', 'read', 'played', 'hist_sync', 'peer_msg', 'retry']) {
      assert.equal(receipt({ from: own, id: 'A', type, recipient: ANA }), null, `${type} of ${own}`)
      assert.equal(receipt({ from: GROUP, participant: own, id: 'A', type }), null, `${type} of ${own} in a group`)
    }
  assert.equal(receipt({ from: ANA, id: 'A', type: 'sender' }), null)
})

// The list of chats counts unread messages. So it must know what any device of the account has read.
test('what our own devices read is told with its chat, whether others are to know or not', () => {
  const read = (attrs: Record<string, string>, content?: { tag: string; attrs: Record<string, string> }[]) =>
    ownReadIn({ tag: 'receipt', attrs, ...(content ? { content: [{ tag: 'list', attrs: {}, content }] } : {}) }, ME)
  for (const type of ['read', 'read-self']) {
    assert.deepEqual(read({ from: ME.id, id: 'A', type, recipient: ANA }), { chat: ANA, ids: ['A'] })
    const more = [{ tag: 'item', attrs: { id: 'B' } }]
    assert.deepEqual(read({ from: GROUP, participant: ME.lid, id: 'A', type }, more), { chat: GROUP, ids: ['A', 'B'] })
  }
  assert.equal(read({ from: ANA, id: 'A', type: 'read' }), null)
  assert.equal(read({ from: ME.id, id: 'A', type: 'inactive', recipient: ANA }), null)
  assert.equal(read({ from: ME.id, id: 'A', type: 'read' }), null)
})

// In large groups the network combines the receipts of many members in one stanza.
test('a stanza with the receipts of many members gives one receipt for each member; ids can stand in a list', () => {
  const users: BinaryNode[] = [
    { tag: 'user', attrs: { jid: ANA, t: '1767225601' } },
    { tag: 'user', attrs: { jid: '5511988880002@s.whatsapp.net', t: '1767225602', type: 'played' } },
    { tag: 'user', attrs: { jid: ME.id, t: '1767225603' } },
    { tag: 'user', attrs: {} },
  ]
  const participants = { tag: 'participants', attrs: { key: 'A' }, content: users }
  const stanza = { tag: 'receipt', attrs: { from: GROUP, id: 'R', type: 'read', t: '1767225600' }, content: [participants] }
  assert.deepEqual(
    [...receiptsOf(stanza, ME, NOW)],
    [
      { status: 'read', ids: ['A'], chat: GROUP, participant: ANA, at: 1_767_225_601_000 },
      { status: 'played', ids: ['A'], chat: GROUP, participant: '5511988880002@s.whatsapp.net', at: 1_767_225_602_000 },
    ],
  )
  const list = { tag: 'list', attrs: {}, content: [{ tag: 'item', attrs: { id: 'B' } }] }
  const [only, ...others] = receiptsOf({ tag: 'receipt', attrs: { from: ANA, id: 'A', type: 'read' }, content: [list] }, ME, NOW)
  assert.deepEqual([only?.ids, others], [['A', 'B'], []])
  assert.deepEqual([...receiptsOf({ tag: 'receipt', attrs: { from: ANA, id: 'A', type: 'retry' } }, ME, NOW)], [])
})
