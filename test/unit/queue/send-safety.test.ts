import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { DEFAULT_SETTINGS } from '../../../src/domain/instance.ts'
import { createAccountDirectory } from '../../../workers/shard/directory/account-directory.ts'
import { resultOf } from '../../../workers/shard/queue/contract.ts'
import { createSendSafety } from '../../../workers/shard/queue/safety/send-safety.ts'
import { INSTANCE, recordingLog, sealer, tempStore, until } from '../storage/fixtures.ts'
import { safetyBench as bench, jidOf } from './safety-bench.ts'

const perHour = { first_contacts_per_hour: 1 }

test('one new person an hour gets a message, and each is counted once', async (t) => {
  const { run, time, sent } = await bench(t, perHour)
  const { put, reasons, safety } = await run()
  for (const phone of ['5511900000001', '5511900000002', '5511900000001', '5511900000003']) await put(phone)
  time.advance(2 * SECOND)
  await until(async () => sent.length === 2 && (await reasons()).every(([, reason]) => reason === 'first_contact_budget'), 'two')
  assert.deepEqual(sent, ['5511900000001', '5511900000001'])
  assert.deepEqual((await safety.reading()).hour?.used, 1)
  time.advance(HOUR - MINUTE)
  assert.equal(sent.length, 2)
  time.advance(MINUTE)
  await until(async () => sent.length === 3 && (await reasons()).length === 1, 'the second person')
  assert.deepEqual(await reasons(), [['5511900000003', 'first_contact_budget']])
})

for (const end of ['leaving', 'relayed'] as const) {
  test(`a run that ends ${end === 'leaving' ? 'before' : 'after'} a first contact left neither loses nor doubles its count`, async (t) => {
    const { run, time, sent } = await bench(t, perHour)
    const first = await run(end)
    await first.put('5511900000001')
    await first.put('5511900000002')
    time.advance(2 * SECOND)
    await until(async () => (await first.safety.reading()).hour?.used === 1, 'its count')
    if (end === 'relayed') await until(() => sent.length === 1, 'the message')
    first.kill()
    const next = await run()
    time.advance(2 * SECOND)
    await until(async () => sent.at(-1) === '5511900000001' && (await next.reasons()).length === 1, 'the message again')
    await until(async () => (await next.reasons())[0]?.[1] === 'first_contact_budget', 'the other one')
    assert.equal((await next.safety.reading()).hour?.used, 1)
    assert.ok(!sent.includes('5511900000002'))
  })
}

const usedUpAt = (free_at: number, waiting: number) => ({
  period: 'hour',
  limit: 1,
  used: 1,
  free_at: new Date(free_at).toISOString(),
  waiting,
})

test('the delivery that uses up a budget tells it, once an hour', async (t) => {
  const { run, time, sent, told } = await bench(t, perHour)
  const { put } = await run()
  for (const phone of ['5511900000001', '5511900000002', '5511900000001', '5511900000003', '5511900000004']) await put(phone)
  time.advance(2 * SECOND)
  const usedAt = time.clock.now()
  await until(() => sent.length === 2, 'the first contact, and a second message to this person')
  await until(() => told().length > 0, 'the first event')
  assert.deepEqual(told(), [usedUpAt(usedAt + HOUR, 3)])
  time.advance(HOUR)
  await until(() => sent.length === 3 && told().length === 2, 'the second person')
  assert.deepEqual(told()[1], usedUpAt(usedAt + 2 * HOUR, 2))
})

