import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { devicesIn, devicesQuery } from '../../../workers/shard/wire/device-list.ts'
import { node } from '../../harness/nodes.ts'

const PN = '5511999990000@s.whatsapp.net'
const LID = '81896604190000@lid'

const device = (id: string, attrs: Record<string, string> = {}) => node('device', { id, ...attrs })
const list = (...devices: BinaryNode[]) => node('devices', {}, [node('device-list', {}, devices)])
const answered = (users: BinaryNode[], result: BinaryNode[] = []) =>
  node('iq', { type: 'result' }, [node('usync', {}, [node('result', {}, result), node('list', {}, users)])])

test('the query is that of the web client', () => {
  assert.deepEqual(
    devicesQuery([PN], '1.2-3'),
    node('iq', { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' }, [
      node('usync', { context: 'message', mode: 'query', sid: '1.2-3', last: 'true', index: '0' }, [
        node('query', {}, [node('devices', { version: '2' }), node('lid')]),
        node('list', {}, [node('user', { jid: PN })]),
      ]),
    ]),
  )
})

test('a phone, companions with keys, and hosted devices are addressed on their own servers', () => {
  const ofLid = list(device('0'), device('5', { 'key-index': '2' }), device('99', { is_hosted: 'true', 'key-index': '3' }))
  const [first, second] = devicesIn(
    answered([node('user', { jid: LID }, [ofLid]), node('user', { jid: PN }, [list(device('0')), node('lid', { val: LID })])]),
  )
  assert.deepEqual(first, {
    jid: LID,
    lid: null,
    devices: [
      { user: '81896604190000', server: 'lid', device: 0 },
      { user: '81896604190000', server: 'lid', device: 5 },
      { user: '81896604190000', server: 'hosted.lid', device: 99 },
    ],
    unaddressable: [],
  })
  assert.equal(second?.lid, LID)
  assert.deepEqual(second?.devices, [{ user: '5511999990000', server: 's.whatsapp.net', device: 0 }])
})

test('a companion without keys, and a device that nothing can address, get no message', () => {
  const listed = list(
    device('0'),
    device('5'),
    device('99', { 'key-index': '1' }),
    device('100', { is_hosted: 'true' }),
    device('x'),
  )
  const [person] = devicesIn(answered([node('user', { jid: PN }, [listed])]))
  assert.deepEqual(
    person?.devices.map(({ device }) => device),
    [0],
  )
  assert.deepEqual(person?.unaddressable, ['99', '100', 'x'])
})

test('a person without an account has no devices, and a refusal is an error with its code', () => {
  assert.deepEqual(devicesIn(answered([node('user', { jid: PN })])), [{ jid: PN, lid: null, devices: [], unaddressable: [] }])
  assert.deepEqual(devicesIn(node('iq')), [])
  const error = node('error', { code: '429', text: 'rate-overlimit' })
  for (const answer of [
    answered([], [node('devices', {}, [error])]),
    answered([node('user', { jid: PN }, [node('devices', {}, [error])])]),
  ])
    assert.throws(
      () => devicesIn(answer),
      (thrown) => (thrown as { data?: unknown }).data === 429,
    )
})
