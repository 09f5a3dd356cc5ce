import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY } from '../../../src/domain/clock.ts'
import { deferred } from '../../../src/lib/deferred.ts'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createGroupStore } from '../../../workers/shard/groups/group-store.ts'
import type { Group } from '../../../workers/shard/wire/groups.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

const GROUP = '120363019502650977@g.us'
const group = (subject: string, id = GROUP) =>
  ({ id, subject, participants: [{ id: '1@lid', phoneNumber: '5511@s.whatsapp.net', admin: 'admin' }] }) as unknown as Group

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const clock = { at: 1_000_000_000_000, now: () => clock.at }
  const open = (on: StateStore = store) => createGroupStore({ id: INSTANCE, store: on, sealer, clock, log: recordingLog() })
  return { store, clock, open, stored: open() }
}

test('what was kept is read back, until it is too old', async (t) => {
  const { stored, open, clock } = await bench(t)
  assert.equal(await stored.read(GROUP), null)
  stored.keep(group('Team'))
  assert.deepEqual(await stored.read(GROUP), group('Team'), 'before it is on disk')
  await stored.settled()
  assert.deepEqual(await open().read(GROUP), group('Team'))
  // An earlier version kept a group for only a day. So the first text to the group on the next day caused a query.
  clock.at += 14 * DAY - 1
  assert.deepEqual(await open().read(GROUP), group('Team'))
  clock.at += 1
  assert.equal(await open().read(GROUP), null)
})

test('of what is kept and dropped at once the last counts', async (t) => {
  const { stored, open } = await bench(t)
  for (const subject of ['one', 'two', 'three']) stored.keep(group(subject))
  await stored.settled()
  assert.equal((await open().read(GROUP))?.subject, 'three')
  stored.keep(group('four'))
  stored.drop(GROUP)
  assert.equal(await stored.read(GROUP), null)
  await stored.settled()
  assert.equal(await open().read(GROUP), null)
  stored.drop(GROUP)
  stored.keep(group('five'))
  await stored.settled()
  assert.equal((await open().read(GROUP))?.subject, 'five')
})

test('a group that changes while it is being written is written again', async (t) => {
  const { store, open } = await bench(t)
  const isWriting = deferred()
  const mayWrite = deferred()
  const slow = open({
    ...store,
    async commit(batch) {
      isWriting.resolve()
      await mayWrite.promise
      return await store.commit(batch)
    },
  })
  slow.keep(group('Team'))
  await isWriting.promise
  slow.drop(GROUP)
  mayWrite.resolve()
  await slow.settled()
  assert.equal(await open().read(GROUP), null)
})

test('nothing of it is left for another account', async (t) => {
  const { stored, store } = await bench(t)
  for (let count = 0; count < 20; count++) stored.keep(group('Team', `${count}@g.us`))
  await stored.settled()
  await stored.forget()
  for await (const [key] of store.range(keys.keptGroups(INSTANCE))) assert.fail(key)
})
