/**
 * Ends one of two shards (threads). Requests for instances of the other shard must not fail, and no message may be
 * lost.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amount } from '../harness/amount.ts'
import type { Instance } from '../harness/gateway.ts'
import { ask } from '../harness/http.ts'
import { startWorld } from '../harness/world.ts'
import { pause, until } from './ground.ts'
import { compare, line } from './ledger.ts'

const EACH = amount(20, 4)
const FRIEND = '5511988887777'
const DEAD = 1
const phoneOf = (index: number) => `55119999${String(10_001 + index)}`

test(`a shard with ${EACH} accounts dies: the other ${EACH} answer on, and nothing is lost`, { timeout: 180_000 }, async (t) => {
  const world = await startWorld({ shards: 2 })
  const { gateway, sandbox, receiver, service } = world
  let isBack = false
  let isOver = false
  const loops: Promise<void>[] = []
  try {
    await sandbox.createContact(FRIEND)
    const instances: Instance[] = []
    for (let i = 0; i < 2 * EACH; i += 2) {
      const pair = [i, i + 1].map((index) => gateway.connected(sandbox, phoneOf(index), receiver))
      instances.push(...(await Promise.all(pair)))
    }
    const phones = new Map(instances.map(({ id }, index) => [id, phoneOf(index)]))
    const dead = instances.filter(({ id }) => service.engine.shardOf(id) === DEAD)
    const others = instances.filter(({ id }) => service.engine.shardOf(id) !== DEAD)
    assert.deepEqual([dead.length, others.length], [EACH, EACH])
    // The API shows the new state before the webhook about it has arrived, so the test waits for the webhook.
    const isAnnounced = ({ id }: Instance) =>
      receiver.events('instance_status').some(({ instance_id, connected }) => instance_id === id && connected === true)
    await until('all connections announced', async () => instances.every(isAnnounced))
    const changesBefore = receiver.events('instance_status').length

    const answers: { status: number; connected: unknown; tookMs: number }[] = []
    const watch = async (instance: Instance) => {
      while (!isOver) {
        const began = Date.now()
        const { status, body } = await ask('GET', `${instance.api_url}/status`)
        answers.push({ status, connected: body.connected, tookMs: Date.now() - began })
        await pause(100)
      }
    }
    loops.push(...others.map(watch))

    const ids: string[] = []
    const texts = dead.map(async (instance) => {
      for (let number = 1; number <= 5 && !isOver; number++) {
        const { id } = await sandbox.send(FRIEND, phones.get(instance.id)!, { text: `text ${number}` })
        ids.push(id)
        await pause(100)
      }
    })
    loops.push(...texts)
    // Requests are sent all the time, so that one is probably in flight when the thread dies.
    const failed: { status: number; code: string }[] = []
    const call = async (instance: Instance) => {
      while (!isBack) {
        const { status, body } = await gateway.ask(instance, 'GET', '/queue')
        if (status !== 200) failed.push({ status, code: (body.error as { code: string }).code })
        // The pauses give the shard time to restart.
        await pause(status === 200 ? 10 : 50)
      }
    }
    loops.push(...dead.map(call))
    await pause(150)
    await service.engine.crashShard(DEAD)
    const diedAt = Date.now()
    // While the shard is down, `/status` and `/me` answer with the last known state. So this test uses a request that
    // needs the session.
    const isConnected = async (instance: Instance) => (await gateway.ask(instance, 'GET', '/device')).status === 200
    assert.equal(await isConnected(dead[0]!), false)
    await Promise.all(dead.map((instance) => until(`${instance.id} back`, () => isConnected(instance))))
    const backAfterMs = Date.now() - diedAt
    isBack = true
    await Promise.all(texts)
    await until('all texts', () => compare(receiver, 'received', ids).lost.length === 0)
    const { message_id } = await gateway.sendText(dead[0]!, FRIEND, 'back again')
    await receiver.waitFor('its delivery', (event) => event.type === 'delivery' && event.message_id === message_id)
    isOver = true
    await Promise.all(loops)

    const { sent, unique, duplicates, lost, torn } = compare(receiver, 'received', ids)
    const slowest = Math.max(...answers.map(({ tookMs }) => tookMs))
    t.diagnostic(line('shards', { sent, unique, duplicates, lost: lost.length, back_after_ms: backAfterMs }))
    t.diagnostic(line('the other shard', { asked: answers.length, slowest_ms: slowest, refused_of_the_dead: failed.length }))
    assert.deepEqual(torn, [])
    assert.ok(answers.length > 0, 'the other shard was asked')
    assert.deepEqual(
      answers.filter(({ status, connected }) => status !== 200 || connected !== true),
      [],
      'an account of the other shard was not answered for',
    )
    assert.deepEqual(
      receiver
        .events('instance_status')
        .slice(changesBefore)
        .filter(({ instance_id }) => others.some(({ id }) => id === instance_id)),
      [],
      'nobody on the other shard changed its status',
    )
    assert.ok(failed.length > 0, 'calls met the crash')
    assert.deepEqual(
      failed.filter(({ status, code }) => status !== 503 || code !== 'engine_unavailable'),
      [],
    )
  } finally {
    isBack = true
    isOver = true
    await Promise.allSettled(loops)
    await world.stop()
  }
})
