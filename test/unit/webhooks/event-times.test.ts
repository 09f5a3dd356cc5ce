import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY, HOUR } from '../../../src/domain/clock.ts'
import type { EventOf, WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import { createEventTimes } from '../../../workers/shard/webhooks/event-times.ts'
import { INSTANCE, START, sealer, tempStore } from '../storage/fixtures.ts'

const ANA = { phone: '5511988880001', chat_lid: '1@lid' }
const event = (at: number, chat: Pick<EventOf<'message_status'>['body'], 'phone' | 'chat_lid'>): WebhookEvent => ({
  type: 'message_status',
  at,
  body: { status: 'read', ids: ['A'], is_group: false, participant_phone: null, participant_lid: null, ...chat },
})

async function bench(t: TestContext, maxNames?: number) {
  const store = await tempStore(t)
  const time = { now: START }
  let ahead = () => 0
  const open = async () => {
    const times = createEventTimes({
      instanceId: INSTANCE,
      store,
      sealer,
      clock: { now: () => time.now },
      ...(maxNames === undefined ? {} : { maxNames }),
    })
    await times.load()
    ahead = times.ahead
    return async (at: number, about: WebhookEvent | Parameters<typeof event>[1] = ANA) => {
      const { at: told, ops } = times.next('type' in about ? about : event(at, about))
      await store.commit({ ops })
      return told
    }
  }
  return { open, time, ahead: () => ahead() }
}

test('a fact keeps its own time while nothing later of its chat was told, and never falls behind what was', async (t) => {
  const told = await (await bench(t)).open()
  assert.equal(await told(START - HOUR), START - HOUR)
  assert.equal(await told(START + 400), START + 400)
  // These two receipts have a time without milliseconds, within the second of the event before them. So each event
  // gets a time 1 ms after the previous event.
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
  // The time of an event must not be earlier than that of the event before it: receivers that compare times would drop
  // the event.
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
