import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_TRIES, RETRY_DELAYS } from '../../../src/domain/webhook-log.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { logReader } from '../../../src/webhooks/log-reader.ts'
import { createOutbox, type Outbox } from '../../../workers/shard/webhooks/outbox.ts'
import { textEvent } from '../../harness/received-event.ts'
import { INSTANCE, manualTime, recordingLog, sealer, tempStore, until, webhookSettings } from '../storage/fixtures.ts'
import { localDelivery, outboxOptions } from './outbox-options.ts'
import { receiver } from './receiver.ts'

test('the backlog is the number of events that are pending: delivered, retried, given up, taken up again, unreadable, after a restart', async (t) => {
  let answer = 200
  const to = await receiver(t, () => answer)
  const store = await tempStore(t)
  const time = manualTime()
  let settings = webhookSettings(to.url)
  const { deliver, close } = localDelivery(time)
  t.after(close)
  const results: string[] = []
  const types: string[] = []

  async function open(): Promise<Outbox> {
    const opened = createOutbox(
      outboxOptions(store, time, {
        webhooks: () => settings,
        deliver,
        log: recordingLog(),
        maxUnwritten: 1,
        onAppend: (type) => types.push(type),
        onResult: (type, result, durationMs) => results.push(`${type} ${result} ${typeof durationMs}`),
      }),
    )
    t.after(() => opened.stop(0))
    await opened.start()
    return opened
  }

  const entries = async () =>
    (await logReader(store, () => sealer).list({ instanceIds: [INSTANCE], page: 1, pageSize: 100 })).data
  const pending = async () => (await entries()).filter(({ status }) => status === 'pending').length
  async function add(text: string) {
    const { eventId, ops } = outbox.append(textEvent(text, time.clock.now()))
    await store.commit({ ops })
    outbox.committed(eventId)
    return eventId
  }
  async function waiting(count: number, why: string) {
    await until(() => outbox.backlog() === count, `${count} waiting: ${why}`)
    await until(async () => (await pending()) === count, `${count} pending: ${why}`)
    assert.equal(outbox.backlog(), count, why)
  }
  const statusOf = async (id: string) => (await entries()).find((entry) => entry.id === id)!.status

  let outbox = await open()
  await waiting(0, 'nothing yet')
  await add('taken')
  await until(() => results.includes('received delivered number'), 'delivered')
  await waiting(0, 'delivered')

  answer = 500
  const stubborn = await add('not taken')
  const other = await add('not taken either')
  await until(() => results.length === 3, 'a retry of each')
  assert.deepEqual(results.slice(1), ['received retry number', 'received retry number'])
  await waiting(2, 'they are tried again')

  await outbox.stop(0)
  outbox = await open()
  await waiting(2, 'a restart finds what is parked')

  for (const [index, delay] of RETRY_DELAYS.entries()) {
    time.advance(delay)
    await until(() => results.length === 2 * index + 5, `try ${index + 2}`)
  }
  assert.equal(results.length, 2 * MAX_TRIES + 1)
  assert.equal(results.at(-1), 'received failed number')
  await waiting(0, 'given up')

  await outbox.stop(0)
  outbox = await open()
  await waiting(0, 'what was given up is kept for a resend, and does not wait')

  await outbox.resend(stubborn)
  await waiting(0, 'a resend by hand that fails changes nothing')
  assert.deepEqual(await outbox.resendMany([stubborn]), { queued: 1, notFound: 0 })
  await until(() => results.at(-1) === 'received retry number', 'another try')
  await waiting(1, 'taken up again')
  answer = 200
  await outbox.resend(other)
  await waiting(1, 'one that had been given up is taken, which did not wait')
  await outbox.resend(stubborn)
  await waiting(0, 'a resend by hand that is taken')

  settings = { ...settings, received_url: null }
  const nowhere = await add('nowhere to go')
  await until(async () => (await statusOf(nowhere)) === 'failed', 'given up')
  await waiting(0, 'switched off')
  await until(() => results.includes('received discarded object'), 'told')
  settings = { ...settings, received_url: to.url }

  answer = 500
  const broken = await add('broken on disk')
  await until(() => results.at(-1) === 'received retry number', 'parked')
  await store.commit({ ops: [[keys.parkedEvent(INSTANCE, broken), Uint8Array.of(1, 2, 3)]] })
  const tries = results.length
  time.advance(RETRY_DELAYS[0])
  await until(async () => (await statusOf(broken)) === 'failed', 'unreadable')
  await waiting(0, 'removed as unreadable')
  assert.equal(results.length, tries, 'it was not tried')

  assert.deepEqual(
    types,
    Array.from({ length: 5 }, () => 'received'),
  )
})
