/**
 * Makes records of an instance unreadable: the instance must start without them. An instance that cannot start must
 * leave nothing running, and it must be possible to delete it.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { keys } from '../../src/storage/record-keys.ts'
import { createInstance } from '../../workers/shard/instance.ts'
import { INSTANCE } from '../unit/storage/fixtures.ts'
import { pause, until } from './ground.ts'
import { hostOf, KEY, startHosted } from './hosted.ts'
import { PHONE } from './traffic.ts'

const world = await startHosted(PHONE)
after(() => world.stop())

const damaged = Buffer.from('what a bad sector leaves')
const isRuntime = ({ ops }: { ops: readonly (readonly [string, unknown])[] }) =>
  ops.some(([key]) => key === keys.runtime(INSTANCE))

test('records that cannot be read keep no instance from starting, and lie where they are', async () => {
  const { store, instance, deps, config } = world
  await instance.stop('keep')
  const broken = [
    keys.journal(INSTANCE, 'a'),
    keys.call(INSTANCE, 'b'),
    keys.waiting(INSTANCE, 'c'),
    keys.queueItem(INSTANCE, '01M7X0PHMQ4EBH8ZWZZP8Z4XTP'),
    keys.runtime(INSTANCE),
  ]
  await store.commit({ ops: broken.map((key) => [key, damaged] as const) })
  const again = createInstance(deps, config, KEY)
  await again.start('boot')
  await until('connected', () => world.state().status === 'connected')
  await again.stop('keep')
  for (const key of broken.slice(0, -1)) assert.ok((await store.get(key)) !== undefined, key)
})

test('an instance whose start fails leaves no part of it running', async () => {
  const { deps, config, sandbox } = world
  world.refuse(isRuntime)
  await assert.rejects(createInstance(deps, config, KEY).start('boot'), /The disk is full/)
  world.refuse(null)
  // The pause is longer than the delay after which the service would try to write a state again.
  await pause(2_500)
  assert.equal((await sandbox.stats()).connections, 0)
})

test('an instance that cannot be started can be deleted', async () => {
  const { store, config } = world
  const host = await hostOf(world)
  world.refuse(isRuntime)
  assert.ok('err' in (await host.run({ generation: 1, type: 'start', config, how: 'boot' })))
  world.refuse(null)
  assert.deepEqual(await host.run({ generation: 1, type: 'stop', instance: INSTANCE, how: 'erase' }), { ok: null })
  for await (const [key] of store.range(keys.instance(INSTANCE))) assert.fail(`${key} is left`)
})
