import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../src/domain/failures.ts'
import type { Destination } from '../../../workers/shard/send/destination.ts'
import { sendMessage } from '../../../workers/shard/send/relay.ts'
import { failsWith } from '../../harness/failures.ts'
import { ANA, ANA_LID, groupAnswer, playedNetwork, refused, TEAM } from './network.ts'

const withAna: Destination = { jid: ANA_LID, kind: 'user', other: ANA, group: null }
const hello = { content: { proto: { conversation: 'hello' } } }

test('what the network takes is stored, remembered as our own, and has left once', async () => {
  const { context, left, stored } = playedNetwork()
  const { message } = await sendMessage(context, withAna, hello)
  assert.deepEqual([message?.key.fromMe, message?.key.id, message?.key.remoteJid], [true, '3EB0A', ANA_LID])
  assert.deepEqual(
    left.map(({ to, id }) => [to, id]),
    [[ANA_LID, '3EB0A']],
  )
  assert.deepEqual(stored, [{ id: '3EB0A', to: ANA_LID }])
  assert.ok(await context.messages.get('3EB0A', () => true))
})

for (const code of [400, 463, 479])
  test(`after ${code} the other name of the person is tried once, under the same id`, async () => {
    const { context, left, stored, acks, restriction } = playedNetwork()
    acks.push(code)
    const { message } = await sendMessage(context, withAna, hello)
    assert.deepEqual(
      left.map(({ to, id }) => [to, id]),
      [
        [ANA_LID, '3EB0A'],
        [ANA, '3EB0A'],
      ],
    )
    assert.equal(message?.key.remoteJid, ANA)
    assert.deepEqual(stored.at(-1), { id: '3EB0A', to: ANA }, 'what is sent again goes where it went')
    assert.equal(restriction.refreshed, code === 463 ? 1 : 0)
  })

test('a second refusal is the outcome', async () => {
  const { context, left, acks } = playedNetwork()
  acks.push(479, 479)
  await assert.rejects(sendMessage(context, withAna, hello), failsWith('send_failed'))
  assert.equal(left.length, 2)
})

test('while the account is restricted nothing is tried twice, and 463 says so', async () => {
  const { context, left, acks, restriction } = playedNetwork()
  restriction.isOn = true
  acks.push(463)
  await assert.rejects(sendMessage(context, withAna, hello), failsWith('shadow_ban'))
  assert.equal(left.length, 1)
})

test('a refusal by a group the account is no longer in means that there is none', async () => {
  const { context, answers, acks } = playedNetwork()
  const team: Destination = { jid: TEAM, kind: 'group', other: null, group: null }
  acks.push(403, 403)
  // The first answer lists the members. After each refusal, the service asks whether the account is a member: the
  // second answer says yes, and the third one no.
  answers.push(groupAnswer([]), groupAnswer([]), refused(403))
  await assert.rejects(sendMessage(context, team, hello), failsWith('not_allowed'))
  await assert.rejects(sendMessage(context, team, hello), failsWith('group_not_found'))
})

test('of a message to a group, the keys are taken back unless the network accepted it', async () => {
  const { context, answers, acks, takenBack } = playedNetwork()
  const team: Destination = { jid: TEAM, kind: 'group', other: null, group: null }
  answers.push(groupAnswer([]))
  await sendMessage(context, team, hello)
  assert.deepEqual(takenBack, [])
  for (const [ack, code] of [
    ['timeout', 'send_timeout'],
    ['closed', 'instance_not_connected'],
    [500, 'send_failed'],
  ] as const) {
    acks.push(ack)
    await assert.rejects(sendMessage(context, team, hello), failsWith(code))
  }
  assert.deepEqual(takenBack, ['3EB0A', '3EB0A', '3EB0A'])
})

test('without an ack it timed out, and with the end of the connection it is not connected', async () => {
  const { context, acks } = playedNetwork()
  acks.push('timeout', 'closed')
  await assert.rejects(sendMessage(context, withAna, hello), failsWith('send_timeout'))
  await assert.rejects(sendMessage(context, withAna, hello), failsWith('instance_not_connected'))
})

// A message may arrive although its send has timed out. A device may then request it again, so the service must have
// stored it.
test('what fails on its way out is stored, too, and the failure is that of the relay', async () => {
  const { context, relay, stored } = playedNetwork()
  relay.toPerson = () => Promise.reject(new Failure('send_timeout'))
  await assert.rejects(sendMessage(context, withAna, hello), failsWith('send_timeout'))
  assert.deepEqual(stored, [{ id: '3EB0A', to: ANA_LID }])
})

test('a long audience gets several stanzas of one id, each acked', async () => {
  const { context, left } = playedNetwork()
  const status: Destination = { jid: 'status@broadcast', kind: 'status', other: null, group: null }
  const statusJidList = Array.from({ length: 4_500 }, (_, index) => `${index}@lid`)
  await sendMessage(context, status, { ...hello, statusJidList })
  assert.deepEqual(
    left.map(({ people }) => people?.length),
    [2_000, 2_000, 500],
  )
  assert.equal(new Set(left.map(({ id }) => id)).size, 1)
})

test('typing is shown for as long as asked before it leaves, recording before a voice note', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { context, written, left } = playedNetwork()
  const slow = { ...context, item: { ...context.item, delayTyping: 2 } }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const note = { content: { proto: { audioMessage: { ptt: true } } } }
  for (const [outgoing, shown] of [
    [hello, { tag: 'composing', attrs: {} }],
    [note, { tag: 'composing', attrs: { media: 'audio' } }],
  ] as const) {
    const before = left.length
    const sending = sendMessage(slow, withAna, outgoing)
    await settle()
    assert.deepEqual(written.at(-1)?.content, [shown])
    assert.equal(left.length, before)
    t.mock.timers.tick(2_000)
    await sending
    assert.equal(left.length, before + 1)
  }
})
