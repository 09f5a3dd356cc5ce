import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyClock } from '../../../src/domain/clock.ts'
import { releaseAtStop } from '../../../src/service/release-at-stop.ts'
import { createShutdown } from '../../../src/service/shutdown.ts'
import { recordingLog } from '../storage/fixtures.ts'

async function stopped(endThreads: () => Promise<void>) {
  const released: string[][] = []
  const log = recordingLog()
  const shutdown = createShutdown(steadyClock)
  const homes = { own: () => ['one'], release: async (some: readonly string[]) => void released.push([...some]) }
  releaseAtStop({ store: { homes, endThreads }, shutdown, log })
  assert.deepEqual(released, [])
  await shutdown.run(1_000)
  return { released, log }
}

test('the instances are released when the store takes nothing more of the threads, and not if it still may', async () => {
  const ended = await stopped(async () => {})
  assert.deepEqual(ended.released, [['one']])

  const locked = await stopped(async () => assert.fail('a session of an operator has locked a row'))
  assert.deepEqual([locked.released, locked.log.lines.length], [[], 1])
})
