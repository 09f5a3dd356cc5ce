import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deferred } from '../../../src/lib/deferred.ts'
import { createRetention } from '../../../src/storage/retention.ts'
import { recordingLog, until } from './fixtures.ts'

test('a sweep that fails is logged, and the others have their turn', async () => {
  const log = recordingLog()
  const retention = createRetention(log)
  const swept: string[] = []
  retention.covers(async () => {
    throw new Error('no space left on device')
  }, 'the first could not be removed')
  retention.covers(async () => void swept.push('second'), 'the second could not be removed')
  retention.start()
  await retention.idle()
  assert.deepEqual(swept, ['second'])
  assert.deepEqual(
    log.lines.map(({ level, message }) => [level, message]),
    [['error', 'the first could not be removed']],
  )
  await retention.stop()
})

test('a kind that outgrows its bounds during a sweep of any kind is swept after it', async () => {
  const retention = createRetention(recordingLog())
  const swept: string[] = []
  const gate = deferred()
  const first = retention.covers(async () => {
    swept.push('first')
    await gate.promise
  }, '')
  const second = retention.covers(async () => void swept.push('second'), '')
  first()
  await until(() => swept.length === 1, 'the first sweep')
  second()
  first()
  gate.resolve()
  await retention.idle()
  assert.deepEqual(swept, ['first', 'second', 'first'])
  second()
  await retention.idle()
  assert.deepEqual(swept, ['first', 'second', 'first', 'second'])
})

test('after the stop nothing is swept, and a sweep that is running ends first', async () => {
  const retention = createRetention(recordingLog())
  const gate = deferred()
  let isTold = false
  let swept = 0
  const soon = retention.covers(async (isStopped) => {
    await gate.promise
    isTold = isStopped()
    swept++
  }, '')
  soon()
  soon()
  const stopped = retention.stop()
  soon()
  gate.resolve()
  await stopped
  assert.ok(isTold)
  soon()
  await retention.idle()
  assert.equal(swept, 1)
})
