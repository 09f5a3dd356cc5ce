import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { numberAnswers, numbersQuery } from '../../../workers/shard/wire/number-query.ts'
import { aboutIn, durationIn } from '../../../workers/shard/wire/person-query.ts'
import { node } from '../../harness/nodes.ts'

const PN = '5511988887777@s.whatsapp.net'
const LID = '123456789012345@lid'
const answer = (users: BinaryNode[], result: BinaryNode[] = []) =>
  node('iq', {}, [node('usync', {}, [node('result', {}, result), node('list', {}, users)])])
const contact = (type: string, text: string) => node('contact', { type }, Buffer.from(text))
const error = node('error', { code: '429', backoff: '30' })
const refused = { type: 'refused', code: 429, backoffSeconds: 30 }

test('many numbers are sent in one query, each with a plus', () => {
  const query = numbersQuery(['5511988887777', '4915112345678'], 'sid-1')
  const usync = (query.content as BinaryNode[])[0]!
  assert.deepEqual(usync.attrs, { context: 'interactive', mode: 'query', sid: 'sid-1', last: 'true', index: '0' })
  const [protocols, list] = usync.content as BinaryNode[]
  assert.deepEqual(protocols?.content, [node('contact'), node('lid')])
  assert.deepEqual(list?.content, [
    node('user', {}, [node('contact', {}, '+5511988887777')]),
    node('user', {}, [node('contact', {}, '+4915112345678')]),
  ])
})

test('the answer for a number is found by the number that it repeats, whatever its jid and its place', () => {
  const numbers = ['551188887777', '4915112345678', '12345', '33333', '44444']
  const said = answer([
    node('user', { jid: '44444@s.whatsapp.net' }, [contact('out', '+44444')]),
    node('user', {}, [contact('invalid', '+12345')]),
    node('user', { jid: PN }, [contact('in', '+551188887777'), node('lid', { val: LID })]),
    node('user', { jid: '4915112345678@s.whatsapp.net' }, [contact('in', '+4915112345678'), node('lid')]),
    node('user', { jid: '1@s.whatsapp.net' }, [contact('in', '+1')]),
  ])
  assert.deepEqual(
    numberAnswers(said, numbers),
    new Map([
      ['551188887777', { jid: PN, lid: LID }],
      ['4915112345678', { jid: '4915112345678@s.whatsapp.net', lid: null }],
      ['12345', null],
      ['33333', null],
      ['44444', null],
    ]),
  )
})

test('an error of one thing that was asked, or of one person, is a refusal', () => {
  const found = node('user', { jid: PN }, [contact('in', '+1')])
  assert.deepEqual(numberAnswers(answer([found], [node('contact', {}, [error])]), ['1']), refused)
  assert.deepEqual(
    numberAnswers(answer([node('user', { jid: PN }, [contact('in', '+1'), node('lid', {}, [error])])]), ['1']),
    refused,
  )
  assert.deepEqual(numberAnswers(node('iq'), ['1']), { type: 'refused', code: null, backoffSeconds: null })
})

test('the about text is told with its time, hidden and absent ones are null', () => {
  const about = (...content: BinaryNode[]) => aboutIn(answer([node('user', { jid: PN }, content)]))
  const none = { text: null, setAt: null, isBusiness: null, verifiedName: null }
  const verified = node('business', {}, [node('verified_name', { v: '1' }, Buffer.from('cert'))])
  const table: [BinaryNode[], unknown][] = [
    [[node('status', { t: '1762077600' }, Buffer.from('Busy'))], { ...none, text: 'Busy', setAt: '2025-11-02T10:00:00.000Z' }],
    [[node('status', { t: '0' }, 'Busy')], { ...none, text: 'Busy' }],
    [[node('status', { code: '401', type: 'fail' })], none],
    [[node('status', {}, [error])], none],
    [[], none],
    [[verified], { ...none, isBusiness: true }],
    [[node('business', {}, [error])], { ...none, isBusiness: false }],
  ]
  for (const [content, expected] of table) assert.deepEqual(about(...content), expected)
  assert.deepEqual(aboutIn(answer([])), none)
  assert.deepEqual(aboutIn(answer([], [node('status', {}, [error])])), refused)
})

test('how long messages of new chats last is a number of seconds or unknown', () => {
  const duration = (...content: BinaryNode[]) => durationIn(answer([node('user', { jid: PN }, content)]))
  assert.equal(duration(node('disappearing_mode', { duration: '86400', t: '1' })), 86_400)
  assert.equal(duration(node('disappearing_mode', { duration: '0' })), 0)
  assert.equal(duration(node('disappearing_mode', { duration: 'x' })), null)
  assert.equal(duration(node('disappearing_mode', {}, [error])), null)
  assert.equal(duration(), null)
  assert.deepEqual(durationIn(answer([], [node('disappearing_mode', {}, [error])])), refused)
})
