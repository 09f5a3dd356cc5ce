import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { listChangeQuery, listOf, listQuery, type Named, settingQuery } from '../../../workers/shard/wire/privacy.ts'

const LID = '123456789012345@lid'
const PN = '5511988887777@s.whatsapp.net'

const inside = (node: BinaryNode): BinaryNode => (node.content as BinaryNode[])[0]!

test('a list is requested with the kind of identifier that the account uses', () => {
  for (const [addressing, attrs] of [
    ['lid', { addressing_mode: 'lid' }],
    ['pn', {}],
  ] as const) {
    const query = listQuery('last', addressing)
    assert.deepEqual(query.attrs, { to: '@s.whatsapp.net', type: 'get', xmlns: 'privacy' })
    assert.deepEqual(inside(query).attrs, attrs)
    assert.deepEqual(inside(inside(query)), { tag: 'list', attrs: { name: 'last', value: 'contact_blacklist' } })
  }
})

test('a setting alone says nothing of how people are named', () => {
  assert.deepEqual(inside(settingQuery('online', 'all')), {
    tag: 'privacy',
    attrs: {},
    content: [{ tag: 'category', attrs: { name: 'online', value: 'all' } }],
  })
})

test('who is left out is named by LID with the number beside it, or by number alone', () => {
  const users: [Named, 'lid' | 'pn', Record<string, string>][] = [
    [{ lid: LID, pn: PN }, 'lid', { jid: LID, pn_jid: PN }],
    [{ lid: LID, pn: null }, 'lid', { jid: LID }],
    [{ lid: null, pn: PN }, 'lid', { jid: PN }],
    [{ lid: LID, pn: PN }, 'pn', { jid: PN }],
    [{ lid: LID, pn: null }, 'pn', { jid: LID }],
  ]
  for (const [named, addressing, attrs] of users) {
    const query = listChangeQuery('groupadd', [{ ...named, action: 'add' }], null, addressing)
    const category = inside(inside(query))
    assert.deepEqual(category.attrs, { name: 'groupadd', value: 'contact_blacklist', dhash: 'none' })
    assert.deepEqual(inside(category), { tag: 'user', attrs: { action: 'add', ...attrs } })
  }
  assert.equal(inside(inside(listChangeQuery('last', [], '17', 'lid'))).attrs.dhash, '17')
})

const answer = (...content: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'privacy', attrs: {}, content }],
})

test('a list is read in every form the network has for people', () => {
  const entries: [Record<string, string>, Named[]][] = [
    [{ jid: LID, pn_jid: PN }, [{ lid: LID, pn: PN }]],
    [{ jid: PN, lid: LID }, [{ lid: LID, pn: PN }]],
    [{ jid: PN }, [{ lid: null, pn: PN }]],
    [{ jid: LID, username: 'ana' }, [{ lid: LID, pn: null }]],
    [{ pn_jid: PN }, [{ lid: null, pn: PN }]],
    [{ username: 'ana' }, []],
  ]
  for (const [attrs, people] of entries)
    assert.deepEqual(listOf(answer({ tag: 'list', attrs: { dhash: '1' }, content: [{ tag: 'user', attrs }] })), {
      dhash: '1',
      people,
    })
  assert.deepEqual(listOf(answer()), { dhash: null, people: [] })
  assert.deepEqual(listOf({ tag: 'iq', attrs: {} }), { dhash: null, people: [] })
})
