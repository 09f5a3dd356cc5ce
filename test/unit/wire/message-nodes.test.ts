import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  bizBotNode,
  metaNode,
  mixedBizNode,
  payBizNode,
  plaintextNode,
  postStanza,
  reactionNode,
  sealedAgain,
} from '../../../workers/shard/wire/message-nodes.ts'

const BYTES = new Uint8Array([1, 2])

test('the nodes that are sent', () => {
  const table: [BinaryNode, BinaryNode][] = [
    [metaNode({ polltype: 'vote' }), { tag: 'meta', attrs: { polltype: 'vote' } }],
    [reactionNode('👍'), { tag: 'reaction', attrs: { code: '👍' } }],
    [reactionNode(null), { tag: 'reaction', attrs: {} }],
    [bizBotNode(), { tag: 'bot', attrs: { biz_bot: '1' } }],
    // The native apps mark payments with this node.
    [payBizNode('order_details'), { tag: 'biz', attrs: { native_flow_name: 'order_details' } }],
    [plaintextNode({ mediatype: 'url' }, BYTES), { tag: 'plaintext', attrs: { mediatype: 'url' }, content: BYTES }],
  ]
  for (const [made, expected] of table) assert.deepEqual(made, expected)
})

test('buttons have the version that clients draw', () => {
  const { attrs, content } = mixedBizNode(1_795_360_566)
  assert.deepEqual(attrs, { actual_actors: '2', host_storage: '2', privacy_mode_ts: '1795360566' })
  assert.deepEqual(content, [
    {
      tag: 'interactive',
      attrs: { type: 'native_flow', v: '1' },
      content: [{ tag: 'native_flow', attrs: { v: '9', name: 'mixed' } }],
    },
    { tag: 'quality_control', attrs: { source_type: 'third_party' } },
  ])
})

test('a post has its content in the clear', () => {
  const plaintext = plaintextNode({}, BYTES)
  assert.deepEqual(postStanza({ id: 'A', to: '1@newsletter', type: 'text' }, [plaintext]), {
    tag: 'message',
    attrs: { id: 'A', to: '1@newsletter', type: 'text' },
    content: [plaintext],
  })
})

test('a message that is sent again has one ciphertext, our identity, and what it first left with', () => {
  const nodes = [metaNode({ polltype: 'creation' })]
  const made = sealedAgain({
    id: 'A',
    attributes: { type: 'poll' },
    address: { to: '1@g.us', participant: '2:3@lid' },
    ciphertext: { type: 'pkmsg', bytes: BYTES, attributes: { mediatype: 'image' } },
    count: 2,
    identity: BYTES,
    nodes,
  })
  assert.deepEqual(made, {
    tag: 'message',
    attrs: { id: 'A', type: 'poll', to: '1@g.us', participant: '2:3@lid' },
    content: [
      { tag: 'enc', attrs: { v: '2', type: 'pkmsg', mediatype: 'image', count: '2' }, content: BYTES },
      { tag: 'device-identity', attrs: {}, content: BYTES },
      ...nodes,
    ],
  })
})
