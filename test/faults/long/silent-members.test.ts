/** Members of a cluster that give no sign of life for a while, although they run. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cluster, noPostgres, startCluster } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { closeSides } from '../../unit/peer/side.ts'
import { cutOff, isOver, memberBench, put } from '../member-host.ts'

describe('members without a sign of life', { skip: noPostgres, concurrency: true }, () => {
  let cluster: Cluster
  const { several, isRemoved, stop } = memberBench(() => cluster)
  before(async () => {
    cluster = await startCluster({ max_connections: '100' })
  })
  after(async () => {
    await stop()
    await closeSides()
    await cluster?.stop()
  })

  test('a member that stands still is removed by the others, with its connection', async () => {
    const { members, writers, holders } = await several('a', 'b', 'c')
    const [a, ...others] = members
    a.proxy.hold(true)
    await isRemoved(a, others, writers)
    await until(holders, ({ length }) => length === 2)
    a.proxy.hold(false)
    await isOver(a)
  })

  test('members that are all cut off for a while remove nobody when they come back', async () => {
    const { members, writers } = await several('a', 'b')
    const [a, b] = members
    members.forEach(cutOff)
    await pause(3_000)
    a.proxy.refuse(false)
    // The pause is longer than the time after which a member is removed if its process has ended.
    await pause(2_500)
    b.proxy.refuse(false)
    const before = members.map(({ looks }) => looks())
    await until(async () => members.every(({ looks }, index) => looks() > before[index]! + 2), Boolean)
    assert.deepEqual(await writers(), ['a', 'b'])
    assert.deepEqual([a.lost, a.over, b.lost, b.over], [[], [], [], []])
  })

  test('a row that an operator has locked keeps no other dead member from being removed', async () => {
    const { members, schema, side, writers } = await several('a', 'b', 'c')
    const [a, b, c] = members
    const operator = await cluster.client(schema)
    // The session of the operator must be busy, because members end a session that is idle in a transaction.
    const working = assert.rejects(
      operator.query(`BEGIN; SELECT FROM svc_writer WHERE id = '${a.store.ownerId}' FOR UPDATE; SELECT pg_sleep(60)`),
      /canceling statement/,
    )
    await Promise.all([a.kill(), b.kill()])
    await until(
      async () => c.notRemoved,
      ({ length }) => length > 0,
    )
    assert.deepEqual([c.lost, c.notRemoved, await writers()], [['b'], ['a'], ['a', 'c']])
    await side.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; SELECT FROM svc_writer%'")
    await working
    await operator.query('ROLLBACK')
    await until(writers, (names) => String(names) === 'c')
    await c.store.commit(put('still'))
    assert.deepEqual(c.over, [])
  })
})
