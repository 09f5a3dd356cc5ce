/**
 * Tests the rules by which members of a cluster share instances. The members, the instances and what the members know
 * of each other are random.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { spread, transfersOf } from '../../../src/service/cluster/balance.ts'
import { claimsOf, favourite } from '../../../src/service/cluster/claim-rules.ts'

const PATIENCE = 2_000
const MOST = 4
const NO_LIMIT = { shareAfterMs: 0, room: Number.POSITIVE_INFINITY }
const ids = (prefix: string, most: number, least = 1) =>
  fc.integer({ min: least, max: most }).map((count) => Array.from({ length: count }, (_, index) => `${prefix}${index}`))

interface Owned {
  instance: string
  wanted: string | null
  hasHome: boolean
  owner?: string
}

/**
 * Claims instances for a member. It grants a claim as the database does (`fenced-commit.ts`). `living` are the members
 * that can write.
 */
function claim(all: Owned[], member: string, view: readonly string[], freeMs: number, living: readonly string[]) {
  const free = all.filter(({ owner }) => owner === undefined).map((each) => ({ ...each, freeMs }))
  const { instances, anybodys } = claimsOf(free, { self: member, others: new Set(view), patienceMs: PATIENCE, ...NO_LIMIT })
  for (const each of all) {
    if (each.owner !== undefined) continue
    const isLeft = each.wanted !== null && each.wanted !== member && living.includes(each.wanted)
    if (anybodys.includes(each.instance) || (instances.includes(each.instance) && !isLeft)) each.owner = member
  }
}

test('whatever members know of each other, after two rounds each instance has a member', () => {
  fc.assert(
    fc.property(ids('member', 5), ids('instance', 12), fc.infiniteStream(fc.nat()), (members, names, numbers) => {
      const next = () => numbers.next().value as number
      const known = [...members, 'dead', 'unknown']
      const views = new Map(members.map((member) => [member, known.filter((each) => each !== member && next() % 2 === 0)]))
      const all = names.map(
        (instance): Owned => ({
          instance,
          wanted: next() % 2 === 0 ? null : known[next() % known.length]!,
          hasHome: next() % 3 > 0,
        }),
      )
      for (const freeMs of [0, PATIENCE]) for (const each of members) claim(all, each, views.get(each)!, freeMs, members)
      assert.deepEqual(
        all.filter(({ owner }) => owner === undefined),
        [],
      )
    }),
  )
})

test('members that know each other claim each instance once, and leave those that were given to another one', () => {
  fc.assert(
    fc.property(ids('member', 5), ids('instance', 12), (members, names) => {
      const claims = members.map((self) => {
        const others = new Set(members.filter((each) => each !== self))
        const free = names.map((instance, index) => ({
          instance,
          wanted: index % 2 === 0 ? null : members[index % members.length]!,
          hasHome: true,
          freeMs: 0,
        }))
        return claimsOf(free, { self, others, patienceMs: PATIENCE, ...NO_LIMIT })
      })
      assert.deepEqual(claims.flatMap(({ instances }) => instances).sort(), [...names].sort())
      assert.deepEqual(
        claims.flatMap(({ anybodys }) => anybodys),
        [],
      )
      for (const [index, { instances }] of claims.entries())
        for (const each of instances) {
          const at = names.indexOf(each)
          assert.equal(members[index], at % 2 === 0 ? favourite(each, members) : members[at % members.length])
        }
    }),
  )
})

test('an instance whose home is not in the store yet, or no longer, is left alone at first', () => {
  const free = { instance: 'a', wanted: null, hasHome: false, freeMs: 0 }
  const view = { self: 'one', others: new Set<string>(), patienceMs: PATIENCE, ...NO_LIMIT }
  assert.deepEqual(claimsOf([free], view), { instances: [], anybodys: [] })
  assert.deepEqual(claimsOf([{ ...free, freeMs: PATIENCE }], view), { instances: ['a'], anybodys: [] })
})

