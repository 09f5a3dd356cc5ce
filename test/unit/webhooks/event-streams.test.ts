import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineEvent } from '../../../src/engine/engine.ts'
import { createEventStreams } from '../../../src/webhooks/event-streams.ts'

/** Lets everything run that waits for no timer. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a reader that wants none of the events of a busy instance gets a comment every 15 seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  let now = 0
  let tell: (event: EngineEvent) => void = () => {}
  const streams = createEventStreams({
    engine: {
      call: async () => ({ events: [], more: false, gap: null, cursor: 'c' }) as never,
      onEvent: (listener) => {
        tell = listener
      },
    },
    onGap() {},
    refresh: async () => {},
    clock: { now: () => now },
  })
  const end = new AbortController()
  const open = await streams.open({ instance: 'one', types: ['message_status'], after: null, isAllowed: () => true })
  const got: [at: number, what: string][] = []
  const reading = (async () => {
    for await (const event of open(end.signal))
      got.push([now / 1_000, 'comment' in event ? event.comment : 'event' in event ? (event.event ?? '') : ''])
  })()
  for (let second = 0; second < 50; second++) {
    await settled()
    now += 1_000
    t.mock.timers.tick(1_000)
    tell({ type: 'published', instance: 'one' } as never)
  }
  await settled()
  end.abort()
  await reading
  assert.deepEqual(got, [
    [0, 'ready'],
    [15, 'nothing new'],
    [30, 'nothing new'],
    [45, 'nothing new'],
  ])
})
