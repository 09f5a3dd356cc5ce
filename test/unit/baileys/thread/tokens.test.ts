import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys'
import { forgetInheritedTokens } from '../../../../workers/shard/baileys/thread/tokens.ts'

test('an id that every object has as a property leaves as it is', async () => {
  forgetInheritedTokens()
  for (const id of ['constructor', '__proto__', 'toString', 'receipt', '3EB0796DC6B777C0C7CD']) {
    const node: BinaryNode = { tag: 'receipt', attrs: { id, to: '5511988887777@s.whatsapp.net' } }
    assert.deepEqual({ ...(await decodeBinaryNode(encodeBinaryNode(node))).attrs }, node.attrs)
  }
})
