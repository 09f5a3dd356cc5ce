import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import type { EventOf, WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import { ascendingIds } from '../../../src/storage/ascending-ids.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createEventRows } from '../../../workers/shard/webhooks/event-rows.ts'
import { createEventTimes } from '../../../workers/shard/webhooks/event-times.ts'
import { firstRow } from '../../../workers/shard/webhooks/finished-event.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, webhookSettings } from '../storage/fixtures.ts'

const ANA = { phone: '5511988880001', chat_lid: '1@lid' }
const event = (at: number, chat: Pick<EventOf<'message_status'>['body'], 'phone' | 'chat_lid'>): WebhookEvent => ({
  type: 'message_status',
  at,
  body: { status: 'read', ids: ['A'], is_group: false, participant_phone: null, participant_lid: null, ...chat },
})

async function bench(t: TestContext, maxNames?: number) {
  const store = await tempStore(t)
  const log = recordingLog()
  const time = { now: START }
  const clock = { now: () => time.now }
  const rows = createEventRows({ instanceId: INSTANCE, store, sealer, log })
  const ids = ascendingIds(clock)
  let ahead = () => 0
  /** Begins as after a kill: only the data on disk remain. */
  const open = async () => {
    const times = createEventTimes({
      instanceId: INSTANCE,
      store,
      sealer,
      clock,
      steady: clock,
      rows,
      log,
      ...(maxNames === undefined ? {} : { maxNames }),
    })
    await times.load()
    ahead = times.ahead
    return async (at: number, about: WebhookEvent | Parameters<typeof event>[1] = ANA, { hasRow = true, fails = false } = {}) => {
      const its = 'type' in about ? about : event(at, about)
      const eventId = ids.next()
      const { at: told, told: inRow, ops } = times.next(its, eventId, hasRow)
      if (fails) return ops.length
      const row = { ...firstRow(its, webhookSettings(null), time.now), told: inRow }
      await store.commit({ ops: hasRow ? [...ops, rows.op(eventId, row)] : ops })
      times.committed(eventId)
      return told
    }
  }
  async function written() {
    let count = 0
    for await (const _ of store.range(keys.times(INSTANCE))) count++
    return count
  }
  return { open, time, ahead: () => ahead(), written, store }
}

test('a fact keeps its own time while nothing later of its chat was told, and never falls behind what was', async (t) => {
  const told = await (await bench(t)).open()
  assert.equal(await told(START - HOUR), START - HOUR)
  assert.equal(await told(START + 400), START + 400)
  // The first receipt has a time without milliseconds, and the next receipt comes within the same second.
  assert.equal(await told(START), START + 401)
  assert.equal(await told(START), START + 402)
  assert.equal(await told(START + 1_000), START + 1_000)
  assert.equal(await told(START - HOUR, { phone: '5511988880002', chat_lid: null }), START - HOUR, 'another chat')
})

test('how far chats are ahead behind a clock that was a month ahead is known, after a restart, too', async (t) => {
  const { open, time, ahead } = await bench(t)
  const told = await open()
  await told(START + HOUR)
  assert.equal(ahead(), 0)
  time.now += 30 * DAY
  await told(time.now)
  time.now = START
  assert.equal(ahead(), 30 * DAY)
  // The time must not go back, because receivers that compare times would drop an event with an earlier time than that
  // of the event before it.
  assert.equal(await told(START), START + 30 * DAY + 1)
  await open()
  assert.equal(ahead(), 30 * DAY + 1)
})

test('a chat is one by number and by LID', async (t) => {
  const told = await (await bench(t)).open()
  await told(START, { phone: '1@lid', chat_lid: '1@lid' })
  assert.equal(await told(START - 5), START + 1)
  assert.equal(await told(START - 5, { phone: '5511988880001', chat_lid: null }), START + 2)
})

test('a restart does not fall behind, nor does a clock that was set back', async (t) => {
  const { open, time } = await bench(t)
  await (await open())(START + 700)
  time.now -= HOUR
  const told = await open()
  assert.equal(await told(START - HOUR), START + 701)
})

test('a date far ahead does not carry its chat there', async (t) => {
  const told = await (await bench(t)).open()
  assert.equal(await told(START + 1_000 * DAY), START + DAY)
})

test('changes of status are not of a chat', async (t) => {
  const told = await (await bench(t)).open()
  const at = START + 5_000
  const { phone } = ANA
  const body = {
    status: 'connected',
    previous_status: null,
    connected: true,
    phone,
    disconnect_reason: null,
    reason: null,
    status_reason: null,
  } as const
  await told(at, { type: 'instance_status', at, body })
  assert.equal(await told(START, { phone: '5511988880001', chat_lid: null }), START)
})

test('chats that are not remembered any more do not fall either', async (t) => {
  const { open } = await bench(t, 2)
  const first = await open()
  const chat = (name: string) => ({ phone: name, chat_lid: null })
  await first(START + 10, chat('a'))
  await first(START + 20, chat('b'))
  await first(START + 30, chat('c'))
  assert.equal(await first(START, chat('a')), START + 11)
  const told = await open()
  assert.equal(await told(START, chat('b')), START + 21)
})

test('times that are only in the log are known after a kill, by number and by LID, and are then written with a later event', async (t) => {
  const { open, time, written } = await bench(t)
  const first = await open()
  await first(START + 10, { phone: 'first', chat_lid: null })
  assert.equal(await written(), 1)
  await first(START + 700)
  assert.equal(await written(), 1, 'the times of the next events are only in the log')
  const second = await open()
  assert.equal(await second(START, { phone: '1@lid', chat_lid: null }), START + 701)
  assert.equal(await written(), 3)
  await second(START, { phone: ANA.phone, chat_lid: null })
  const third = await open()
  assert.equal(await third(START, { phone: ANA.phone, chat_lid: null }), START + 702)
  time.now += MINUTE
  await third(START + 900)
  assert.equal(await (await open())(START), START + 901)
})

test('an active instance writes the times of its chats with some of the events, and a failed commit loses none of them', async (t) => {
  const { open, written } = await bench(t)
  const told = await open()
  const chat = (number: number) => ({ phone: `chat ${number}`, chat_lid: null })
  for (let number = 0; number < 24; number++) await told(START + number, chat(number))
  assert.equal(await written(), 1)
  assert.equal(await told(START, chat(24), { fails: true }), 25)
  for (let number = 25; number < 48; number++) await told(START + number, chat(number))
  assert.equal(await written(), 1)
  await told(START + 48, chat(48))
  assert.ok((await written()) >= 48)
  const after = await open()
  for (const number of [0, 23, 25, 47, 48]) assert.equal(await after(START, chat(number)), START + number + 1)
})

test('the time of an event without a row in the log is written immediately', async (t) => {
  const { open } = await bench(t)
  const told = await open()
  await told(START)
  await told(START + 50, ANA, { hasRow: false })
  assert.equal(await (await open())(START), START + 51)
})
