import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SECOND } from '../../../src/domain/clock.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { logReader } from '../../../src/webhooks/log-reader.ts'
import { createOutbox } from '../../../workers/shard/webhooks/outbox.ts'
import { textEvent } from '../../harness/received-event.ts'
import { INSTANCE, manualTime, recordingLog, START, sealer, tempStore, until, webhookSettings } from '../storage/fixtures.ts'
import { localDelivery, outboxOptions } from './outbox-options.ts'
import { receiver } from './receiver.ts'

// An earlier bug: an event whose read failed once was treated as unreadable, so it was removed and recorded as failed.
test('an event whose log row cannot be read for a moment is delivered when it can', async (t) => {
  const to = await receiver(t)
  const real = await tempStore(t)
  const time = manualTime()
  const log = recordingLog()
  let failing = 2
  const store = {
    ...real,
    get: async (key: string) => {
      if (key.startsWith(keys.log(INSTANCE)) && failing-- > 0) throw new Error('input/output error')
      return real.get(key)
    },
  }
  const { deliver, close } = localDelivery(time)
  const options = outboxOptions(store, time, { webhooks: () => webhookSettings(to.url), deliver, log, maxUnwritten: 1 })
  const outbox = createOutbox(options)
  t.after(async () => {
    await outbox.stop(0)
    await close()
  })
  await outbox.start()
  const { eventId, ops } = outbox.append(textEvent('one', START))
  await real.commit({ ops })
  // This outbox simulates the service after a restart: it has not written the records itself, so it must read them.
  const next = createOutbox({ ...options })
  t.after(() => next.stop(0))
  await next.start()
  for (const wait of [1, 2]) {
    await time.armed(wait * SECOND)
    time.advance(wait * SECOND)
  }
  const all = () => logReader(real, () => sealer).list({ instanceIds: [INSTANCE], page: 1, pageSize: 10 })
  await until(async () => (await all()).data[0]?.status === 'delivered', 'delivered')
  assert.deepEqual(to.ids(), [eventId])
  assert.equal(log.lines.filter(({ message }) => message.includes('could not be decoded')).length, 0)
})
