import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deferred } from '../../../src/lib/deferred.ts'
import { createOutcomes } from '../../../workers/shard/durable-line/outcomes.ts'
import { manualTime, tempStore } from '../storage/fixtures.ts'

const KEY = 'outcome'

test('an outcome that comes while an earlier one of the same row is written is written, too', async (t) => {
  const store = await tempStore(t)
  const mayWrite = deferred()
  const outcomes = createOutcomes({
    store: {
      async commit(batch) {
        await mayWrite.promise
        return await store.commit(batch)
      },
    },
    timer: manualTime().timer,
    signal: new AbortController().signal,
    onFailure: (error) => assert.fail(String(error)),
  })
  outcomes.add('row', () => [[KEY, Buffer.from('first')]])
  const first = outcomes.flush()
  outcomes.add('row', () => [[KEY, Buffer.from('second')]])
  mayWrite.resolve()
  await first
  await outcomes.flush()
  assert.equal(Buffer.from((await store.get(KEY)) ?? []).toString(), 'second')
})