for (const end of ['leaving', 'relayed', 'settled'] as const) {
  test(`a run that ends at "${end}" neither loses nor doubles the event of a used-up budget`, async (t) => {
    const { run, time, sent, told } = await bench(t, perHour)
    const first = await run(end)
    await first.put('5511900000001')
    await first.put('5511900000002')
    time.advance(2 * SECOND)
    const usedAt = time.clock.now()
    await until(async () => (await first.safety.reading()).hour?.used === 1, 'its count')
    if (end === 'relayed') await until(() => sent.length === 1, 'the message')
    if (end === 'settled') await until(() => told().length === 1, 'the event')
    else assert.deepEqual(told(), [])
    first.kill()
    const next = await run()
    await next.put('5511900000001')
    time.advance(2 * SECOND)
    // If the kill came before the commit that counts the contact, the contact is counted when its message is sent
    // again.
    const countedAt = end === 'leaving' ? time.clock.now() : usedAt
    const before = sent.length
    await until(() => sent.length > before, 'the person who is known')
    await until(async () => (await next.reasons()).length === 1, 'the other one is left')
    assert.deepEqual(told(), [usedUpAt(countedAt + HOUR, 1)])
  })
}

test('a raised limit is told again, and nothing is told or marked while nobody receives events', async (t) => {
  const { run, time, sent, made, told } = await bench(t, { first_contacts_per_hour: 1, first_contacts_per_day: 2 })
  made.isTold = false
  const { put, safety } = await run()
  await put('5511900000001')
  time.advance(2 * SECOND)
  await until(() => sent.length === 1, 'a first contact')
  made.isTold = true
  await put('5511900000001')
  time.advance(2 * SECOND)
  await until(() => told().length === 1, 'the next delivery')
  made.settings = { ...made.settings, first_contacts_per_hour: 2 }
  safety.configured()
  await put('5511900000002')
  time.advance(2 * SECOND)
  await until(() => told().length === 3, 'both budgets')
  assert.deepEqual(
    told().map(({ period, limit, used }) => [period, limit, used]),
    [
      ['hour', 1, 1],
      ['hour', 2, 2],
      ['day', 2, 2],
    ],
  )
})

const FOUR = [1, 2, 3, 4].map((number) => `551190000000${number}`)

test('a message that waits for the budget does not become too old, also when the service restarts; one that waits for an answer does', async (t) => {
  const { run, time, sent, made, minutesUntil } = await bench(t, { ...perHour, queue_max_age_hours: 1 })
  const first = await run()
  for (const phone of FOUR) await first.put(phone)
  await minutesUntil(first.reasons, 2)
  first.kill()
  time.advance(10 * MINUTE)
  const next = await run()
  await minutesUntil(next.reasons, 0)
  assert.deepEqual(sent, FOUR)
  made.settings = { ...made.settings, pause_after_unanswered: 1 }
  await next.put('5511900000001')
  await until(async () => (await next.reasons())[0]?.[1] === 'unanswered', 'the pause')
  assert.ok((await minutesUntil(next.reasons, 0)) >= 60)
  assert.deepEqual(sent, FOUR)
})

test('an answer ends the pause of its person alone', async (t) => {
  const { run, time, sent } = await bench(t, { pause_after_unanswered: 1 })
  const { put, reasons, heard } = await run()
  for (const phone of ['5511900000001', '5511900000002', '5511900000001', '5511900000002']) await put(phone)
  time.advance(2 * SECOND)
  await until(async () => (await reasons()).filter(([, reason]) => reason === 'unanswered').length === 2, 'two pauses')
  heard('5511900000002')
  time.advance(SECOND)
  await until(async () => sent.length === 3 && (await reasons()).length === 1, 'the answer')
  assert.deepEqual(await reasons(), [['5511900000001', 'unanswered']])
})

