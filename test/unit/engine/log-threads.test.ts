import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../../../src/domain/failures.ts'
import { createLogThreads } from '../../../src/engine/log-threads.ts'
import { INSTANCE, recordingLog, tempStore } from '../storage/fixtures.ts'

test('a search whose caller has gone is not read in its turn, and the next one waits for the running one only', async (t) => {
  const { dir } = await tempStore(t)
  let started = 0
  // Returns the ids of the instances. This is called when a query is passed to the thread.
  const instances = () => {
    started++
    return [INSTANCE]
  }
  const keyRing = { of: () => new Uint8Array(32), instances }
  const threads = createLogThreads({ storeUrl: `lmdb:${dir}`, keyRing, log: recordingLog() })
  t.after(() => threads.close())

  const search = (signal?: AbortSignal) => threads.list({ instanceIds: [INSTANCE], q: 'text', page: 1, pageSize: 1 }, signal)
  const left: Promise<unknown>[] = []
  for (let typed = 0; typed < 4; typed++) {
    const caller = new AbortController()
    left.push(search(caller.signal).catch((failure: Failure) => failure))
    await wait(1)
    caller.abort()
  }
  assert.deepEqual((await search()).data, [])
  const [running, ...others] = await Promise.all(left)
  assert.ok(!(running instanceof Failure))
  // An error with a cause would be logged as a failed request, although nobody waits for its answer.
  for (const failure of others) assert.ok(failure instanceof Failure && failure.cause === undefined)
  assert.equal(started, 2)
})
