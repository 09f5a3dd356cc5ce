/**
 * Tests retry receipts: a device requests that a message be sent again. The service answers, if possible, with a copy
 * that fits the device and the chat, and acknowledges the receipt. After a failure of the disk it does neither.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { createMessageStatuses } from '../../../workers/shard/receipts/message-statuses.ts'
import { answerRetryReceipt, requestOf } from '../../../workers/shard/retry/retry-receipts.ts'
import { recordingLog, tempStore } from '../storage/fixtures.ts'

const ANA = '5511988880001:3@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'

const retry = (attrs: Record<string, string> = {}, count: string | undefined = '1', more: BinaryNode[] = []): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: 'A', type: 'retry', from: ANA, ...attrs },
  content: [{ tag: 'retry', attrs: count === undefined ? {} : { count } }, ...more],
})

test('a retry receipt that cannot be answered and a malformed one are confirmed like all others', async () => {
  const asked: string[] = []
  const log = { warn() {} }
  const answer = answerRetryReceipt({
    async resend({ id }) {
      asked.push(id)
      throw new Error('no session')
    },
    settled: () => undefined,
    log,
  })
  await answer(retry())
  for (const node of [
    { tag: 'receipt', attrs: { id: 'B', type: 'retry', from: ANA } },
    retry({ id: 'C', from: GROUP }),
    retry({ id: 'D', from: 'status@broadcast' }),
  ])
    await answer(node)
  assert.deepEqual(asked, ['A'])
})

// An earlier bug: a receipt that a full disk kept from being answered was acknowledged, so it did not come again.
test('one that a full disk keeps from being answered comes again', async () => {
  let isFull = true
  const answer = answerRetryReceipt({
    async resend() {
      if (isFull) throw new Error('not sealed', { cause: new StorageFailure('the disk is full', { isFull }) })
    },
    settled: () => undefined,
    log: { warn() {} },
  })
  await assert.rejects(answer(retry()))
  isFull = false
  await answer(retry())
})

// The acknowledgement of the second copy would have the same id as that of the first copy. So the two could be
// confused.
test('a message that is still being sent is not sent again before that has come to its end', async (t) => {
  const log = recordingLog()
  const none = {} as Parameters<typeof createMessageStatuses>[1]
  const statuses = createMessageStatuses({ store: await tempStore(t), steps() {} }, none)
  const resent: string[] = []
  const answer = answerRetryReceipt({ resend: async ({ id }) => void resent.push(id), settled: statuses.settled, log })
  await answer(retry({ id: 'before' }))
  statuses.hold('A')
  const answered = answer(retry())
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(resent, ['before'])
  statuses.release('A')
  await answered
  assert.deepEqual(resent, ['before', 'A'])
})

test('who asks is the participant of a group and of a status, and the sender of anything else', () => {
  const about = (attrs: Record<string, string>) => {
    const { asker, shared, recipient } = requestOf(retry(attrs))!
    return { asker, shared, recipient }
  }
  assert.deepEqual(about({}), { asker: ANA, shared: null, recipient: null })
  assert.deepEqual(about({ participant: '1@lid' }), { asker: ANA, shared: null, recipient: null })
  assert.deepEqual(about({ recipient: '1@lid' }), { asker: ANA, shared: null, recipient: '1@lid' })
  for (const from of [GROUP, 'status@broadcast'])
    assert.deepEqual(about({ from, participant: ANA }), { asker: ANA, shared: from, recipient: null })
})

test('a count that is none counts as the first', () => {
  const counts = ['3', '0', '-1', '1.5', 'x', '1e400', undefined].map((count) => requestOf(retry({}, count))?.count)
  assert.deepEqual(counts, [3, 1, 1, 1, 1, 1, 1])
})
