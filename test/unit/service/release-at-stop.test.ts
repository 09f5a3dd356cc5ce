import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { steadyClock } from '../../../src/domain/clock.ts'
import { releaseAtStop } from '../../../src/service/release-at-stop.ts'
import { createShutdown } from '../../../src/service/shutdown.ts'
import { recordingLog } from '../storage/fixtures.ts'

async function stopped(endThreads: () => Promise<void>, deadlineMs = 1_000) {
  const released: string[][] = []
  const log = recordingLog()
  const shutdown = createShutdown(steadyClock)
  const homes = { own: () => ['one'], release: async (some: readonly string[]) => void released.push([...some]) }
  releaseAtStop({ store: { homes, endThreads }, shutdown, log })
  assert.deepEqual(released, [])
  await shutdown.run(deadlineMs)
  return { released, log }
}

test('the instances are released when the store takes nothing more of the threads, and not if it still may', async () => {
  const ended = await stopped(async () => {})
  assert.deepEqual(ended.released, [['one']])

  const locked = await stopped(async () => assert.fail('a session of an operator has locked a row'))
  assert.deepEqual([locked.released, locked.log.lines.length], [[], 1])
})

test('the instances are released although the stop has used up its time', async () => {
  const { released } = await stopped(() => pause(50), 0)
  assert.deepEqual(released, [['one']])
})
