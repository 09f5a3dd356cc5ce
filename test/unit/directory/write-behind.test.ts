import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Batch, Op } from '../../../src/storage/contract.ts'
import { createWriteBehind } from '../../../workers/shard/directory/write-behind.ts'
import { recordingLog, tempStore } from '../storage/fixtures.ts'

/** A table with one change. */
function changed(op: Op) {
  let left = [op]
  const take = () => left.splice(0)
  return {
    get hasChanged() {
      return left.length > 0
    },
    ops: take,
    newestOps: take,
    notWritten: (ops: readonly Op[]) => {
      left = [...left, ...ops]
    },
  }
}

test('a flush is idle only when it has written what the commit before it could not write', async (t) => {
  const temp = await tempStore(t)
  const written: Batch[] = []
  const store = {
    ...temp,
    async commit(batch: Batch) {
      const isWritten = await temp.commit(batch)
      written.push(batch)
      return isWritten
    },
  }
  const op: Op = ['contacts:one', Buffer.from('Ana')]
  const behind = createWriteBehind({ store, log: recordingLog() }, [changed(op)], 'not written')
  const ridden = behind.rides.take()
  assert.deepEqual(ridden, [op])
  behind.flushBehind()
  const idle = behind.idle().then(() => written.length)
  behind.rides.settled(ridden, false)
  assert.equal(await idle, 1)
})