test('without settings nobody is looked up', async (t) => {
  const accepted = resultOf({ status: 'sent' })
  const store = await tempStore(t)
  const directory = createAccountDirectory({ id: INSTANCE, store, sealer, log: recordingLog() }, { own: () => [] })
  const safety = createSendSafety({
    clock: { now: assert.fail },
    steady: { now: assert.fail },
    settings: () => DEFAULT_SETTINGS,
    directory: { ...directory, ready: assert.fail, chat: () => assert.fail() },
    otherName: assert.fail,
    hasWritten: assert.fail,
    registered: assert.fail,
    isMe: assert.fail,
    linkedAt: assert.fail,
    told: { due: assert.fail, forget: assert.fail },
    isTold: assert.fail,
    onUntold: assert.ifError,
    steps: () => {},
    onError: assert.ifError,
  })
  const item = { svcId: '1', phone: '5511900000001', operation: 'send.sendText', referenceMessageId: null } as never
  for (const policy of safety.policies) assert.equal(policy.holding(item), undefined)
  await safety.leaving(jidOf('5511900000001'), { operation: 'send.sendText' }, false)
  assert.equal(await safety.withUsedUp(accepted, { waitingFor: () => assert.fail() }), accepted)
  safety.heard(jidOf('5511900000001'))
  safety.peopleLearned()
})

const hourAt = (at: number) => new Date(at).toISOString().slice(11, 16)
/** Returns quiet hours that begin one hour before `at`, and end `hours` hours after it. */
const quietFor = (at: number, hours: number) => ({
  quiet_hours: { from: hourAt(at - HOUR), to: hourAt(at + hours * HOUR), time_zone: 'UTC' },
})

test('a message that is ready only when quiet hours have begun waits for their end', async (t) => {
  const { run, time, sent, made, pass } = await bench(t, {})
  made.settings = { ...made.settings, ...quietFor(time.clock.now() + 2 * HOUR, 3) }
  const { put, reasons } = await run()
  await put('5511900000001')
  // The queue begins to prepare the message in the first seconds of this step, and the message is ready at the end of
  // the step. By then, the quiet hours have lasted for an hour.
  await pass(2 * HOUR, 2 * HOUR)
  assert.deepEqual(sent, [])
  await pass(6 * SECOND, 6 * SECOND)
  assert.deepEqual(await reasons(), [['5511900000001', 'quiet_hours']])
  await pass(3 * HOUR)
  assert.deepEqual(sent, ['5511900000001'])
})

test('a message that waits for the connection ages, also at night', async (t) => {
  const { run, time, made, pass, minutesUntil } = await bench(t, { queue_max_age_hours: 1 })
  made.settings = { ...made.settings, ...quietFor(time.clock.now(), 10) }
  const { put, queue, reasons } = await run()
  await put('5511900000001')
  await until(async () => (await reasons())[0]?.[1] === 'quiet_hours', 'the night')
  await pass(90 * MINUTE)
  assert.equal((await reasons()).length, 1)
  queue.setConnected(false)
  const minutes = await minutesUntil(reasons, 0)
  assert.ok(minutes >= 55 && minutes <= 65, `it became too old after ${minutes} minutes`)
})

test('a hold stops the age and does not set it to zero; until its end no message expires', async (t) => {
  const { run, time, sent, made, pass, minutesUntil } = await bench(t, { queue_max_age_hours: 1 })
  made.settings = { ...made.settings, ...quietFor(time.clock.now(), 3) }
  const first = await run()
  first.queue.setConnected(false)
  await first.put('5511900000001')
  await pass(40 * MINUTE)
  first.queue.setConnected(true)
  await until(async () => (await first.reasons())[0]?.[1] === 'quiet_hours', 'the night')
  const [held] = await first.list()
  const left = Date.parse(held!.expires_at) - Date.parse(held!.send_after!)
  assert.ok(left > 15 * MINUTE && left < 25 * MINUTE, `it may wait ${left / MINUTE} minutes after the night`)
  await pass(70 * MINUTE)
  await first.queue.stop(0)
  first.kill()
  const next = await run()
  await until(async () => (await next.reasons())[0]?.[1] === 'quiet_hours', 'the same night')
  next.queue.setConnected(false)
  const minutes = await minutesUntil(next.reasons, 0)
  assert.ok(minutes >= 15 && minutes <= 35, `it became too old after ${minutes} minutes`)
  assert.deepEqual(sent, [])
})

