import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createMessageAnswer, type MessageAnswerDeps } from '../../../workers/shard/receive/message-answer.ts'

const ME = { id: '5511999990000:3@s.whatsapp.net', lid: '81896604190000:3@lid' }
const GROUP = '120363019502650977@g.us'
const message = (id: string): BinaryNode => ({
  tag: 'message',
  attrs: { id, from: GROUP, participant: '81896604190001@lid', t: '1767225600' },
  content: [{ tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: Buffer.of(1) }],
})

// If a message cannot be read, the service asks the sender for it again. In an earlier bug, the next message of the
// chat waited until this request was sent: 52 s with 200 requests.
test('a message that cannot be read is asked for beside the line: its answer does not wait for the request', async () => {
  const sent: BinaryNode[] = []
  const asked: (() => void)[] = []
  const answer = createMessageAnswer({
    sock: { authState: { creds: { me: ME } }, ws: { isOpen: true }, sendNode: async (node: BinaryNode) => void sent.push(node) },
    receiver: () => ({ isOwn: () => false, isAvailable: false }),
    askAgain: { sender: () => new Promise<void>((resolve) => asked.push(resolve)), phone() {} },
    inbox: { problemOf: () => 'no_sender_key' },
    log: { info() {} },
    steps: () => {},
  } as unknown as MessageAnswerDeps)
  for (let index = 0; index < 3; index++) await answer(message(`A${index}`), 'unread')
  assert.equal(asked.length, 3, 'each was asked for, and none waits for another')
  assert.deepEqual(sent, [], 'and is confirmed only behind its request')
  for (const done of asked) done()
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(sent.length >= 3)
})
