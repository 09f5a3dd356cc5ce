import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstanceResume } from '../../../src/directory/instance-resume.ts'
import type { InstanceId } from '../../../src/domain/ids.ts'
import type { Homes } from '../../../src/storage/homes.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { INSTANCE, recordingLog, tempStore } from '../storage/fixtures.ts'

test('a member that only passes the request on leaves the records of the instance to the one that has it', async (t) => {
  const store = await tempStore(t)
  const members = { others: () => [], onLook() {}, reachesStore: () => true, leave() {} }
  const movedTo = keys.movedTo(INSTANCE)
  await store.commit({ ops: [[movedTo, Buffer.from('archive')]] })
  let isOwn = false
  const resume = createInstanceResume({
    store: { ...store, members, homes: { isOwn: () => isOwn } as unknown as Homes },
    engine: { call: async () => ({ status: 'starting' }) as never },
    steps: () => {},
    log: recordingLog(),
  })
  assert.equal(await resume(INSTANCE as InstanceId), 'starting')
  assert.ok(await store.get(movedTo))
  isOwn = true
  await resume(INSTANCE as InstanceId)
  assert.equal(await store.get(movedTo), undefined)
})
