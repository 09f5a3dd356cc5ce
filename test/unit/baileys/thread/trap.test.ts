/**
 * Tests a trap (a fatal error) in a WebAssembly module. All sessions of the thread share this module, and after a trap
 * none of them can use it.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { threadFlags } from '../../../../src/engine/thread.ts'
import { sameKind } from '../../../harness/checkout.ts'

const module = sameKind('./trapped', import.meta.url)

for (const way of ['uncaught', 'unhandled', 'signal']) {
  test(`a WebAssembly module that traps ends the thread, after it was reported: ${way}`, async (t) => {
    const thread = new Worker(module, { execArgv: threadFlags(module), workerData: way })
    t.after(() => thread.terminate())
    const exit = once(thread, 'exit')
    assert.deepEqual(await once(thread, 'message'), ['RuntimeError'])
    assert.deepEqual(await exit, [1])
  })
}
