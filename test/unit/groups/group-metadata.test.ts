import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { HOUR } from '../../../src/domain/clock.ts'
import { createGroupMetadata } from '../../../workers/shard/groups/group-metadata.ts'
import { until } from '../storage/fixtures.ts'

const GROUP = '120363019502650977@g.us'

/** Queries that wait for an answer. Each entry is a function that answers with the subject of the group. */
const waiting: ((subject: string) => void)[] = []
const sock = {
  query: () =>
    new Promise<BinaryNode>((resolve) => {
      waiting.push((subject) => {
        const group = { tag: 'group', attrs: { id: GROUP, subject, creation: '1', s_t: '1' }, content: [] }
        resolve({ tag: 'iq', attrs: { type: 'result' }, content: [group] })
      })
    }),
}

const nothingKnown = (clock = { now: () => 0 }) =>
  createGroupMetadata({
    sock,
    clock,
    learnPairs: async () => {},
    stored: { read: async () => null, keep() {}, drop() {} },
    learn() {},
  })

const pending = () => waiting
const answer = (subject: string) => waiting.shift()!(subject)

// An earlier bug: if a change was reported while a query was running, the outdated answer of the query was stored and
// used for an hour.
test('an answer from before a change of the group is not kept', async () => {
  const groups = nothingKnown()
  const asked = groups.get(GROUP)
  await until(() => pending().length === 1, 'the query')
  groups.forget(GROUP)
  answer('old')
  assert.equal((await asked).subject, 'old')
  assert.equal(groups.known(GROUP), undefined)

  const again = groups.get(GROUP)
  await until(() => pending().length === 1, 'the query')
  answer('new')
  await again
  assert.equal(groups.known(GROUP)?.subject, 'new')
  groups.forget(GROUP)
  assert.equal(groups.known(GROUP), undefined)
})

test('who asks while it is being fetched waits for the same answer; who asks after a change does not', async () => {
  const groups = nothingKnown()
  const both = [groups.get(GROUP), groups.get(GROUP)]
  await until(() => pending().length === 1, 'the query')
  groups.forget(GROUP)
  const later = groups.get(GROUP)
  await until(() => pending().length === 2, 'another query')
  const [second] = waiting.splice(1)
  second!('after')
  assert.equal((await later).subject, 'after')
  answer('before')
  assert.deepEqual(
    (await Promise.all(both)).map(({ subject }) => subject),
    ['before', 'before'],
  )
  assert.equal(groups.known(GROUP)?.subject, 'after')
})

test('a group in memory is used for an hour, because a notice may have been lost', async () => {
  let now = 0
  const groups = nothingKnown({ now: () => now })
  const asked = groups.get(GROUP)
  await until(() => pending().length === 1, 'the query')
  answer('Team')
  await asked
  now = HOUR - 1
  assert.equal(groups.known(GROUP)?.subject, 'Team')
  now = HOUR
  assert.equal(groups.known(GROUP), undefined)
})
