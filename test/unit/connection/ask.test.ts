import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import {
  actionFailure,
  meaningsOf,
  networkCodeOf,
  refusedFieldOf,
  sendFailure,
} from '../../../workers/shard/connection/failures.ts'
import { QueryRefused } from '../../../workers/shard/network/queries.ts'
import { askOver } from './asking.ts'

const QUESTION: BinaryNode = { tag: 'iq', attrs: { type: 'get' } }
const ANSWER: BinaryNode = { tag: 'iq', attrs: { type: 'result' } }
const refused = (code: number) => Object.assign(new Error('refused'), { data: code })
const failsWith =
  (code: string, networkCode: number | null = null) =>
  (error: unknown) =>
    error instanceof Failure && error.code === code && networkCodeOf(error) === networkCode
const never = () => new Promise<never>(() => {})
const answering = (...answers: (BinaryNode | undefined | Error)[]) => {
  const asked: BinaryNode[] = []
  const query = async (node: BinaryNode) => {
    asked.push(node)
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  return { asked, query }
}

test('the answer is handed out, and a function may answer nothing', async () => {
  const ask = askOver(answering(ANSWER))
  assert.equal(await ask(QUESTION), ANSWER)
  assert.equal(await ask.run(async () => undefined), undefined)
})

test('a question that bears an id of ours has another one when it is asked once more', async () => {
  let made = 0
  const { asked, query } = answering(refused(409), ANSWER)
  await askOver({ query, generateMessageTag: () => `tag ${++made}` })((sid) => ({ ...QUESTION, attrs: { sid } }))
  assert.deepEqual(
    asked.map(({ attrs }) => attrs.sid),
    ['tag 1', 'tag 2'],
  )
})

test('the field that the network refused is known behind the code, if the network named one', async () => {
  const refusal = (content: BinaryNode[]) =>
    new QueryRefused({ tag: 'iq', attrs: { type: 'error' }, content: [{ tag: 'error', attrs: { code: '406' }, content }] })
  for (const [content, field] of [
    [[{ tag: 'field', attrs: { name: 'subject', reason: 'x' } }], 'subject'],
    [[], null],
  ] as const)
    await assert.rejects(askOver(answering(refusal([...content])))(QUESTION), (failure) => {
      assert.equal(refusedFieldOf(failure), field)
      return failsWith('invalid_request')(failure)
    })
})

test('each question has its deadline, or all together have one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const each = askOver({ query: never }, undefined, { deadline: { eachMs: 20 * SECOND } })
  for (let time = 0; time < 2; time++) {
    const asked = assert.rejects(each(QUESTION), failsWith('send_timeout'))
    t.mock.timers.tick(20 * SECOND)
    await asked
  }
  const over = askOver({ query: never }, undefined, { deadline: { totalMs: 0 } })
  await assert.rejects(over(QUESTION), failsWith('send_timeout'))
})

test('a question may have less of the time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const ask = askOver({ query: never }, undefined, { deadline: { totalMs: 45 * SECOND } })
  const asked = assert.rejects(ask(QUESTION, { atMostMs: 5 * SECOND }), failsWith('send_timeout'))
  t.mock.timers.tick(5 * SECOND)
  await asked
})

test('with the end of the socket every question ends', async () => {
  const ending = new AbortController()
  const ask = askOver({ query: never, sendNode: never }, ending.signal)
  const waiting = [ask(QUESTION), ask.run(never), ask.write(QUESTION)]
  ending.abort()
  for (const one of waiting) await assert.rejects(one, failsWith('instance_not_connected'))
})

test('what was changed meanwhile is asked once more, and not twice', async () => {
  const once = answering(refused(409), ANSWER)
  assert.equal(await askOver(once)(QUESTION), ANSWER)
  const twice = answering(refused(409), refused(409), ANSWER)
  await assert.rejects(askOver(twice)(QUESTION), failsWith('action_failed', 409))
  assert.equal(twice.asked.length, 2)
})

const TABLE: readonly [code: number, action: string, send: string][] = [
  [401, 'not_allowed', 'not_allowed'],
  [402, 'not_allowed', 'send_failed'],
  [403, 'not_allowed', 'not_allowed'],
  [404, 'not_found', 'chat_not_found'],
  [405, 'not_allowed', 'not_allowed'],
  [410, 'invite_link_invalid', 'send_failed'],
  [416, 'group_suspended', 'send_failed'],
  [423, 'group_suspended', 'group_suspended'],
  [429, 'action_failed', 'action_failed'],
  [451, 'not_allowed', 'send_failed'],
  [500, 'action_failed', 'send_failed'],
]

for (const [code, action, send] of TABLE)
  test(`${code} is ${action} to an action, ${send} to a send, and what an operation says`, async () => {
    const asking = (toFailure: typeof actionFailure) =>
      askOver({ query: async () => Promise.reject(refused(code)) }, undefined, { toFailure })
    await assert.rejects(asking(actionFailure)(QUESTION), failsWith(action, code))
    await assert.rejects(asking(sendFailure)(QUESTION), failsWith(send, code))
    await assert.rejects(asking(sendFailure).meaning({ [code]: 'order_not_found' })(QUESTION), failsWith('order_not_found', code))
    await assert.rejects(
      asking(actionFailure).meaning({ otherwise: 'order_not_found' })(QUESTION),
      failsWith('order_not_found', code),
    )
  })

test('what an operation says of one code says nothing of others, nor of a lost connection', async () => {
  const ask = askOver(answering(refused(404), refused(403), Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })))
  const about = ask.meaning({ 404: 'group_not_found', otherwise: 'action_failed' }).meaning({ 403: 'group_not_found' })
  await assert.rejects(about(QUESTION), failsWith('group_not_found', 404))
  await assert.rejects(about(QUESTION), failsWith('group_not_found', 403))
  await assert.rejects(about(QUESTION), failsWith('instance_not_connected'))
})

test('a refused value is named, and an invitation or a channel has codes of its own', () => {
  assert.equal(actionFailure(refused(406)).code, 'invalid_request')
  for (const code of [400, 404, 406])
    assert.equal(actionFailure(refused(code), meaningsOf('invite_link_invalid')).code, 'invite_link_invalid')
  for (const code of [404, 423, 451])
    assert.equal(actionFailure(refused(code), meaningsOf('newsletter_not_found')).code, 'newsletter_not_found')
  assert.equal(actionFailure(refused(404), meaningsOf('chat_not_found')).code, 'chat_not_found')
})
