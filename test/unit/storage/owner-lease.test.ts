import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { StandbyAddress } from '../../../src/domain/standby-address.ts'
import { listen } from '../../../src/serve.ts'
import { type NodeRow, standbysOf } from '../../../src/storage/drivers/postgres/owner/node-rows.ts'
import { CHECK_EVERY, createOwnerLease } from '../../../src/storage/drivers/postgres/owner/owner-lease.ts'
import { addressesIn, markOf, standbyQuestions } from '../../../src/storage/drivers/postgres/owner/standbys.ts'
import {
  holdLease,
  isLeaseHeld,
  type LeaseMoment,
  momentNow,
  monotonicMs,
  shareLease,
} from '../../../src/storage/shared-lease.ts'
import { START } from './fixtures.ts'
import { nodeRow } from './node-row.ts'

const standby = (port: number): StandbyAddress => ({ host: '127.0.0.1', port })

/** Returns a moment at which all clocks show the same time. */
const at = (ms: number): LeaseMoment => ({ monotonic: ms, wall: ms, uptime: ms })

/**
 * Creates a lease with a simulated clock.
 * `away` has the ports of the standbys that cannot reach the database either. `onAsked` runs while a standby is asked.
 */
function bench(away: number[] = [], onAsked = () => {}, mayGetRivals = false) {
  let now = 0
  let endedAt: number | undefined
  const asked: number[] = []
  const ends: number[] = []
  const { check, renew } = createOwnerLease({
    now: () => at(now),
    mayGetRivals,
    async doesNotTakeOver({ port }) {
      asked.push(port)
      onAsked()
      return away.includes(port)
    },
    onHeld: (until) => ends.push(until),
    onEnded() {
      assert.equal(endedAt, undefined)
      endedAt = now
    },
  })
  const lease = { check, renew: (sentAt: number, standbys: StandbyAddress[]) => renew(at(sentAt), standbys) }
  return {
    lease,
    asked,
    ends,
    away,
    /**
     * Checks the lease at intervals until this time, as the owner does. Returns the time at which the lease ended, or
     * undefined if it did not end.
     */
    async until(time: number) {
      while (now < time) {
        now += CHECK_EVERY
        await lease.check()
      }
      return endedAt
    },
    /** Checks the lease once, at this time, as after a pause of the process. Returns the same as `until`. */
    async wakeAt(time: number) {
      now = time
      await lease.check()
      return endedAt
    },
  }
}

test('a lease ends 4 s after the last look that succeeded was sent, and once', async () => {
  const { lease, until } = bench()
  lease.renew(1_000, [standby(1)])
  assert.deepEqual([await until(4_500), await until(7_000)], [undefined, 5_000])
})

test('without a standby nobody can take over, so the lease has no end', async () => {
  const { lease, until, asked } = bench()
  lease.renew(0, [])
  assert.deepEqual([await until(3_600_000), asked], [undefined, []])
})

test('a member of a cluster that is alone keeps its lease for 60 s, because others may join', async () => {
  const { lease, until, asked } = bench([], () => {}, true)
  lease.renew(0, [])
  assert.deepEqual([await until(59_500), await until(70_000), asked], [undefined, 60_000, []])
})

test('while no standby can reach the database either, the lease goes on for 60 s', async () => {
  const { lease, until } = bench([1, 2])
  lease.renew(0, [standby(1), standby(2)])
  assert.equal(await until(70_000), 60_000)
})

test('one standby of several that may take over is enough', async () => {
  const { lease, until, asked } = bench([1])
  lease.renew(0, [standby(1), standby(2)])
  assert.deepEqual([await until(6_000), new Set(asked)], [4_000, new Set([1, 2])])
})

test('an owner that finds the database a little later than its standby does not end', async () => {
  const { lease, until, away, asked } = bench([1])
  lease.renew(0, [standby(1)])
  await until(8_000)
  away.length = 0
  await until(9_000)
  lease.renew(9_000, [standby(1)])
  assert.equal(await until(12_500), undefined)
  assert.ok(asked.length > 0)
})

