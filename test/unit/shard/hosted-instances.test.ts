import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CREATED, type InstanceConfig } from '../../../src/domain/instance.ts'
import { deferred } from '../../../src/lib/deferred.ts'
import { createHostedInstances } from '../../../workers/shard/hosted-instances.ts'
import type { HostedInstance } from '../../../workers/shard/instance.ts'

const CONFIG = { id: 'one' } as InstanceConfig
const log = { info() {}, warn() {}, error() {} }

test('an instance that is started while it is being stopped starts again after the stop', async () => {
  const hosted = createHostedInstances(log)
  const steps: string[] = []
  const stopping = deferred()
  const make = () =>
    ({
      async start() {
        steps.push('start')
        return CREATED
      },
      async stop() {
        steps.push('stop')
        await stopping.promise
        steps.push('stopped')
      },
    }) as unknown as HostedInstance
  await hosted.start(CONFIG, 'boot', make)
  const stopped = hosted.stop('one', 'keep', () => void steps.push('keys forgotten'))
  const again = hosted.start(CONFIG, 'boot', make)
  await new Promise(setImmediate)
  stopping.resolve()
  assert.equal(await stopped, true)
  await again
  assert.deepEqual(steps, ['start', 'stop', 'stopped', 'keys forgotten', 'start'])
  assert.deepEqual(
    hosted.all().map(([id]) => id),
    ['one'],
  )
})
