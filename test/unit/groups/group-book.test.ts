import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import type { StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createAccountDirectory } from '../../../workers/shard/directory/account-directory.ts'
import { createGroupBook } from '../../../workers/shard/groups/group-book.ts'
import { INSTANCE, recordingLog, sealer, tempStore, until } from '../storage/fixtures.ts'

const GROUP = '120363019502650977@g.us'
const clock = { now: () => 1_000_000_000_000 }

/** Time in ms of each write of a group. A notice that did not wait for the write would be confirmed before it ends. */
const WRITE_MS = 200

// A confirmed notice is not delivered again. If the old group were still on disk then, it would be used for two weeks
// after a kill.
test('a notice is confirmed when the group that it changes is no longer on disk', async (t) => {
  const disk = await tempStore(t)
  const store: StateStore = {
    ...disk,
    async commit(batch) {
      if (batch.ops.some(([key]) => key.startsWith(keys.keptGroups(INSTANCE)))) await pause(WRITE_MS)
      return await disk.commit(batch)
    },
  }
  const context = { id: INSTANCE, store, sealer, clock, steady: clock, log: recordingLog() as unknown as Logger }
  const book = createGroupBook(context, { directory: createAccountDirectory(context, { own: () => [] }) })
  const attrs = { id: GROUP.split('@')[0]!, subject: 'Team', creation: '1', s_t: '1' }
  const answer: BinaryNode = { tag: 'iq', attrs: {}, content: [{ tag: 'group', attrs, content: [] }] }
  const groups = book.open({
    sock: { query: async () => answer },
    isMe: () => false,
    learnPairs: async () => {},
    ended: new AbortController().signal,
  })
  const kept = () => disk.count(keys.keptGroups(INSTANCE))
  await groups.get(GROUP)
  await until(async () => (await kept()) === 1, 'the group on disk')
  await groups.noticed({ tag: 'notification', attrs: { from: GROUP }, content: [{ tag: 'announcement', attrs: {} }] })
  assert.equal(await kept(), 0)
})
