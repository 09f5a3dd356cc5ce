/**
 * A member stops while the database still carries out a commit of one of its threads. The commit may be applied after
 * the thread has ended, so the member must not release its instances.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Instance } from '../../harness/gateway.ts'
import { noPostgres } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { type ClusterWorld, startClusterWorld } from '../cluster-world.ts'

const ANA = '5511988887777'
const PHONE = '5511999997001'
/** Time limit in ms of the stop of the member, and of the takeover after it. */
const WITHIN = 90_000

describe('a member whose thread waits for a locked row', { skip: noPostgres, timeout: 300_000 }, () => {
  let world: ClusterWorld
  let instance: Instance
  before(async () => {
    world = await startClusterWorld(['a', 'b'], { settings: { SVC_SHUTDOWN_SECONDS: '5' } })
    await world.sandbox.createContact(ANA)
    instance = await world.gateway.connected(world.sandbox, PHONE, world.receiver)
  })
  after(() => world?.stop())

  const writerOfHome = async () => (await world.sql('SELECT writer FROM svc_home WHERE instance = $1', [instance.id]))[0]!.writer
  /** Returns the number of statements about `svc_state` that wait for a lock. */
  const waiting = async () =>
    (await world.sql("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'svc_state'")).length

  test('keeps its instances at its stop until the thread can write nothing more', async () => {
    const writer = await writerOfHome()
    const home = (await world.homeOf(instance))!
    const other = world.members.find((member) => member !== home)!
    const schema = (await world.sql('SELECT current_schema() AS schema'))[0]!.schema as string
    const operator = await world.postgres.client(schema)
    await operator.query('BEGIN')
    await operator.query('SELECT FROM svc_state WHERE scope = $1 FOR UPDATE', [instance.id])
    const { id } = await world.sandbox.send(ANA, PHONE, { text: 'while a row is locked' })
    await until(waiting, (count) => count > 0)

    home.running().child.kill('SIGTERM')
    await until(
      async () => home.isUp(),
      (isUp) => !isUp,
      WITHIN,
    )
    assert.ok((await waiting()) > 0, 'the database still carries out the commit')
    assert.equal(await writerOfHome(), writer)

    await operator.query('ROLLBACK')
    await operator.end()
    await until(
      () => world.homeOf(instance),
      (found) => found === other,
      WITHIN,
    )
    await world.connected([instance], WITHIN, [other])
    // The member that stopped could not store the message, so it has not confirmed it.
    await world.receiver.waitFor('the message', ({ message_id }) => message_id === id, WITHIN)
  })
})
