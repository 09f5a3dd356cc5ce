import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownRecords } from '../../../src/storage/main-records/own-records.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { tempStore } from './fixtures.ts'

const KEY = keys.workspace('w')

test('a change is decided again if a command changes the record while it is decided', async (t) => {
  const store = await tempStore(t)
  await store.commit({ ops: [[KEY, Buffer.from('first')]] })
  const records = ownRecords(store)
  let memory = ''
  await records.load(
    'account',
    {
      put(_, bytes) {
        memory = Buffer.from(bytes).toString()
      },
      remove() {},
    },
    (found) => {
      memory = Buffer.from(found[0]![1]).toString()
    },
  )
  let decisions = 0
  await records.change(async () => {
    const current = memory
    if (++decisions === 1) {
      await store.commit({ ops: [[KEY, Buffer.from('by a command')]] })
      await records.refresh()
    }
    return { ops: [[KEY, Buffer.from(`${current}, changed`)]] }
  }, KEY)
  assert.deepEqual([decisions, memory], [2, 'by a command, changed'])
  assert.equal(Buffer.from((await store.get(KEY))!).toString(), memory)
})
