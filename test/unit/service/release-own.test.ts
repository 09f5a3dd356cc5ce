import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseOwn } from '../../../src/service/release-own.ts'
import { recordingLog } from '../storage/fixtures.ts'

function world(endThreads: () => Promise<void>) {
  const released: string[][] = []
  const log = recordingLog()
  const homes = { own: () => ['one'], release: async (some: readonly string[]) => void released.push([...some]) }
  return { released, log, run: () => releaseOwn({ homes, endThreads, log }, 1_000) }
}

test('the instances are released when the store takes nothing more of the threads, and not if it still may', async () => {
  const ended = world(async () => {})
  await ended.run()
  assert.deepEqual(ended.released, [['one']])

  const locked = world(async () => assert.fail('a session of an operator has locked a row'))
  await locked.run()
  assert.deepEqual([locked.released, locked.log.lines.length], [[], 1])
})
