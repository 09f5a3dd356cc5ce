import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { ackOf, type MessageOutcome, messageConfirmations, type Receiver } from '../../../workers/shard/wire/confirmation.ts'

const ANA = '5511988880001:3@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'
const receiver: Receiver = { isOwn: (jid) => jid.startsWith('5511999990000'), isAvailable: false }

const said = (attrs: Record<string, string>, outcome: MessageOutcome, more: Partial<Receiver> = {}) =>
  messageConfirmations({ tag: 'message', attrs: { id: 'A', type: 'text', ...attrs } }, outcome, { ...receiver, ...more }).map(
    ({ tag, attrs: its }: BinaryNode) => ({ tag, ...its }),
  )

test('a message that could be decrypted gets a receipt, which is of the inactive kind unless the account is available', () => {
  assert.deepEqual(said({ from: ANA }, 'read'), [{ tag: 'receipt', id: 'A', to: ANA, type: 'inactive' }])
  assert.deepEqual(said({ from: ANA }, 'read', { isAvailable: true }), [{ tag: 'receipt', id: 'A', to: ANA }])
  assert.deepEqual(said({ from: GROUP, participant: ANA }, 'read', { isAvailable: true }), [
    { tag: 'receipt', id: 'A', to: GROUP, participant: ANA },
  ])
})

test('what another of our own devices wrote gets one that says so, with the chat', () => {
  const phone = '5511999990000@s.whatsapp.net'
  assert.deepEqual(said({ from: phone, recipient: ANA }, 'read'), [
    { tag: 'receipt', id: 'A', to: phone, type: 'sender', recipient: ANA },
  ])
  assert.deepEqual(said({ from: GROUP, participant: phone }, 'read'), [
    { tag: 'receipt', id: 'A', to: GROUP, type: 'sender', participant: phone },
  ])
  const peer = { tag: 'receipt', id: 'A', to: '5511999990000:0@s.whatsapp.net', type: 'peer_msg' }
  assert.deepEqual(said({ from: peer.to }, 'peer'), [peer])
  assert.deepEqual(said({ from: peer.to }, 'history'), [peer, { ...peer, to: phone, type: 'hist_sync' }])
})

// A status must not be acknowledged with an error, because the network might then stop all other
// deliveries.
test('a message that cannot be decrypted gets an error, a status and a stanza without content get a plain ack', () => {
  const ack = { tag: 'ack', id: 'A', to: ANA, class: 'message', type: 'text' }
  assert.deepEqual(said({ from: ANA }, 'unread'), [{ ...ack, error: '500' }])
  assert.deepEqual(said({ from: 'status@broadcast', participant: ANA }, 'unread'), [
    { ...ack, to: 'status@broadcast', participant: ANA },
  ])
  for (const outcome of ['absent', 'done'] as const) assert.deepEqual(said({ from: ANA }, outcome), [ack])
})

test('everything else is acked, also while the device is being linked', () => {
  const notice = { tag: 'notification', attrs: { id: 'N', from: 's.whatsapp.net', type: 'companion_reg_refresh' } }
  assert.deepEqual(ackOf(notice).attrs, { id: 'N', to: 's.whatsapp.net', class: 'notification', type: 'companion_reg_refresh' })
})
