import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchStart } from '../../../src/starting.ts'

test('a start that takes long names the part that it waits for', async () => {
  const clock = { time: 1_000, now: () => clock.time }
  let said!: (fields: object) => void
  const line = () =>
    new Promise<object>((resolve) => {
      said = resolve
    })
  const log = { info() {}, error() {}, warn: (fields: object) => said(fields) }
  const first = line()
  const starting = watchStart({ log, clock, everyMs: 1 })
  const hold = setInterval(() => {}, 1_000)
  try {
    clock.time += 23_000
    assert.deepEqual(await first, { waited_ms: 23_000, waits_for: 'the store' })
    starting.at('ffmpeg')
    assert.deepEqual(await line(), { waited_ms: 23_000, waits_for: 'ffmpeg' })
    assert.equal(starting.waiting().sentence, 'The service has been starting for 23 s; it is waiting for ffmpeg.')
  } finally {
    starting.end()
    clearInterval(hold)
  }
})
