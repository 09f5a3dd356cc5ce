import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { companionFinish, primaryHelloIn } from '../../../workers/shard/wire/companion-registration.ts'

const part = (tag: string, ...bytes: number[]): BinaryNode => ({ tag, attrs: {}, content: Buffer.from(bytes) })
const notice = (...parts: BinaryNode[]): BinaryNode => ({
  tag: 'notification',
  attrs: { type: 'link_code_companion_reg' },
  content: [{ tag: 'link_code_companion_reg', attrs: {}, content: parts }],
})
const PARTS = [
  part('link_code_pairing_wrapped_primary_ephemeral_pub', 1),
  part('primary_identity_pub', 2),
  part('link_code_pairing_ref', 3),
]

test('what the phone sends has three parts; without one of them it is nothing', () => {
  assert.deepEqual(primaryHelloIn(notice(...PARTS)), {
    wrappedEphemeral: Buffer.from([1]),
    identity: Buffer.from([2]),
    ref: Buffer.from([3]),
  })
  for (const missing of PARTS)
    assert.throws(() => primaryHelloIn(notice(...PARTS.filter((each) => each !== missing))), new RegExp(missing.tag))
})

test('it is answered with our keys and its reference', () => {
  const [key, identity, ref] = [new Uint8Array([4]), new Uint8Array([5]), new Uint8Array([3])]
  const made = companionFinish({ jid: '5511999990000@s.whatsapp.net', keyBundle: key, identity, ref })
  assert.deepEqual(made.attrs, { to: '@s.whatsapp.net', type: 'set', xmlns: 'md' })
  assert.deepEqual(made.content, [
    {
      tag: 'link_code_companion_reg',
      attrs: { jid: '5511999990000@s.whatsapp.net', stage: 'companion_finish' },
      content: [
        { tag: 'link_code_pairing_wrapped_key_bundle', attrs: {}, content: key },
        { tag: 'companion_identity_public', attrs: {}, content: identity },
        { tag: 'link_code_pairing_ref', attrs: {}, content: ref },
      ],
    },
  ])
})
