/**
 * Tests when the service that owns a schema ends its sessions because it cannot reach the database. The test controls
 * the clock.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOwnerLease } from '../../../src/storage/drivers/postgres/owner/owner-lease.ts'
import type { StandbyAddress } from '../../../src/storage/drivers/postgres/owner/standbys.ts'

const standby = (port: number): StandbyAddress => ({ host: '127.0.0.1', port })

/**
 * Starts a lease. `away`: the ports of the standbys that cannot reach the database either. `onAsked` runs while these
 * are asked.
 */
function bench(away: number[] = [], onAsked = () => {}) {
  let now = 0
  let ended = 0
  const asked: number[] = []
  const lease = createOwnerLease({
    now: () => now,
    async isAway({ port }) {
      asked.push(port)
      onAsked()
      return away.includes(port)
    },
    onEnded() {
      ended++
    },
  })
  return {
    lease,
    asked,
    /** Advances the clock to this time, and returns how often the lease has ended. */
    async at(time: number) {
      now = time
      await lease.check()
      return ended
    },
  }
}

test('a lease ends 4 s after the last look that succeeded was sent, and once', async () => {
  const { lease, at } = bench()
  lease.renew(1_000, [standby(1)])
  assert.deepEqual([await at(4_999), await at(5_000), await at(6_000)], [0, 1, 1])
})

test('without a standby nobody can take over, so the lease has no end', async () => {
  const { lease, at, asked } = bench()
  lease.renew(0, [])
  assert.deepEqual([await at(3_600_000), asked], [0, []])
})

test('while no standby can reach the database either, the lease goes on for 60 s', async () => {
  const { lease, at } = bench([1, 2])
  lease.renew(0, [standby(1), standby(2)])
  assert.deepEqual([await at(5_000), await at(59_999), await at(60_000)], [0, 0, 1])
})

test('one standby of several that may take over is enough', async () => {
  const { lease, at, asked } = bench([1])
  lease.renew(0, [standby(1), standby(2)])
  assert.deepEqual([await at(4_000), asked], [1, [1, 2]])
})

test('a look that succeeds while the standbys are asked renews the lease', async () => {
  const renewing = bench([], () => renewing.lease.renew(4_000, [standby(1)]))
  renewing.lease.renew(0, [standby(1)])
  assert.deepEqual([await renewing.at(4_000), await renewing.at(7_999)], [0, 0])
})