for (const isKilled of [true, false])
  test(`${isKilled ? 'a kill' : 'a stop'} adds to the held time of a message at most what was not stored`, async (t) => {
    const { run, made, pass, time } = await bench(t, {})
    made.settings = { ...made.settings, ...quietFor(time.clock.now(), 10) }
    let now = await run()
    await now.put('5511900000001')
    await until(async () => (await now.reasons())[0]?.[1] === 'quiet_hours', 'the night')
    const lifeOf = async () => {
      const [item] = await now.list()
      return Date.parse(item!.expires_at) - Date.parse(item!.send_after!)
    }
    await pass(3 * MINUTE)
    const before = await lifeOf()
    for (let times = 0; times < 6; times++) {
      if (!isKilled) await now.queue.stop(0)
      now.kill()
      now = await run()
      await until(async () => (await now.reasons())[0]?.[1] === 'quiet_hours', 'the same night')
      await pass(MINUTE)
    }
    const more = (await lifeOf()) - before
    assert.ok(Math.abs(more) <= MINUTE, `six ends gave the message ${more / MINUTE} minutes more`)
  })

test('a message that waits for an answer becomes too old, however often the service restarts', async (t) => {
  const { run, made, pass, minutesUntil, time, sent } = await bench(t, { queue_max_age_hours: 1, pause_after_unanswered: 1 })
  made.settings = { ...made.settings, first_contacts_per_hour: 5 }
  const first = await run()
  await first.put('5511900000001')
  time.advance(2 * SECOND)
  await until(() => sent.length === 1, 'the first message')
  await first.put('5511900000001')
  await pass(40 * MINUTE)
  first.kill()
  const next = await run()
  const minutes = await minutesUntil(next.reasons, 0)
  assert.ok(minutes <= 25, `it became too old after ${minutes} minutes of the second run`)
})

test('an answer in private is a message to the member, and waits for the budget', async (t) => {
  const { run, time, sent, made } = await bench(t, perHour)
  for (const number of [1, 2, 3]) made.goTo.set(`12036300000${number}-group`, jidOf(`551190000000${number}`))
  const { put, reasons, safety, heard } = await run()
  for (const group of made.goTo.keys()) await put(group)
  time.advance(2 * SECOND)
  const isHeld = async () => (await reasons()).every(([, reason]) => reason === 'first_contact_budget')
  await until(async () => sent.length === 1 && (await reasons()).length === 2 && (await isHeld()), 'one of three')
  assert.equal((await safety.reading()).hour?.used, 1)
  heard('5511900000003')
  time.advance(6 * SECOND)
  await until(() => sent.length === 2, 'the answer of a member')
  assert.deepEqual(sent, ['120363000001-group', '120363000003-group'])
  time.advance(HOUR)
  await until(() => sent.length === 3, 'the next hour')
})

test('a message that does not wait in the queue is refused while its person must wait', async (t) => {
  const { run, time } = await bench(t, perHour)
  const { safety } = await run()
  const direct = (phone: string) => safety.leaving(jidOf(phone), { operation: 'chats.expiration' }, false)
  const both = await Promise.allSettled([direct('5511900000001'), direct('5511900000002')])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  const details = { waiting_reason: 'first_contact_budget', send_after: new Date(time.clock.now() + HOUR).toISOString() }
  await assert.rejects(direct('5511900000002'), { code: 'held_by_send_safety', details })
  assert.equal((await safety.reading()).hour?.used, 1)
})

test('a first contact whose message was not sent does not count, and the next person is asked about again', async (t) => {
  const { run, time, sent } = await bench(t, perHour)
  const { safety, put, reasons } = await run()
  const uncount = await safety.leaving(jidOf('5511900000001'), { operation: 'chats.expiration' }, false)
  await put('5511900000002')
  time.advance(2 * SECOND)
  await until(async () => (await reasons())[0]?.[1] === 'first_contact_budget', 'the budget')
  uncount()
  await until(() => sent.length === 1, 'the other person')
  assert.equal((await safety.reading()).hour?.used, 1)
})

