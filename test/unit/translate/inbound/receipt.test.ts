/** Receipts of the network, as stanzas. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiptOf } from '../../../../workers/shard/translate/inbound/receipt.ts'

const ME = { id: '5511999990000:7@s.whatsapp.net', lid: '81896604190000:7@lid' }
const ANA = '5511988880001@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'
const NOW = 1_767_225_610_123

const receipt = (attrs: Record<string, string>) => receiptOf({ tag: 'receipt', attrs }, ME, NOW)

// It was told with `momment` 0.
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

// What others wrote has receipts too, by our own devices: `message_status` is of our messages alone.
test('the receipts of our own devices for what others wrote say nothing of ours', () => {
  for (const own of [ME.id, ME.lid, '5511999990000@s.whatsapp.net'])
    for (const type of ['read-self', 'played-self', 'inactive', 'read', 'played', 'hist_sync', 'peer_msg', 'retry']) {
      assert.equal(receipt({ from: own, id: 'A', type, recipient: ANA }), null, `${type} of ${own}`)
      assert.equal(receipt({ from: GROUP, participant: own, id: 'A', type }), null, `${type} of ${own} in a group`)
    }
  assert.equal(receipt({ from: ANA, id: 'A', type: 'sender' }), null)
})
