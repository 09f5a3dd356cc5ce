import assert from 'node:assert/strict'
import { on, once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { threadFlags } from '../../../../src/engine/thread.ts'
import { asError } from '../../../../workers/shard/baileys/thread/rejections.ts'
import { sameKind } from '../../../harness/checkout.ts'

test('what nobody catches is reported with its owner, and the thread goes on', async () => {
  const module = sameKind('./survivor', import.meta.url)
  const thread = new Worker(module, { execArgv: threadFlags(module) })
  // A single listener receives all messages. With `once`, a message that arrives between two calls would be lost.
  const messages = on(thread, 'message')
  const next = async () => (await messages.next()).value[0] as unknown
  const exit = once(thread, 'exit')
  const reports = [await next(), await next(), await next()] as string[][]
  assert.deepEqual(reports.toSorted(), [
    ['exception', 'thrown', 'three'],
    ['rejection', 'bare', 'two'],
    ['rejection', 'of one', 'one'],
  ])
  thread.postMessage('still there?')
  assert.equal(await next(), 'alive')
  assert.deepEqual(await exit, [0])
})

test('a bare value becomes an error that keeps it', () => {
  assert.equal(asError(1006).message, '1006')
  const error = new Error('x')
  assert.equal(asError(error), error)
})