test('an owner that does not find the database again ends 4 s after its standby last could not reach it', async () => {
  const { lease, until, away } = bench([1])
  lease.renew(0, [standby(1)])
  await until(8_000)
  away.length = 0
  assert.equal(await until(20_000), 12_000)
})

test('a standby that gives no answer in time counts as one that may take over', async () => {
  let now = 0
  let endedAt: number | undefined
  const lease = createOwnerLease({
    now: () => at(now),
    doesNotTakeOver: () => new Promise(() => {}),
    onHeld() {},
    onEnded() {
      endedAt = now
    },
  })
  lease.renew(at(0), [standby(1)])
  while (now < 6_000) {
    now += CHECK_EVERY
    void lease.check()
  }
  assert.equal(endedAt, 4_000)
})

test('an owner that stood still looks again before its lease ends', async () => {
  const { lease, until, wakeAt } = bench()
  lease.renew(0, [standby(1)])
  await until(1_000)
  assert.equal(await wakeAt(9_000), undefined)
  lease.renew(9_100, [standby(1)])
  assert.equal(await until(13_000), undefined)
  await wakeAt(20_000)
  assert.equal(await until(20_500), 20_500)
})

test('a look that succeeds while the standbys are asked renews the lease', async () => {
  const renewing = bench([], () => renewing.lease.renew(3_000, [standby(1)]))
  renewing.lease.renew(0, [standby(1)])
  assert.equal(await renewing.until(5_500), undefined)
})

test('a standby may take over while it has a connection, and for a minute after its last sign of life', () => {
  const row = (host: string, port: number | null, change: Partial<NodeRow> = {}) => nodeRow({ id: host, host, port, ...change })
  const away = [
    row('10.0.0.3', 80, { silentMs: 60_001 }),
    row('10.0.0.3', 80, { silentMs: -60_001 }),
    row('10.0.0.3', 80, { state: 'active' }),
    row('10.0.0.3', 80, { state: 'lost' }),
  ]
  const wrong = [
    row('10.0.0.1', 65_536),
    row('10.0.0.1', -1),
    row('10.0.0.1', null),
    row('a b', 80),
    row('a/b', 80),
    row('-a', 80),
  ]
  const good = [row('10.0.0.1', 8_080), row('fd00::2', 80), row('node-b', 80, { silentMs: 5_000 })]
  const shown = [
    { host: '10.0.0.1', port: 8_080 },
    { host: 'fd00::2', port: 80 },
    { host: 'node-b', port: 80 },
  ]
  const silent = [row('10.0.0.4', 80, { silentMs: 5_001 }), row('10.0.0.4', 81, { silentMs: 60_000 })]
  assert.deepEqual(standbysOf([], []), { present: [], possible: [] })
  assert.deepEqual(standbysOf([...away, ...wrong, ...good, ...silent], []), {
    present: shown,
    possible: [...shown, { host: '10.0.0.4', port: 80 }, { host: '10.0.0.4', port: 81 }],
  })
  const connected = { host: '10.0.0.1', port: 80 }
  assert.deepEqual(standbysOf([row('10.0.0.1', 80), row('10.0.0.1', 80, { silentMs: 9_000 })], [connected]), {
    present: [connected],
    possible: [connected],
  })
})

test('the name of a connection that has no address is left out', () => {
  assert.deepEqual(addressesIn(null), [])
  assert.deepEqual(addressesIn('10.0.0.1 8080,fd00::2 80,10.0.0.1 65536,node-b 80,evil,10.0.0.1 -1,10.0.0.1 ,a b,a/b 80,-a 80'), [
    { host: '10.0.0.1', port: 8_080 },
    { host: 'fd00::2', port: 80 },
    { host: 'node-b', port: 80 },
  ])
})

test('the end of the lease is told at each look, and put off while no standby can reach the database', async () => {
  const { lease, until, ends } = bench([1])
  lease.renew(0, [])
  lease.renew(100, [standby(1)])
  await until(4_000)
  const [first, second, ...later] = ends
  assert.deepEqual([first, second], [Number.POSITIVE_INFINITY, 4_100])
  assert.deepEqual(later, [7_000, 7_500, 8_000])
  await until(70_000)
  assert.equal(ends.at(-1), 60_100)
})

