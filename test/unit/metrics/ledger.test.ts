import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLedger } from '../../../src/metrics/ledger.ts'
import { createTally, type Numbers, type ShardReport } from '../../../src/metrics/tally.ts'

const report = (numbers: Record<string, number>, more: Partial<ShardReport> = {}): ShardReport => ({
  numbers: new Map(Object.entries(numbers)),
  waiting: 0,
  backlog: 0,
  lastInboundAt: [],
  aheadMs: 0,
  clockAheadMs: 0,
  ...more,
})
const plain = (numbers: Numbers) => Object.fromEntries(numbers)

test('a report stands for everything its life has counted', () => {
  const ledger = createLedger()
  ledger.take(0, 1, report({ a: 1 }))
  ledger.take(0, 1, report({ a: 5, b: 1 }))
  assert.deepEqual(plain(ledger.total().numbers), { a: 5, b: 1 })
})

test('a new life, which begins at 0, takes nothing away', () => {
  const ledger = createLedger()
  ledger.take(0, 1, report({ a: 5, b: 1 }))
  ledger.take(0, 2, report({ a: 2 }))
  assert.deepEqual(plain(ledger.total().numbers), { a: 7, b: 1 })
  // Run 3 of the shard ended before its first report, so it adds nothing.
  ledger.take(0, 4, report({ a: 1 }))
  assert.deepEqual(plain(ledger.total().numbers), { a: 8, b: 1 })
})

test('an answer of a life that has been replaced comes too late', () => {
  const ledger = createLedger()
  ledger.take(0, 2, report({ a: 3 }))
  ledger.take(0, 1, report({ a: 100 }))
  assert.deepEqual(plain(ledger.total().numbers), { a: 3 })
})

test('shards are added up, each over lives of its own', () => {
  const ledger = createLedger()
  ledger.take(0, 1, report({ a: 1 }, { waiting: 2, backlog: 10, lastInboundAt: [1] }))
  ledger.take(1, 7, report({ a: 10 }, { waiting: 3, backlog: 20, lastInboundAt: [2, 3] }))
  ledger.take(1, 8, report({ a: 100 }, { waiting: 4, backlog: 30, lastInboundAt: [4] }))
  const { numbers, ...rest } = ledger.total()
  assert.deepEqual(plain(numbers), { a: 111 })
  assert.deepEqual(
    rest,
    { waiting: 6, backlog: 40, lastInboundAt: [1, 4], aheadMs: 0, clockAheadMs: 0 },
    'what is measured is not added over lives',
  )
})

test('no counter goes back, whatever order reports and lives come in', () => {
  const ledger = createLedger()
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const lives = [1, 1, 1]
  const tallies = lives.map(() => createTally())
  let before = 0
  for (let round = 0; round < 500; round++) {
    const shard = random(3)
    if (random(10) === 0) {
      lives[shard]!++
      tallies[shard] = createTally()
    }
    for (let count = random(5); count > 0; count--) tallies[shard]!.add('svc_rate_limited_total', { scope: 'instance' })
    if (random(2) === 0) ledger.take(shard, lives[shard]!, { ...report({}), numbers: tallies[shard]!.numbers() })
    const now = ledger.total().numbers.get('svc_rate_limited_total|instance') ?? 0
    assert.ok(now >= before, `${now} after ${before}`)
    before = now
  }
  assert.ok(before > 100)
})
