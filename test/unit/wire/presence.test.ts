import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callRejection } from '../../../workers/shard/wire/call-rejection.ts'
import { ping } from '../../../workers/shard/wire/keep-alive.ts'
import { chatState, stateOf, subscription } from '../../../workers/shard/wire/presence.ts'

const LID = '123456789012345@lid'
const ME = '5511999990000:7@s.whatsapp.net'

test('a presence subscription has the token of the person, and no id', () => {
  assert.deepEqual(subscription(LID), { tag: 'presence', attrs: { to: LID, type: 'subscribe' } })
  const token = { tag: 'tctoken', attrs: { t: '1' }, content: new Uint8Array([1]) }
  assert.deepEqual(subscription(LID, [token]).content, [token])
})

test('a chat state names the chat alone, and is read as it was written', () => {
  const table = [
    ['composing', { tag: 'composing', attrs: {} }],
    ['recording', { tag: 'composing', attrs: { media: 'audio' } }],
    ['paused', { tag: 'paused', attrs: {} }],
  ] as const
  for (const [state, child] of table) {
    const node = chatState(LID, state)
    assert.deepEqual(node, { tag: 'chatstate', attrs: { to: LID }, content: [child] })
    assert.equal(stateOf(node), state)
  }
})

test('a keep-alive has nothing inside', () => {
  assert.deepEqual(ping(), { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } })
})

test('a rejection names the call and who made it', () => {
  assert.deepEqual(callRejection(ME, LID, 'C1'), {
    tag: 'call',
    attrs: { from: ME, to: LID },
    content: [{ tag: 'reject', attrs: { 'call-id': 'C1', 'call-creator': LID, count: '0' } }],
  })
})
