import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { propsIn, propsQuery } from '../../../workers/shard/wire/server-props.ts'

const prop = (name: string, value: string): BinaryNode => ({ tag: 'prop', attrs: { name, value } })
const answer = (...content: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'props', attrs: { hash: 'h2' }, content }],
})

test('properties are asked for with the hash of the last answer', () => {
  const query = (attrs: Record<string, string>) => ({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, xmlns: 'abt', type: 'get' },
    content: [{ tag: 'props', attrs: { protocol: '1', ...attrs } }],
  })
  assert.deepEqual(propsQuery(undefined), query({}))
  assert.deepEqual(propsQuery('h1'), query({ hash: 'h1' }))
})

test('a property is known by its number or its name, and others change nothing', () => {
  assert.deepEqual(propsIn(answer(prop('10518', '0'), prop('lid_trusted_token_issue_to_lid', 'true'), prop('1', '1'))), {
    hash: 'h2',
    props: { privacyTokenOn1to1: false, lidTrustedTokenIssueToLid: true },
  })
  assert.deepEqual(propsIn({ tag: 'iq', attrs: {} }), { hash: undefined, props: {} })
})
