import assert from 'node:assert/strict'
import { test } from 'node:test'
import { membersIn, type NodeRow } from '../../../src/storage/drivers/postgres/owner/node-rows.ts'
import { createMemberList } from '../../../src/storage/drivers/postgres/owner/schema-member.ts'

const MEMBER = { id: 'b', name: 'node-b', host: '10.0.0.2', port: 8_090 }

test('a member reaches the store for 1.5 s after a look, and while it removes others', async () => {
  let now = 1_000
  const list = createMemberList(() => now)
  const seen: unknown[] = []
  for (const name of ['first', 'second']) list.onLook(() => seen.push([name, list.others()]))
  const reaches = () => list.reachesStore()
  assert.deepEqual([reaches(), list.others()], [false, []])
  await list.note([MEMBER], async () => {
    now += 2_500
    assert.equal(reaches(), true)
  })
  now += 1_500
  assert.equal(reaches(), true)
  now += 1
  assert.equal(reaches(), false)
  const told = [
    ['first', [MEMBER]],
    ['second', [MEMBER]],
  ]
  assert.deepEqual(seen, told)
  // A look that fails is not told, but the members that it has found dead are left out.
  await assert.rejects(list.note([], () => Promise.reject(new Error('The connection is lost.'))))
  assert.deepEqual([seen, list.others(), reaches()], [told, [], true])
})

test('the other members are the rows of services that share the store and can be reached', () => {
  const row = (change: Partial<NodeRow>): NodeRow => ({
    id: 'row',
    writer: 'b',
    name: 'node-b',
    release: '1.0.0',
    state: 'member',
    host: '10.0.0.2',
    port: 80,
    peerPort: 8_090,
    beat: 0,
    since: 0,
    seenAt: 0,
    silentMs: 900,
    former: null,
    takeover: null,
    ...change,
  })
  const others = [
    row({ writer: 'own' }),
    row({ writer: null, state: 'lost' }),
    row({ state: 'standby', writer: null }),
    row({ state: 'active' }),
    row({ peerPort: null }),
    row({ host: 'a b' }),
    row({ silentMs: 5_001 }),
    row({ silentMs: -5_001 }),
  ]
  assert.deepEqual(membersIn([row({}), ...others], 'own', 5_000), [MEMBER])
})