test('a member claims no more than it can start soon, at first of its own share, and later its whole share', () => {
  const members = ['one', 'two']
  const names = Array.from({ length: 100 }, (_, index) => `instance${index}`)
  const share = names.filter((each) => favourite(each, members) === 'one')
  const claimsAt = (freeMs: number, others: string[], room: number) =>
    claimsOf(
      names.map((instance) => ({ instance, wanted: null, hasHome: true, freeMs })),
      { self: 'one', others: new Set(others), patienceMs: PATIENCE, shareAfterMs: 10_000, room },
    ).instances
  assert.equal(claimsAt(0, [], 10).length, 10)
  assert.equal(claimsAt(0, [], 0).length, 0)
  assert.deepEqual(claimsAt(0, ['two'], 10), share.slice(0, 10))
  assert.deepEqual(claimsAt(PATIENCE, ['two'], share.length + 5).slice(0, share.length), share)
  assert.equal(claimsAt(PATIENCE, ['two'], share.length + 5).length, share.length + 5)
  assert.deepEqual(claimsAt(10_000, ['two'], 0), share)
  const given = [{ instance: 'given', wanted: 'one', hasHome: true, freeMs: 0 }]
  const full = { self: 'one', others: new Set<string>(), patienceMs: PATIENCE, shareAfterMs: 10_000, room: 0 }
  assert.deepEqual(claimsOf(given, full).instances, ['given'])
})

test('the numbers of instances become even, in moves that end', () => {
  const counts = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 8 })
  const squares = (now: ReadonlyMap<string, number>) => [...now.values()].reduce((sum, count) => sum + count * count, 0)
  fc.assert(
    fc.property(counts, (numbers) => {
      const now = new Map(numbers.map((count, index) => [`member${index}`, count]))
      const total = numbers.reduce((sum, count) => sum + count, 0)
      const mean = total / now.size
      for (;;) {
        const transfers = transfersOf(now, MOST)
        if (transfers.length === 0) break
        const before = squares(now)
        for (const { from, to, count } of transfers) {
          now.set(from, now.get(from)! - count)
          now.set(to, now.get(to)! + count)
          assert.ok(now.get(from)! >= Math.floor(mean) && now.get(to)! <= Math.ceil(mean), 'nobody gives or gets too much')
        }
        for (const member of now.keys()) {
          const given = transfers.filter(({ from }) => from === member).reduce((sum, { count }) => sum + count, 0)
          assert.ok(given <= MOST)
        }
        assert.ok(squares(now) < before, 'each round makes the numbers more even')
      }
      assert.equal(
        [...now.values()].reduce((sum, count) => sum + count, 0),
        total,
      )
      for (const count of now.values()) assert.ok(Math.abs(count - mean) <= Math.max(2, 0.1 * mean), String([...now.values()]))
    }),
  )
})

test('a new member gets its share from all others, and a small difference moves nothing', () => {
  const transfers = (...numbers: number[]) =>
    transfersOf(new Map(numbers.map((count, index) => ['abcdef'[index]!, count])), MOST)
      .map(({ from, to, count }) => `${from}${to}${count}`)
      .sort()
  assert.deepEqual(transfers(5, 5, 5, 0), ['ad1', 'bd1', 'cd1'])
  assert.deepEqual(transfers(100, 0, 0), ['ab2', 'ac2'])
  for (const numbers of [[0], [2, 0], [3, 3, 5, 3], [100, 92, 108]]) assert.deepEqual(transfers(...numbers), [])
})

test('what a leaving member has goes to the others evenly', () => {
  const given = spread(['p', 'q', 'r', 's', 't'], new Map(Object.entries({ a: 1, b: 0, c: 4 })))
  assert.deepEqual(Object.fromEntries(given), { p: 'b', q: 'a', r: 'b', s: 'a', t: 'b' })
  assert.equal(spread(['p'], new Map()).size, 0)
})
