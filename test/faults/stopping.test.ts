/** Stops an instance. Its work in flight must be completed, and nothing may be written after that. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keys } from '../../src/storage/record-keys.ts'
import { createInstance } from '../../workers/shard/instance.ts'
import { callTo } from '../harness/calls.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { pause, until } from './ground.ts'
import { hostOf, KEY, startHosted } from './hosted.ts'
import { CONTACTS, createPeople, PHONE } from './traffic.ts'

const world = await startHosted(PHONE)
await createPeople(world.sandbox)
after(() => world.stop())

async function recordsOf(prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const [key] of world.store.range(prefix)) found.push(key)
  return found
}

const text = (message: string) => ({ phone: CONTACTS[0], message })

test('the item in flight at a stop ends by the answer of the network and is not sent again', async () => {
  const { sandbox, instance, store, receiver } = world
  await sandbox.fault({ on: 'message', match: { type: 'text' }, do: { delay_ms: 1_000 }, times: 1 })
  const { message_id } = (await instance.call(callTo('send.sendText', text('in flight')))) as { message_id: string }
  await until('in flight', async () => (await store.get(keys.queueInFlight(INSTANCE))) !== undefined)
  await instance.stop('keep')
  assert.deepEqual(await recordsOf(keys.queue(INSTANCE)), [])
  const delivery = receiver.events('delivery').find((event) => event.message_id === message_id)
  assert.equal(delivery?.status, 'sent', JSON.stringify(delivery))
})

test('a stop takes the keys of the instance out of the memory of its thread, because another service may change them', async () => {
  const { deps, config } = world
  const host = await hostOf(world)
  await host.run({ generation: 1, type: 'start', config, how: 'boot', key: KEY })
  assert.ok(deps.keyCache.entries > 0)
  assert.deepEqual(await host.run({ generation: 1, type: 'stop', instance: INSTANCE, how: 'keep' }), { ok: null })
  assert.equal(deps.keyCache.entries, 0)
})

test('a request that is being queued while its instance is erased leaves nothing behind', async () => {
  const { store } = world.deps
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const slow = new Proxy(store, {
    get: (target, name) =>
      name === 'commit'
        ? async (batch: Parameters<typeof store.commit>[0]) => {
            if (batch.ops.some(([key]) => key.startsWith(keys.queue(INSTANCE)))) await gate
            return store.commit(batch)
          }
        : Reflect.get(target, name),
  })
  const instance = createInstance({ ...world.deps, store: slow }, world.config, KEY)
  await instance.start('boot')
  const queued = instance.call(callTo('send.sendText', text('too late')))
  const ended = Promise.all([instance.stop('erase'), queued.catch(() => {})])
  // If the erasure of the instance did not wait for the delayed commits, it would end during this pause.
  await Promise.race([ended, pause(1_500)])
  letGo()
  await ended
  assert.deepEqual(await recordsOf(keys.instance(INSTANCE)), [])
  await assert.rejects(instance.call(callTo('send.sendText', text('later still'))))
  assert.deepEqual(await recordsOf(keys.instance(INSTANCE)), [])
})
