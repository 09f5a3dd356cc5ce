/**
 * Tests the rebuilding of the directory (chats, people and labels). An account that was linked by an older release has
 * no stored directory, so it has to be built.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Mutex } from 'async-mutex'
import { rebuildDirectory } from '../../../workers/shard/app-state/rebuild.ts'
import { INSTANCE, tempStore } from '../storage/fixtures.ts'

async function bench(t: TestContext, accountSyncCounter: number) {
  const store = await tempStore(t)
  const done: string[] = []
  let isCut = false
  const reader = {
    async readAnew(names: readonly string[]) {
      if (isCut) throw new Error('Connection Closed')
      done.push(`read ${names.length}`)
    },
  }
  const login = () =>
    rebuildDirectory(
      { id: INSTANCE, store },
      { changing: new Mutex(), reader, creds: { accountSyncCounter }, appState: { settled: async () => {} } },
    )
  return { login, done, cut: (is: boolean) => (isCut = is) }
}

test('app state is read whole once, and again where that was cut short', async (t) => {
  const { login, done, cut } = await bench(t, 1)
  cut(true)
  await assert.rejects(login(), /Closed/)
  cut(false)
  await login()
  await login()
  assert.deepEqual(done, ['read 5'])
})

test('a device that reads everything for the first time is left alone, then and later', async (t) => {
  const { login, done } = await bench(t, 0)
  await login()
  await login()
  assert.deepEqual(done, [])
})
