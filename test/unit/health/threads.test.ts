import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadsOf } from '../../../src/health/threads.ts'

test('a thread is up if it runs and answered; what a shard did not tell is null', () => {
  const survey = { instances: [], heapBytes: 41_943_040, busy: 0.126 }
  assert.deepEqual(threadsOf({ heapBytes: 1_048_576, busy: 0.5 }, [1, 3, undefined], [survey, undefined, survey]), [
    { name: 'main', up: true, restarts: 0, instances: null, heap_mb: 1, busy: 0.5 },
    { name: 'shard 0', up: true, restarts: 0, instances: 0, heap_mb: 40, busy: 0.13 },
    { name: 'shard 1', up: false, restarts: 2, instances: null, heap_mb: null, busy: null },
    { name: 'shard 2', up: false, restarts: 0, instances: 0, heap_mb: 40, busy: 0.13 },
  ])
})
