import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { receiptIn, receiptsIn } from '../../../workers/shard/wire/receipt.ts'
import { registrationIn, retryReceiptIn } from '../../../workers/shard/wire/retry-receipt.ts'

const GROUP = '120363019502650977@g.us'
const ANA = '5511999990001@s.whatsapp.net'
const BEN = '5511999990002@s.whatsapp.net'

const receipt = (attrs: Record<string, string>, ...content: BinaryNode[]): BinaryNode => ({ tag: 'receipt', attrs, content })

test('the messages of a receipt are its id and those of its list', () => {
  const list = {
    tag: 'list',
    attrs: {},
    content: [
      { tag: 'item', attrs: { id: 'B' } },
      { tag: 'item', attrs: {} as never },
    ],
  }
  assert.deepEqual(receiptIn(receipt({ id: 'A', from: ANA, type: 'read', t: '5' }, list)).ids, ['A', 'B'])
  assert.deepEqual(receiptIn(receipt({ from: ANA }, list)).ids, ['B'])
})

test('without a type it was delivered', () => {
  assert.equal(receiptIn(receipt({ id: 'A', from: ANA })).type, '')
})

test('of many members each is one, with its own time and type where it has them', () => {
  const user = (attrs: Record<string, string>) => ({ tag: 'user', attrs })
  const participants = (attrs: Record<string, string>, ...content: BinaryNode[]) => ({ tag: 'participants', attrs, content })
  const node = receipt(
    { id: 'OUTER', from: GROUP, type: 'read', t: '1' },
    participants({ key: 'A' }, user({ jid: ANA, t: '2' }), user({ jid: BEN, type: 'played' }), user({ t: '3' })),
    participants({ message_id: 'B' }, user({ jid: ANA })),
    participants({}, user({ jid: ANA })),
  )
  assert.deepEqual(
    [...receiptsIn(node)].map(({ ids, participant, type, t }) => [ids, participant, type, t]),
    [
      [['A'], ANA, 'read', '2'],
      [['A'], BEN, 'played', '1'],
      [['B'], ANA, 'read', '1'],
      [['OUTER'], ANA, 'read', '1'],
    ],
  )
})

test('the attempts in a request to send again are counted from 1', () => {
  const retry = (count: string) => receipt({ id: 'A', from: ANA }, { tag: 'retry', attrs: { count } })
  const table = [
    ['1', 1],
    ['4', 4],
    ['0', 1],
    ['-2', 1],
    ['many', 1],
  ] as const
  for (const [written, count] of table) assert.equal(retryReceiptIn(retry(written)).count, count)
  assert.equal(retryReceiptIn(receipt({ id: 'A', from: ANA })).count, null, 'it asks for nothing')
})

test('who asks says its registration id', () => {
  const registration = { tag: 'registration', attrs: {}, content: Buffer.from([0, 0, 1, 2]) }
  assert.equal(registrationIn(receipt({ id: 'A' }, registration)), 258)
  assert.equal(registrationIn(receipt({ id: 'A' })), undefined)
})
