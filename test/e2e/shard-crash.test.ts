/** 20 paired accounts on two shards, one shard killed: nobody on the other notices, and everybody is back within 10 s, nothing lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instance } from '../harness/gateway.ts'
import { startWorld } from '../harness/world.ts'

const ACCOUNTS = 20
const FRIEND = '5511988887777'
const phoneOf = (index: number) => `55119999${String(index + 1).padStart(5, '0')}`.replace(/0000$/, '0009')

test('a shard of two dies with ten of twenty connected accounts in it', { timeout: 180_000 }, async () => {
  const world = await startWorld({ shards: 2 })
  const { gateway, sandbox, receiver, service } = world
  try {
    const instances: Instance[] = []
    for (let i = 0; i < ACCOUNTS; i++) instances.push(await gateway.connected(sandbox, phoneOf(i), receiver))
    const shard = 1
    const lost = instances.filter(({ id }) => service.engine.shardOf(id) === shard)
    const others = instances.filter(({ id }) => service.engine.shardOf(id) !== shard)
    assert.equal(lost.length, ACCOUNTS / 2)
    const events = receiver.events('instance_status').length

    const crash = service.engine.crashShard(shard)
    const diedAt = Date.now()
    await crash
    // While the shard is down: a stranger writes to a lost account, a lost account is asked to send, and the others just work.
    await sandbox.send(FRIEND, phoneOf(instances.indexOf(lost[0]!)), { text: 'are you there?' })
    const refused = await gateway.ask(lost[0]!, 'POST', '/send-text', { phone: FRIEND, message: 'too early' })
    assert.equal(refused.status, 503)
    for (const other of others) {
      const { connected } = await gateway.status(other)
      assert.equal(connected, true)
    }
    const { message_id } = await gateway.sendText(others[0]!, FRIEND, 'from the other shard')
    await receiver.waitFor('its delivery', (event) => event.type === 'delivery' && event.message_id === message_id)

    await Promise.all(lost.map((instance) => gateway.waitForStatus(instance, 'connected', 10_000 - (Date.now() - diedAt))))
    const text = await receiver.waitFor(
      'the text of the meantime',
      (event) => event.type === 'received' && event.instance_id === lost[0]!.id,
    )
    assert.equal((text.text as { message: string }).message, 'are you there?')
    const after = await gateway.sendText(lost[0]!, FRIEND, 'back again')
    await receiver.waitFor('its delivery', (event) => event.type === 'delivery' && event.message_id === after.message_id)

    const told = receiver.events('instance_status').slice(events)
    assert.deepEqual(
      told.filter(({ instance_id }) => others.some(({ id }) => id === instance_id)),
      [],
      'nobody on the other shard changed its status',
    )
  } finally {
    await world.stop()
  }
})
