import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { memoryLimits } from '../../../src/engine/thread.ts'

const YOUNG_OF_A_THREAD = `
  const { parentPort } = require('node:worker_threads')
  let kept = []
  for (let count = 0; count < 2e6; count++) {
    kept.push({ count })
    if (kept.length > 1e5) kept = []
  }
  const { getHeapSpaceStatistics } = require('node:v8')
  parentPort.postMessage(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size)
`
const MB = 1_024 * 1_024

test('the flag that bounds the main thread does not bound a thread with limits of its own', async () => {
  setFlagsFromString('--max-semi-space-size=1')
  const worker = new Worker(YOUNG_OF_A_THREAD, { eval: true, resourceLimits: memoryLimits(128, 24) })
  const young = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  await worker.terminate()
  // The young generation consists of two halves of 8 MB. With the flag of the main thread, each half would have only 1
  // MB.
  assert.ok(young > 8 * MB, `${young} bytes`)
})
