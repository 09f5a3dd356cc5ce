/** An instance that a member cannot start is in its metrics, so that an alert finds it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Instance } from '../../harness/gateway.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { parse, total } from '../../harness/prometheus.ts'
import { until } from '../../harness/until.ts'
import { type ClusterWorld, type Member, startClusterWorld } from '../cluster-world.ts'

const PHONE = '5511999997001'
const WITHIN = 60_000

describe('an instance whose records the database refuses', { skip: noPostgres, timeout: 300_000 }, () => {
  let world: ClusterWorld
  let instance: Instance
  before(async () => {
    world = await startClusterWorld(['a', 'b'])
    instance = await world.gateway.connected(world.sandbox, PHONE, world.receiver)
  })
  after(() => world?.stop())

  const notStarted = async ({ url }: Member) =>
    total(parse(await (await fetch(`${url}/metrics`)).text()), 'svc_instances_not_started')

  test('is counted by the member that gets it, until it can be started', async () => {
    const killed = (await world.homeOf(instance))!
    const left = world.members.find((member) => member !== killed)!
    assert.deepEqual(await Promise.all(world.members.map(notStarted)), [0, 0])
    await killed.running().kill()
    await world.sql(`CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)
    await world.sql(
      `CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON svc_state FOR EACH ROW WHEN (NEW.scope = '${instance.id}') EXECUTE FUNCTION refused()`,
    )
    const counts = (count: number) =>
      until(
        () => notStarted(left),
        (found) => found === count,
        WITHIN,
      )
    await counts(1)
    await world.sql('DROP TRIGGER refusing ON svc_state')
    await counts(0)
    await world.connected([instance], WITHIN, [left])
  })
})
