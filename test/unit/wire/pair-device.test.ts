import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { isPrimaryHello } from '../../../workers/shard/wire/companion-registration.ts'
import { refsIn } from '../../../workers/shard/wire/pair-device.ts'

const node = (tag: string, content?: BinaryNode['content'], attrs = {}): BinaryNode => ({ tag, attrs, content })
const offer = (...content: BinaryNode[]) => node('iq', [node('pair-device', content)])

test('references are taken in their order, as bytes or as text, and what is none is left out', () => {
  assert.deepEqual(refsIn(offer(node('ref', Buffer.from('2@a')), node('other', 'x'), node('ref', '2@b'))), ['2@a', '2@b'])
  assert.deepEqual(refsIn(offer(node('ref'), node('ref', Buffer.alloc(0)), node('ref', [node('x')]))), [])
  assert.deepEqual(refsIn(node('iq', [])), [])
})

test('a notice that wants another pairing code shown is no answer of a phone', () => {
  const notice = (stage: string) =>
    node('notification', [node('link_code_companion_reg', [node('link_code_pairing_ref', 'r')], { stage })])
  assert.equal(isPrimaryHello(notice('refresh_code')), false)
  assert.equal(isPrimaryHello(notice('primary_hello')), true)
})
