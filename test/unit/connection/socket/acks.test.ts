import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createAcks } from '../../../../workers/shard/connection/socket/acks.ts'

const ANA = '5511988880001@s.whatsapp.net'
const forever = 60_000
const ack = (attrs: Record<string, string>): BinaryNode => ({ tag: 'ack', attrs: { class: 'message', from: ANA, ...attrs } })

test('its code or the server’s id are told, to everybody who waits for that message', async () => {
  const acks = createAcks()
  const outcomes = ['A', 'B', 'C', 'D', 'A'].map((id) => acks.expect(id, ANA).within(forever))
  acks.came(ack({ id: 'B', error: '463' }))
  acks.came(ack({ id: 'A' }))
  acks.came(ack({ id: 'C', server_id: '77' }))
  acks.came(ack({ id: 'D', error: 'odd' }))
  acks.came(ack({ id: 'E' }))
  assert.deepEqual(await Promise.all(outcomes), [
    { ok: true },
    { ok: false, code: 463 },
    { ok: true, serverId: '77' },
    { ok: false, code: 500 },
    { ok: true },
  ])
})

// The network also acknowledges the account's own receipts with the class `receipt`. These acks have message ids that
// other people have chosen, so the recipient must match, too.
test('an ack of the class receipt counts for a message to whom it names, and for no other', async () => {
  const acks = createAcks()
  const sent = acks.expect('A', ANA)
  acks.came(ack({ id: 'A', class: 'receipt', from: '5511977770002@s.whatsapp.net' }))
  acks.came(ack({ id: 'A', class: 'notification' }))
  acks.came(ack({ id: 'A', error: '479' }))
  assert.deepEqual(await sent.within(forever), { ok: false, code: 479 })
  const other = acks.expect('B', ANA)
  acks.came(ack({ id: 'B', class: 'receipt', from: '5511988880001:2@s.whatsapp.net' }))
  assert.deepEqual(await other.within(forever), { ok: true })
})

test('without an ack it is a time-out; when the connection ends or the send threw it is over at once', async () => {
  const acks = createAcks()
  assert.equal(await acks.expect('A', ANA).within(1), 'timeout')
  const givenUp = acks.expect('B', ANA)
  givenUp.giveUp()
  assert.equal(await givenUp.within(forever), 'closed')
  const cut = acks.expect('C', ANA).within(forever)
  acks.end()
  assert.deepEqual([await cut, await acks.expect('D', ANA).within(forever)], ['closed', 'closed'])
})

// An earlier bug: the time limit for an ack included the time to send, so an accepted message was reported as failed
// after a slow send.
test('the time for an ack begins when the message is sent, and one that came before counts', async () => {
  const acks = createAcks()
  const slow = acks.expect('A', ANA)
  const early = acks.expect('B', ANA)
  acks.came(ack({ id: 'B' }))
  await new Promise((resolve) => setTimeout(resolve, 30))
  const verdict = slow.within(forever)
  acks.came(ack({ id: 'A' }))
  assert.deepEqual([await verdict, await early.within(1)], [{ ok: true }, { ok: true }])
})
