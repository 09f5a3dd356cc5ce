/**
 * Tests send safety in a real queue over a real store: which messages are counted, which data survive the end of a run,
 * and how a message ages while it is held.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { WAMessage } from '@whiskeysockets/baileys'
import { HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { DEFAULT_SETTINGS, type InstanceSettings } from '../../../src/domain/instance.ts'
import { mayStopAges } from '../../../src/domain/send-safety.ts'
import type { Delivery } from '../../../src/features/webhook-payloads.ts'
import { createTally } from '../../../src/metrics/tally.ts'
import { createAccountDirectory } from '../../../workers/shard/directory/account-directory.ts'
import { type Queue, resultOf, type SendItem } from '../../../workers/shard/queue/contract.ts'
import { createQueue } from '../../../workers/shard/queue/queue.ts'
import { createSendSafety } from '../../../workers/shard/queue/safety/send-safety.ts'
import { createToldBudgets } from '../../../workers/shard/queue/safety/told-budgets.ts'
import { INSTANCE, manualTime, recordingLog, sealer, tempStore, until } from '../storage/fixtures.ts'

const jidOf = (phone: string) => `${phone}@s.whatsapp.net`
const accepted = resultOf({ status: 'sent' })
type UsedUp = Delivery['used_up_budgets']
const OPTIONS = { unarchives: false, fromApi: true }

async function bench(t: TestContext, settings: Partial<InstanceSettings>) {
  const store = await tempStore(t)
  const time = manualTime()
  const log = recordingLog()
  const sent: string[] = []
  /** The used-up budgets that committed events told, in all runs. */
  const told: UsedUp[] = []
  const made = {
    isTold: true,
    settings: { ...DEFAULT_SETTINGS, delay_message_min_ms: 0, delay_message_max_ms: 0, ...settings },
    log,
  }

  /** Starts one run of the process. `end`: the step of a send after which the run ends, as by a kill. */
  async function run(end?: 'leaving' | 'relayed' | 'settled') {
    let isOver = false
    const directory = createAccountDirectory({ id: INSTANCE, store, sealer, log }, { own: () => [] })
    await directory.ready()
    const safety = createSendSafety({
      clock: time.clock,
      steady: time.clock,
      settings: () => made.settings,
      directory,
      otherName: async () => null,
      hasWritten: async () => false,
      registered: () => undefined,
      isMe: () => false,
      linkedAt: () => null,
      told: createToldBudgets({ id: INSTANCE, store, sealer, log }),
      isTold: () => made.isTold,
      onUntold: assert.ifError,
      onError: assert.ifError,
    })
    const hang = () => new Promise<never>(() => {})
    const record = (message: Partial<WAMessage['key']>) =>
      directory.record(
        { key: message, message: { conversation: 'x' }, messageTimestamp: Math.floor(time.clock.now() / SECOND) },
        { ...OPTIONS, now: time.clock.now() },
      )

    async function send({ messageId, phone, operation }: SendItem) {
      await safety.leaving(jidOf(phone), operation)
      if (end === 'leaving') return hang()
      // This flush stands for the commit of the keys, which also contains the changes of the directory.
      await directory.flush()
      sent.push(phone)
      if (end === 'relayed') return hang()
      record({ remoteJid: jidOf(phone), id: messageId, fromMe: true })
      await directory.flush()
      return safety.withUsedUp(accepted, queue)
    }

    /** The budgets of an event, by its id, until its commit. */
    const appended = new Map<string, UsedUp>()
    const queue: Queue = createQueue({
      instanceId: INSTANCE,
      store,
      sealer,
      clock: time.clock,
      steady: time.clock,
      hasWritten: async () => false,
      policies: safety.policies,
      stopsAges: () => mayStopAges(made.settings),
      timer: (ms, call) => time.timer(ms, () => !isOver && call()),
      random: () => 0.5,
      isOpen: () => true,
      settings: () => made.settings,
      events: {
        wanted: () => true,
        append(event) {
          const { svc_id, used_up_budgets } = event.body as Delivery
          appended.set(svc_id, used_up_budgets)
          return { eventId: svc_id, ops: [] }
        },
        committed: (eventId) => void told.push(appended.get(eventId)),
        noted: () => [],
      },
      steps: (step) => (step === 'queue:settled' && end === 'settled' ? hang() : undefined),
      log,
      tally: createTally(),
      announce() {},
      send,
    })
    await queue.start()
    queue.setConnected(true)
    t.after(() => queue.stop(0))
    return {
      queue,
      safety,
      async put(phone: string) {
        const messageId = `3EB0${phone}${Math.random().toString(16).slice(2)}`
        const request = { operation: 'send.sendText', phone, input: {}, preview: null, delayMessage: null, delayTyping: 0 }
        await queue.enqueue({ messageId, ...request })
      },
      /** Records that the person answers. */
      heard(phone: string) {
        record({ remoteJid: jidOf(phone), id: `A${Math.random()}`, fromMe: false })
        safety.heard(jidOf(phone))
      },
      reasons: async () => (await queue.list({ page: 1, pageSize: 99 })).data.map((item) => [item.phone, item.waiting_reason]),
      kill() {
        isOver = true
        queue.setConnected(false)
      },
    }
  }
  return { run, time, sent, made, told: () => told.flatMap((budgets) => budgets ?? []) }
}

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
    // A contact whose commit was not made is counted when its message is sent again.
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
  const { run, time, sent, made } = await bench(t, { ...perHour, queue_max_age_hours: 1 })
  /**
   * Advances the clock minute by minute until this number of items is left. Every minute the queue checks the age of
   * its items, and the store gets time for its commits.
   */
  async function minutesUntil({ reasons }: Awaited<ReturnType<typeof run>>, left: number) {
    for (let minutes = 0; minutes < 600; minutes++) {
      if ((await reasons()).length === left) return minutes
      time.advance(MINUTE)
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    return assert.fail(`${(await reasons()).length} items are left`)
  }
  const first = await run()
  for (const phone of FOUR) await first.put(phone)
  await minutesUntil(first, 2)
  first.kill()
  time.advance(10 * MINUTE)
  const next = await run()
  await minutesUntil(next, 0)
  assert.deepEqual(sent, FOUR)
  made.settings = { ...made.settings, pause_after_unanswered: 1 }
  await next.put('5511900000001')
  await until(async () => (await next.reasons())[0]?.[1] === 'unanswered', 'the pause')
  assert.ok((await minutesUntil(next, 0)) >= 60)
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
    onError: assert.ifError,
  })
  const item = { svcId: '1', phone: '5511900000001', operation: 'send.sendText', referenceMessageId: null } as never
  for (const policy of safety.policies(() => false)) assert.equal(policy.holding(item), undefined)
  await safety.leaving(jidOf('5511900000001'), 'send.sendText')
  assert.equal(await safety.withUsedUp(accepted, { waitingFor: () => assert.fail() }), accepted)
  safety.heard(jidOf('5511900000001'))
  safety.peopleLearned()
})
