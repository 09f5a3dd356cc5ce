import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stoppable } from '../../../workers/archive/stoppable.ts'

test('stopping waits for the read that is running, ends the source, and nothing is read afterwards', async () => {
  const happened: string[] = []
  let goOn = () => {}
  async function* source() {
    try {
      for (;;) {
        happened.push('begins')
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
        happened.push('has read')
        yield 1
      }
    } finally {
      happened.push('ended')
    }
  }
  const frames = stoppable(source())
  const reader = frames[Symbol.asyncIterator]()
  const first = reader.next()
  const stopping = frames.stop().then(() => happened.push('closed'))
  goOn()
  assert.deepEqual(await first, { done: false, value: 1 })
  await stopping
  assert.deepEqual(await reader.next(), { done: true, value: undefined })
  assert.deepEqual(happened, ['begins', 'has read', 'ended', 'closed'])
})
