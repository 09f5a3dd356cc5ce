import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEndedMembers } from '../../../src/storage/drivers/postgres/owner/ended-members.ts'
import { createMemberList } from '../../../src/storage/drivers/postgres/owner/member-list.ts'
import { membersIn, type NodeRow } from '../../../src/storage/drivers/postgres/owner/node-rows.ts'
import { rivalsOf } from '../../../src/storage/drivers/postgres/owner/schema-member.ts'
import { type MemberAnswer, stayingOf } from '../../../src/storage/members.ts'
import { nodeRow } from './node-row.ts'

const MEMBER = { id: 'b', name: 'node-b', host: '10.0.0.2', port: 8_090, isLeaving: false }

test('a member reaches the store for 1.5 s after a look', () => {
  let now = 1_000
  const list = createMemberList(() => now)
  const seen: unknown[] = []
  for (const name of ['first', 'second']) list.onLook(() => seen.push([name, list.others()]))
  const reaches = () => list.reachesStore()
  assert.deepEqual([reaches(), list.others()], [false, []])
  list.note([MEMBER])
  now += 1_500
  assert.equal(reaches(), true)
  now += 1
  assert.equal(reaches(), false)
  const told = [
    ['first', [MEMBER]],
    ['second', [MEMBER]],
  ]
  assert.deepEqual(seen, told)
  list.tell()
  assert.deepEqual([seen, reaches()], [[...told, ...told], false])
})

test('a member asks the store at its next look whether it may leave, and never after the time for this', async () => {
  const list = createMemberList()
  const asked: (readonly string[])[] = []
  const settle = (answer: boolean) =>
    list.settleLeave(async (staying) => {
      asked.push(staying)
      return answer
    })
  const soon = () => list.leaveIfOthersStay(new AbortController().signal)
  list.note([MEMBER, { ...MEMBER, id: 'c', isLeaving: true }])
  await assert.rejects(list.leaveIfOthersStay(AbortSignal.timeout(1)), { name: 'TimeoutError' })
  await settle(true)
  assert.deepEqual([asked, list.isLeaving()], [[], false])

  const refused = [soon(), soon()]
  await settle(false)
  assert.deepEqual([await Promise.all(refused), asked, list.isLeaving()], [[false, false], [['b']], false])
  const failed = assert.rejects(soon(), /is away/)
  await list.settleLeave(() => Promise.reject(new Error('the database is away')))
  await failed
  assert.equal(list.isLeaving(), false)
  const granted = soon()
  await settle(true)
  assert.deepEqual([await granted, list.isLeaving()], [true, true])
})

const row = (change: Partial<NodeRow>) => nodeRow({ writer: 'b', name: 'node-b', state: 'member', peerPort: 8_090, ...change })

test('the other members are the rows of services that share the store and can be reached', () => {
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

test('a member that leaves is one of the others, but none that takes instances', () => {
  const leaving = { ...MEMBER, id: 'c', isLeaving: true }
  const others = membersIn([row({}), row({ writer: 'c', state: 'leaving' })], 'own', 5_000)
  assert.deepEqual(others, [MEMBER, leaving])
  assert.deepEqual(stayingOf({ others: () => others }), [MEMBER])
})

test('a member with a connection may replace this one, although the database has long stored no sign of life', () => {
  const look = (id: string, connection?: string) => ({ id, beat: 0, connection })
  const [silent, gone] = [row({ silentMs: 60_001 }), row({ writer: 'c', silentMs: 60_001 })]
  const found = rivalsOf([silent, gone], 'own', [look('own', '1'), look('b', '2'), look('c'), look('no row', '3')])
  assert.deepEqual(found, { present: [], possible: [MEMBER, { id: 'no row' }] })
})

test('a member without a connection has ended if its machine says so, and is asked again while it runs', async () => {
  let answer: MemberAnswer | undefined = 'away'
  let asked = 0
  const ended = createEndedMembers(async () => {
    asked++
    return answer
  })
  const has: unknown[] = []
  for (const each of ['away', undefined, 'refused', 'reaches'] as const) {
    answer = each
    ended.follow([MEMBER])
    await Promise.resolve()
    await Promise.resolve()
    has.push(ended.has('b'))
  }
  // The connection to the member works again.
  ended.follow([])
  has.push(ended.has('b'))
  answer = 'other'
  ended.follow([MEMBER])
  await Promise.resolve()
  await Promise.resolve()
  has.push(ended.has('b'))
  assert.deepEqual([has, asked], [[false, false, true, true, false, true], 4])
})
