import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { pause, untilEnd, within } from '../../../workers/shard/connection/within.ts'
import { failsWith } from '../../harness/failures.ts'

test('a wait leaves nothing behind on the session, however many there were', async () => {
  const { signal } = new AbortController()
  for (let index = 0; index < 1_000; index++) {
    await untilEnd({ ended: signal }, Promise.resolve(index))
    await within({ ended: signal }, 1_000, Promise.resolve(index))
    await assert.rejects(within({ ended: signal }, 1_000, Promise.reject(new Error('refused'))), /refused/)
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('the end of the socket ends every wait as not connected', async () => {
  const controller = new AbortController()
  const session = { ended: controller.signal }
  const never = new Promise<never>(() => {})
  const waits = [untilEnd(session, never), within(session, 60_000, never), pause(session, 60_000)]
  controller.abort()
  for (const wait of waits) await assert.rejects(wait, failsWith('instance_not_connected'))
  await assert.rejects(untilEnd(session, never), failsWith('instance_not_connected'))
})

test('an answer that does not come in time is a send_timeout', async () => {
  const { signal } = new AbortController()
  await assert.rejects(within({ ended: signal }, 1, new Promise<never>(() => {})), failsWith('send_timeout'))
})
