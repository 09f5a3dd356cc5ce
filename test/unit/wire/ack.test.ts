import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { ackIn } from '../../../workers/shard/wire/ack.ts'
import { refusalCode, refusedField, withId } from '../../../workers/shard/wire/refusal.ts'

const ANA = '5511999990001@s.whatsapp.net'
const EMPTY = {
  id: '',
  class: undefined,
  from: '',
  error: undefined,
  phash: undefined,
  addressingMode: undefined,
  serverId: undefined,
  isLidOutdated: false,
}

test('what an ack says', () => {
  const table = [
    [{}, EMPTY],
    [
      { id: 'A', class: 'message', from: ANA, error: '463' },
      { ...EMPTY, id: 'A', class: 'message', from: ANA, error: '463' },
    ],
    [
      { phash: '2:x', addressing_mode: 'lid' },
      { ...EMPTY, phash: '2:x', addressingMode: 'lid' },
    ],
    [{ server_id: '120' }, { ...EMPTY, serverId: '120' }],
    [{ refresh_lid: 'true' }, { ...EMPTY, isLidOutdated: true }],
    [{ refresh_lid: 'false' }, EMPTY],
  ] as const
  for (const [attrs, expected] of table) assert.deepEqual(ackIn({ tag: 'ack', attrs }), expected)
})

test('a refusal has a code, and sometimes the field that it is about', () => {
  const answer = (...content: BinaryNode[]): BinaryNode => ({ tag: 'iq', attrs: { type: 'error' }, content })
  const field = { tag: 'field', attrs: { name: 'jid', reason: 'invalid' } }
  const error = (attrs: Record<string, string>, ...content: BinaryNode[]) => answer({ tag: 'error', attrs, content })
  const table: readonly [BinaryNode, number, string | null][] = [
    [error({ code: '406' }, field), 406, 'jid'],
    [error({ code: '400' }), 400, null],
    [error({ code: 'odd' }, { tag: 'field', attrs: {} }), 0, null],
    [answer(), 0, null],
  ]
  for (const [node, code, name] of table) assert.deepEqual([refusalCode(node), refusedField(node)], [code, name])
})

test('a query keeps its id, or is given one', () => {
  const query = { tag: 'iq', attrs: { type: 'get' } }
  assert.deepEqual(
    withId(query, () => 'new'),
    { id: 'new', query: { tag: 'iq', attrs: { type: 'get', id: 'new' } } },
  )
  const own = { tag: 'iq', attrs: { id: 'own' } }
  assert.deepEqual(
    withId(own, () => 'new'),
    { id: 'own', query: own },
  )
  assert.deepEqual(query.attrs, { type: 'get' }, 'what was given is as it was')
})
