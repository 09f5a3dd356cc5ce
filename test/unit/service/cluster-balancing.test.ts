import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createBalancing } from '../../../src/service/cluster/balancing.ts'
import { until } from '../../harness/until.ts'

const MINUTE = 60_000
const TIMES = {
  patience: 2_000,
  shareAfter: 15_000,
  balanceEvery: 5_000,
  quiet: MINUTE,
  giveUpAfter: 45_000,
  keepAway: 600_000,
  drainEvery: 40,
  beginWithin: 5_000,
}

function world(counts: Record<string, number>, startsPerSecond = 25) {
  let now = 0
  let others = ['b', 'c']
  let hasEnded = false
  /** Instances that are not connected yet at the member that has got them. */
  const onTheirWay = new Set<string>()
  let isSlow = false
  const writers = new Map(
    Object.entries(counts).flatMap(([member, count]) =>
      Array.from({ length: count }, (_, index) => [`${member}${index}`, member] as [string, string | null]),
    ),
  )
  const wanted = new Map<string, string>()
  const given: string[] = []
  const map = {
    all: () =>
      [...writers].map(([instance, writer]) => ({
        instance,
        writer,
        wanted: wanted.get(instance) ?? null,
        isFree: writer === null,
        isTakenOver: false,
      })),
    countsOf: (members: readonly string[]) =>
      new Map(members.map((member) => [member, [...writers.values()].filter((writer) => writer === member).length])),
  }
  const moves = {
    async give(instance: string, to: string) {
      given.push(`${instance} ${to}`)
      writers.set(instance, to)
      if (isSlow) onTheirWay.add(instance)
      return true
    },
    has: () => false,
    size: 0,
    ended: async () => {},
  }
  const balancing = createBalancing(
    {
      self: 'a',
      homes: { own: () => [...writers].flatMap(([instance, writer]) => (writer === 'a' ? [instance] : [])) } as never,
      map: map as never,
      directory: { ids: () => [...writers.keys()], isConnected: (each: string) => !onTheirWay.has(each) } as never,
      clock: { now: () => now },
      startsPerSecond,
    },
    {
      times: TIMES,
      moves,
      others: () => [...others],
      isMovable: (instance) => writers.get(instance) === 'a',
      isAway: () => false,
      hasEnded: () => hasEnded,
    },
  )
  return {
    given,
    writers,
    wanted,
    onTheirWay,
    slow() {
      isSlow = true
    },
    end() {
      hasEnded = true
    },
    setOthers(next: string[]) {
      others = next
    },
    async look(afterMs: number) {
      now += afterMs
      balancing.look()
      await new Promise(setImmediate)
      return given.length
    },
  }
}

test('nothing moves within a minute of a change of members, and then the numbers become even', async () => {
  const { look, setOthers, writers } = world({ a: 12, b: 12 })
  setOthers(['b'])
  assert.equal(await look(0), 0)
  assert.equal(await look(2 * MINUTE), 0)
  setOthers(['b', 'c'])
  assert.equal(await look(1_000), 0)
  assert.equal(await look(MINUTE - 1), 0)
  assert.equal(await look(1), 4)
  assert.deepEqual([...writers.values()].filter((writer) => writer === 'c').length, 4)
})

test('a member that gives its instances away gets none', async () => {
  const { look, writers } = world({ a: 10, b: 10, c: 10 })
  await look(0)
  assert.equal(await look(2 * MINUTE), 0)
  for (let index = 0; index < 10; index++) writers.set(`c${index}`, index < 5 ? null : 'b')
  assert.equal(await look(5_000), 0)
  assert.equal(await look(MINUTE - 1), 0)
  assert.ok((await look(5_000)) > 0)
})

test('a member that does not take what it is given gets nothing for ten minutes, and the others do', async () => {
  const { look, given, writers, wanted, setOthers } = world({ a: 12, b: 0, c: 0 })
  await look(0)
  writers.set('a0', null)
  wanted.set('a0', 'c')
  await look(1_000)
  writers.set('a0', 'b')
  wanted.clear()
  await look(1_000)
  await look(2 * MINUTE)
  assert.ok(given.length > 0 && given.every((each) => each.endsWith(' b')), given.join())
  setOthers(['b', 'c'])
  await look(8 * MINUTE)
  await look(5_000)
  assert.ok(given.some((each) => each.endsWith(' c')))
})

test('a member that starts fewer sessions per second gets no more for longer', async () => {
  const { look, given, writers } = world({ a: 4_000, b: 1_000, dead: 1_000 }, 5)
  await look(0)
  for (let index = 0; index < 1_000; index++) writers.set(`dead${index}`, 'c')
  for (const afterMs of [50_000, 10_000, 40_000]) await look(afterMs)
  assert.ok(given.length > 0 && given.every((each) => each.endsWith(' b')), given.join())
  await look(160_000)
  assert.ok(given.some((each) => each.endsWith(' c')))
})

test('a member that has just got many instances gets no more before it has started them', async () => {
  const { look, given, writers } = world({ a: 4_000, b: 1_000, dead: 1_000 })
  await look(0)
  for (let index = 0; index < 1_000; index++) writers.set(`dead${index}`, 'c')
  await look(50_000)
  await look(10_000)
  assert.ok(given.length > 0 && given.every((each) => each.endsWith(' b')), given.join())
  await look(40_000)
  assert.ok(given.some((each) => each.endsWith(' c')))
})

test('at most four instances are on their way to another member, and the next ones stay connected', async (t) => {
  const { look, slow, end, given, onTheirWay, writers } = world({ a: 40, b: 1, c: 1 })
  t.after(end)
  slow()
  await look(0)
  assert.equal(await look(2 * MINUTE), 4)
  await pause(200)
  assert.equal(given.length, 4)
  onTheirWay.clear()
  await until(
    async () => given.length,
    (count) => count === 8,
  )
  assert.equal([...writers.values()].filter((writer) => writer === 'a').length, 32)
})
