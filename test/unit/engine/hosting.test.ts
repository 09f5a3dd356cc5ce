import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { CREATED, DEFAULT_SETTINGS, type InstanceConfig } from '../../../src/domain/instance.ts'
import { createHosting } from '../../../src/engine/hosting.ts'
import { createPlacement } from '../../../src/engine/placement.ts'
import type { ShardRequest } from '../../../src/engine/protocol.ts'
import type { Shard } from '../../../src/engine/shard-supervisor.ts'
import { deferred } from '../../../src/lib/deferred.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))
const config = (id: string): InstanceConfig => ({ id, settings: DEFAULT_SETTINGS }) as InstanceConfig

/** Creates the hosting of a single shard thread, which answers a survey when the test calls `answer`. */
function world() {
  const sent: string[] = []
  let isDamaged = true
  let survey = deferred<unknown>()
  const placement = createPlacement([
    {
      index: 0,
      generation: () => 1,
      async run(request: ShardRequest) {
        sent.push(request.type)
        if (request.type === 'start' && request.config.id === 'damaged' && isDamaged) throw new Error('a record cannot be read')
        if (request.type === 'start') return { ...CREATED, status: 'connected' }
        if (request.type === 'stop') throw new Failure('engine_unavailable')
        return survey.promise
      },
    } as unknown as Shard,
  ])
  const log = { info() {}, warn() {}, error() {} }
  const hosting = createHosting({ placement, keyOf: () => new Uint8Array(64), startsPerSecond: 1, clock: systemClock, log })
  return {
    hosting,
    placement,
    sent,
    mend() {
      isDamaged = false
    },
    answer(error?: Error) {
      if (error) survey.reject(error)
      else survey.resolve({ instances: [] })
      survey = deferred()
    },
  }
}

/**
 * Starts one instance, and stops another one while its start still waits for its turn. The turn comes while the thread
 * is asked which instances it runs.
 */
async function stopInLine(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  const made = world()
  await made.hosting.start(config('first'), 'boot')
  const waits = made.hosting.start(config('waits'), 'boot').catch((error: Failure) => error.code)
  const stopped = made.hosting.stop('waits', 'keep')
  await settle()
  assert.deepEqual(made.sent, ['start', 'stop', 'survey'])
  context.mock.timers.tick(1_000)
  await settle()
  return { ...made, waits, stopped }
}

test('an instance that is stopped while its start waits is not started, also if its turn comes during the stop', async (context) => {
  const { sent, answer, stopped, waits, placement } = await stopInLine(context)
  answer()
  await stopped
  assert.deepEqual(sent, ['start', 'stop', 'survey'])
  assert.equal(await waits, 'engine_unavailable')
  assert.equal(placement.get('waits'), undefined)
})

test('an instance whose stop fails while its start waits is started nevertheless', async (context) => {
  const { sent, answer, stopped, waits } = await stopInLine(context)
  answer(new Error('the thread did not say what it runs'))
  await assert.rejects(stopped)
  await waits
  await settle()
  assert.deepEqual(sent, ['start', 'stop', 'survey', 'start'])
})

test('the time since an instance could not be started counts until a start succeeds', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  const { hosting, placement, mend, sent } = world()
  await assert.rejects(hosting.start(config('damaged'), 'boot'))
  context.mock.timers.tick(1_000)
  await settle()
  assert.deepEqual([placement.get('damaged')?.failingSince, sent], [1_000_000, ['start', 'start']])
  mend()
  context.mock.timers.tick(1_000)
  await settle()
  assert.deepEqual([placement.get('damaged')?.failingSince, sent.length], [undefined, 3])
})
