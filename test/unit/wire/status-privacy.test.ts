import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { statusPrivacyIn, statusPrivacyQuery } from '../../../workers/shard/wire/status-privacy.ts'

const ANA = '5511988880001@s.whatsapp.net'
const list = (attrs: Record<string, string>, ...jids: string[]): BinaryNode => ({
  tag: 'list',
  attrs,
  content: jids.map((jid) => ({ tag: 'user', attrs: { jid } })),
})
const answer = (...lists: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'privacy', attrs: {}, content: lists }],
})

test('the list that is in use counts, the first where none is marked', () => {
  assert.deepEqual(statusPrivacyQuery().content, [{ tag: 'privacy', attrs: {} }])
  const table = [
    [answer(list({ type: 'contacts' }), list({ type: 'whitelist', default: 'true' }, ANA)), { kind: 'whitelist', named: [ANA] }],
    [answer(list({ type: 'blacklist' }, '5511988880001:3@s.whatsapp.net')), { kind: 'blacklist', named: [ANA] }],
    [answer(list({ type: 'new' })), { kind: 'contacts', named: [] }],
    [
      { tag: 'iq', attrs: {} },
      { kind: 'contacts', named: [] },
    ],
  ] as const
  for (const [stanza, expected] of table) assert.deepEqual(statusPrivacyIn(stanza), expected)
})
