import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { blockedIn, blockQuery, unblockQuery } from '../../../workers/shard/wire/blocklist.ts'

const LID = '123456789012345@lid'
const PN = '5511988887777@s.whatsapp.net'
const itemOf = ({ content }: BinaryNode) => (content as BinaryNode[])[0]

test('whoever has a LID is blocked by it, beside exactly one thing that says who that is', () => {
  const table = [
    [
      { lid: LID, pn: PN },
      { jid: LID, pn_jid: PN },
    ],
    [
      { lid: LID, pn: null },
      { jid: LID, unknown_identifier: 'true' },
    ],
    [{ lid: null, pn: PN }, { jid: PN }],
  ] as const
  for (const [named, attrs] of table)
    assert.deepEqual(itemOf(blockQuery(named)), { tag: 'item', attrs: { action: 'block', ...attrs } })
  assert.deepEqual(itemOf(unblockQuery(LID)), { tag: 'item', attrs: { action: 'unblock', jid: LID } })
})

test('a list is read with both kinds of identifiers; one that matches has none', () => {
  const answer = (attrs: Record<string, string>, ...items: Record<string, string>[]): BinaryNode => ({
    tag: 'iq',
    attrs: {},
    content: [{ tag: 'list', attrs, content: items.map((item) => ({ tag: 'item', attrs: item })) }],
  })
  assert.deepEqual(
    blockedIn(answer({ matched: 'false' }, { jid: LID, pn_jid: PN }, { jid: PN, lid: LID }, { username: 'ana' })),
    [
      { jid: LID, lid: LID, pn: PN },
      { jid: PN, lid: LID, pn: PN },
    ],
  )
  assert.equal(blockedIn(answer({ matched: 'true', dhash: '1' })), null)
  assert.deepEqual(blockedIn({ tag: 'iq', attrs: {} }), [], 'no list: nobody is blocked')
})
