import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { type Identifier, parseIdentifier } from '../../../src/domain/ids.ts'
import { TryLater } from '../../../workers/shard/queue/contract.ts'
import { chatWith, groupAt, resolveDestination, writableGroup } from '../../../workers/shard/send/destination.ts'
import { failsWith } from '../../harness/failures.ts'
import { ANA, ANA_LID, groupAnswer, node, playedNetwork, refused, silent, TEAM, usyncAnswer } from './network.ts'

const identifier = (text: string): Identifier => {
  const found = parseIdentifier(text)
  assert.ok(found, text)
  return found
}
const person = (text: string) => identifier(text) as Extract<Identifier, { kind: 'user' }>
const TO_ANA = identifier('5511988880001')

test('a number goes to the form that is registered, which is asked for once', async () => {
  const { context, answers, asked } = playedNetwork()
  answers.push(usyncAnswer('551188880001@s.whatsapp.net'))
  for (let time = 0; time < 3; time++)
    assert.deepEqual(await resolveDestination(context, TO_ANA), {
      jid: '551188880001@s.whatsapp.net',
      kind: 'user',
      other: null,
      group: null,
    })
  assert.equal(asked.length, 1)
})

test('a person whose two names are known is written to under the LID, and the number is the other name', async () => {
  const { context, answers, meet } = playedNetwork()
  meet(ANA, ANA_LID)
  answers.push(usyncAnswer(ANA))
  const { jid, other } = await resolveDestination(context, TO_ANA)
  assert.deepEqual([jid, other], [ANA_LID, ANA])
})

test('a LID is taken as it is, without a question', async () => {
  const { context, asked, meet } = playedNetwork()
  meet(ANA, ANA_LID)
  const { jid, other } = await resolveDestination(context, identifier('200000000000001@lid'))
  assert.deepEqual([jid, other, asked.length], [ANA_LID, ANA, 0])
})

test('a number without an account is nobody for a send, and no chat for an immediate operation', async () => {
  const { context, answers } = playedNetwork()
  answers.push(usyncAnswer(null), usyncAnswer(null))
  await assert.rejects(resolveDestination(context, TO_ANA), failsWith('phone_not_on_whatsapp'))
  await assert.rejects(chatWith(context, person('5511988880001')), failsWith('chat_not_found'))
})

// An earlier bug: if the network refused to look up a number, the message failed with phone_not_on_whatsapp, and
// customers deleted the valid number.
test('a look-up that is refused says nothing about the number: it is tried later, and meanwhile nobody asks', async () => {
  const { context, answers, asked, time } = playedNetwork()
  answers.push(usyncAnswer({ code: '429', backoff: '30' }), refused(503), usyncAnswer(ANA))
  const later = (afterMs: number) => (error: unknown) => error instanceof TryLater && error.afterMs === afterMs
  await assert.rejects(resolveDestination(context, TO_ANA), later(30 * SECOND))
  time.now += 10 * SECOND
  await assert.rejects(resolveDestination(context, TO_ANA), later(20 * SECOND))
  assert.equal(asked.length, 1)
  time.now += 20 * SECOND
  await assert.rejects(resolveDestination(context, TO_ANA), later(MINUTE))
  time.now += MINUTE
  assert.equal((await resolveDestination(context, TO_ANA)).jid, ANA)
  assert.equal(asked.length, 3)
})

test('a look-up that nobody answers is tried later, and one whose connection ends is not connected', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { context, answers, end, time } = playedNetwork()
  answers.push(silent, silent)
  const unanswered = assert.rejects(resolveDestination(context, TO_ANA), (error) => error instanceof TryLater)
  t.mock.timers.tick(20 * SECOND)
  await unanswered
  time.now += MINUTE
  const cut = assert.rejects(resolveDestination(context, TO_ANA), failsWith('instance_not_connected'))
  end()
  await cut
})

test('a group is read once and kept', async () => {
  const { context, answers, asked } = playedNetwork()
  answers.push(groupAnswer([{ jid: ANA_LID, phone_number: ANA }]))
  const { group } = await resolveDestination(context, identifier('120363019502650977-group'))
  assert.equal(group?.subject, 'Team')
  await resolveDestination(context, identifier('120363019502650977-group'))
  assert.equal(asked.length, 1)
})

test('a group that is suspended cannot be written to', async () => {
  const { context, answers } = playedNetwork()
  answers.push(groupAnswer([], {}, [node('suspended')]))
  await assert.rejects(writableGroup(context, TEAM), failsWith('group_suspended'))
})

// The network tells only members whether a group exists, so 403 and 404 mean the same.
for (const [code, meaning] of [
  [403, 'group_not_found'],
  [404, 'group_not_found'],
  [401, 'not_allowed'],
  [423, 'group_suspended'],
  [500, 'send_failed'],
] as const)
  test(`a group whose question is refused with ${code} is ${meaning}`, async () => {
    const { context, answers } = playedNetwork()
    answers.push(refused(code))
    await assert.rejects(groupAt(context, TEAM), failsWith(meaning))
  })

test('for a read receipt such a group is a chat that is not there', async () => {
  const { context, answers } = playedNetwork()
  answers.push(refused(403))
  await assert.rejects(groupAt(context, TEAM, 'chat_not_found'), failsWith('chat_not_found'))
})

test('channels and the status are asked nothing about, and broadcast lists do not exist', async () => {
  const { context, asked } = playedNetwork()
  const channel = await resolveDestination(context, identifier('120363166555745933@newsletter'))
  assert.deepEqual([channel.kind, channel.jid], ['newsletter', '120363166555745933@newsletter'])
  await assert.rejects(resolveDestination(context, { kind: 'broadcast', id: '1' } as Identifier), failsWith('not_allowed'))
  assert.equal(asked.length, 0)
})