for (const [what, end] of [
  ['the connection was lost', undefined],
  ['the service ended', 'before-send'],
] as const)
  test(`a message of which nothing had left when ${what} obeys the rules`, async (t) => {
    const { run, time, sent, made } = await bench(t, {})
    const first = await run(end)
    if (end === undefined) made.isOpen = false
    await first.put('5511900000001')
    time.advance(2 * SECOND)
    if (end === undefined) {
      await until(() => first.queue.undecided() !== undefined && first.queue.waiting() === 1, 'the item to come back')
      first.queue.setConnected(false)
    } else {
      await until(() => made.isHanging, 'the attempt')
      first.kill()
    }
    made.settings = { ...made.settings, ...quietFor(time.clock.now(), 3) }
    made.isOpen = true
    const next = end === undefined ? first : await run()
    next.queue.setConnected(true)
    time.advance(10 * SECOND)
    await until(async () => (await next.reasons())[0]?.[1] === 'quiet_hours', 'the night')
    assert.deepEqual(sent, [])
  })

test('a clock that is set back ends quiet hours that have not begun', async (t) => {
  const { run, time, sent, made } = await bench(t, {})
  made.settings = { ...made.settings, ...quietFor(time.clock.now() + 9 * HOUR, 9) }
  made.step = 9 * HOUR
  const { put, reasons } = await run()
  await put('5511900000001')
  time.advance(2 * SECOND)
  await until(async () => (await reasons())[0]?.[1] === 'quiet_hours', 'a night of the wrong clock')
  made.step = 0
  time.advance(MINUTE)
  await until(() => sent.length === 1, 'the day')
})

test('a contact that was made while the clock was behind still counts', async (t) => {
  const { run, time, sent, made } = await bench(t, perHour)
  made.step = -40 * DAY
  const { put, safety } = await run()
  await put('5511900000001')
  time.advance(2 * SECOND)
  await until(() => sent.length === 1, 'the first contact')
  made.step = 0
  assert.equal((await safety.reading()).hour?.used, 1)
  assert.equal((await safety.reading()).hour?.used, 1)
})

test('a clock that is set right ends a step of the warm-up', async (t) => {
  const { run, time, sent, made } = await bench(t, {
    first_contacts_warm_up: [
      { day: 0, per_day: 0 },
      { day: 3, per_day: 1 },
    ],
  })
  made.linkedAt = time.clock.now() - 4 * DAY
  made.step = -3 * DAY
  const { put, reasons } = await run()
  await put('5511900000001')
  time.advance(2 * SECOND)
  await until(async () => (await reasons())[0]?.[1] === 'first_contact_budget', 'the first step')
  made.step = 0
  time.advance(MINUTE)
  await until(() => sent.length === 1, 'the second step')
})

test('many held messages ask for the budgets once, and keep their reason while more is learned about their people', async (t) => {
  const { run, time, sent, made } = await bench(t, perHour)
  const { put, reasons, safety, queue } = await run()
  await put('5511900000001')
  time.advance(2 * SECOND)
  await until(() => sent.length === 1, 'the first contact')
  const others = Array.from({ length: 60 }, (_, index) => `55119100000${String(index).padStart(2, '0')}`)
  for (const phone of others) await put(phone)
  const held = () => queue.waitingFor(['first_contact_budget']).first_contact_budget
  await until(() => held() === others.length, 'all to be held')
  made.ages = 0
  safety.peopleLearned()
  assert.equal(held(), others.length)
  for (let turn = 0; turn < 50; turn++) {
    await reasons()
    assert.equal(held(), others.length)
  }
  assert.ok(made.ages <= 3, `the age of the link was read ${made.ages} times`)
})