test('all threads of a process see when the lease has ended', async () => {
  const lease = shareLease()
  const seen = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads')
    const look = () => process.hrtime.bigint() / 1_000_000n < Atomics.load(workerData, 0)
    parentPort.on('message', () => parentPort.postMessage(look()))`,
    { eval: true, workerData: lease },
  )
  const there = async () => {
    seen.postMessage(null)
    const [isHeld] = await once(seen, 'message')
    return [isLeaseHeld(lease), isHeld]
  }
  const answers = [await there()]
  for (const leftMs of [0, 60_000, Number.POSITIVE_INFINITY]) {
    holdLease(lease, monotonicMs() + leftMs, momentNow())
    answers.push(await there())
  }
  assert.deepEqual(answers, [
    [true, true],
    [false, false],
    [true, true],
    [true, true],
  ])
  await seen.terminate()
})

test('the answer of a standby counts only for the owner that the standby waits for', async () => {
  const server = await listen({ host: '127.0.0.1', port: 0 })
  const { doesNotTakeOver, isReached } = standbyQuestions('mine')
  const address = { host: '127.0.0.1', port: server.port }
  const answers: unknown[] = []
  for (const active of [markOf('mine'), markOf('other'), undefined]) {
    server.explain(() => ({ sentence: 'It waits.', reason: 'database', active }))
    answers.push([await isReached(address), await doesNotTakeOver(address)])
  }
  assert.deepEqual(answers, [
    [true, true],
    [false, false],
    [false, false],
  ])
  await server.close()
})

test('the lease also runs while the machine is suspended, and a wall clock that was set does not end it', () => {
  const clocks = { monotonic: 1_000, wall: START, uptime: 500_000 }
  const read = { monotonic: () => clocks.monotonic, wall: () => clocks.wall, uptime: () => clocks.uptime }
  const lease = shareLease()
  const held = (monotonicMs: number, wallMs: number, uptimeMs: number) => {
    Object.assign(clocks, { monotonic: 1_000, wall: START, uptime: 500_000 })
    holdLease(lease, 5_000, momentNow(read))
    clocks.monotonic += monotonicMs
    clocks.wall += wallMs
    clocks.uptime += uptimeMs
    return isLeaseHeld(lease, read)
  }
  assert.deepEqual([held(3_900, 3_900, 3_900), held(4_000, 4_000, 4_000)], [true, false])
  assert.deepEqual([held(100, 2_100, 2_100), held(100, 60_000, 60_000)], [true, false])
  assert.deepEqual([held(100, 3_600_000, 100), held(100, -3_600_000, 100)], [true, true])
})

test('a machine that was suspended between a query and its answer does not hold the lease', async () => {
  const clocks = { monotonic: 1_000, wall: START, uptime: 500_000 }
  const read = { monotonic: () => clocks.monotonic, wall: () => clocks.wall, uptime: () => clocks.uptime }
  const pass = (monotonicMs: number, otherMs: number) => {
    clocks.monotonic += monotonicMs
    clocks.wall += otherMs
    clocks.uptime += otherMs
  }
  const shared = shareLease()
  let isStandbyAway = async () => true
  const owner = createOwnerLease({
    now: () => momentNow(read),
    doesNotTakeOver: () => isStandbyAway(),
    onHeld: (until, since) => holdLease(shared, until, since),
    onEnded() {},
  })
  const sentAt = momentNow(read)
  pass(100, 100)
  owner.renew(sentAt, [standby(1)])
  assert.equal(isLeaseHeld(shared, read), true)
  const askedAt = momentNow(read)
  pass(100, 60_000)
  owner.renew(askedAt, [standby(1)])
  assert.equal(isLeaseHeld(shared, read), false)

  // The lease also ends if the machine is suspended while the standbys are asked.
  owner.renew(momentNow(read), [standby(1)])
  assert.equal(isLeaseHeld(shared, read), true)
  isStandbyAway = async () => {
    pass(100, 60_000)
    return true
  }
  pass(3_900, 3_900)
  await owner.check()
  assert.equal(isLeaseHeld(shared, read), false)
})
