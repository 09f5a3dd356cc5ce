import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import type { WebhookSettings } from '../../../src/domain/instance.ts'
import type { LogEntry } from '../../../src/domain/webhook-log.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { logReader } from '../../../src/webhooks/log-reader.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../../workers/shard/webhooks/outbox.ts'
import { amount } from '../../harness/amount.ts'
import { textEvent } from '../../harness/received-event.ts'
import { INSTANCE, manualTime, recordingLog, sealer, tempStore, until, webhookSettings } from '../storage/fixtures.ts'
import { localDelivery, outboxOptions } from './outbox-options.ts'
import { receiver } from './receiver.ts'

async function bench(t: TestContext, settings: WebhookSettings) {
  const store = await tempStore(t)
  const time = manualTime()
  const log = recordingLog()
  const { deliver, close } = localDelivery(time)
  t.after(close)
  const reader = logReader(store, () => sealer)
  const made = {
    store,
    time,
    log,
    settings,
    outbox: undefined as unknown as Outbox,
    /** Whether the outbox hangs, as if the process had been killed. `pass` then opens a new outbox. */
    hasDied: () => false,
    async open(change: Partial<OutboxOptions> = {}) {
      await made.outbox?.stop(0)
      const varying = { webhooks: () => made.settings, deliver, log, maxUnwritten: 1, ...change }
      made.outbox = createOutbox(outboxOptions(store, time, varying))
      await made.outbox.start()
    },
    async add(text: string, type: 'received' | 'delivery' = 'received', phone = '5511988880001') {
      const event = textEvent(text, time.clock.now(), { phone })
      const { eventId, ops } = made.outbox.append(type === 'received' ? event : ({ ...event, type } as never))
      await store.commit({ ops })
      made.outbox.committed(eventId)
      return eventId
    },
    async pass(ms: number) {
      const end = time.clock.now() + ms
      for (;;) {
        await until(() => made.hasDied() || time.nextIn() < Number.POSITIVE_INFINITY, 'the end of what is under way', 120_000)
        if (made.hasDied()) await made.open()
        const left = end - time.clock.now()
        if (left <= 0) return
        time.advance(Math.min(left, Math.max(1, time.nextIn())))
      }
    },
    async entries(): Promise<LogEntry[]> {
      const all: LogEntry[] = []
      for (let page = 1; ; page++) {
        const { data, total } = await reader.list({ instanceIds: [INSTANCE], page, pageSize: 500 })
        all.push(...data)
        if (all.length >= total) return all.toReversed()
      }
    },
  }
  t.after(() => made.outbox?.stop(0))
  await made.open()
  return made
}

const texts = (received: { json: Record<string, unknown> }[]) => received.map(({ json }) => json.message_id as string)
const firstOf = (all: string[]) => [...new Set(all)]

/** Starts a receiver that records the message ids of all requests, and separately those of accepted requests. */
async function leaving(t: TestContext, { isAway }: { isAway: boolean }) {
  const state = { isAway, taken: [] as string[], tried: [] as string[] }
  const { url } = await receiver(t, ({ json }) => {
    state.tried.push(json.message_id as string)
    if (state.isAway) return 503
    state.taken.push(json.message_id as string)
    return 200
  })
  return Object.assign(state, { url })
}

const OUTAGES = [
  ['2 minutes', 2 * MINUTE],
  ['1 hour', HOUR],
  ['6 hours', 6 * HOUR],
] as const

for (const [name, outage] of amount(OUTAGES, OUTAGES.slice(1, 2))) {
  test(`after ${name} away 600 events of 20 chats come in order, within a minute, and none was given up`, async (t) => {
    const to = await leaving(t, { isAway: false })
    const { taken, tried } = to
    const b = await bench(t, webhookSettings(to.url))
    const order: string[] = []
    const add = async (n: number) => {
      order.push(`m${n}`)
      await b.add(`m${n}`, 'received', `55119888800${String(n % 20).padStart(2, '0')}`)
    }
    await add(-1)
    await until(() => taken.length === 1, 'the one before')
    to.isAway = true
    for (let n = 0; n < 600; n++) {
      await add(n)
      await b.pass(outage / 600)
    }
    assert.equal(taken.length, 1)
    const probes = tried.length - 1
    assert.ok(probes <= outage / MINUTE + 10, `${probes} tries in ${name}: the head alone is tried`)
    assert.ok(probes >= outage / MINUTE - 1, `${probes} tries in ${name}: at least every minute`)
    assert.deepEqual(firstOf(tried.slice(1)), ['m0', 'm1'], 'the others keep their attempts')
    to.isAway = false
    const back = b.time.clock.now()
    while (taken.length < 601) {
      assert.ok(b.time.clock.now() - back <= MINUTE, `${taken.length} of 601 after a minute`)
      await b.pass(SECOND)
    }
    assert.deepEqual(taken, order)
    await b.time.idle()
    assert.ok((await b.entries()).every(({ status }) => status === 'delivered'))
  })
}

for (const [name, away] of [
  ['answers 429', 429],
  ['answers 502', 502],
  ['answers 504', 504],
] as const) {
  test(`a receiver that ${name} is away`, async (t) => {
    let answer: number = away
    const to = await receiver(t, () => answer)
    const b = await bench(t, webhookSettings(to.url))
    for (const text of ['a', 'b', 'c', 'd']) await b.add(text)
    await b.pass(5 * SECOND)
    assert.deepEqual(texts(to.received), ['a', 'b'])
    answer = 200
    await b.pass(6 * SECOND)
    assert.deepEqual(texts(to.received), ['a', 'b', 'a', 'b', 'c', 'd'])
  })
}

test('a receiver that is not there is away, until it listens again', async (t) => {
  const to = await receiver(t)
  to.server.closeAllConnections()
  await new Promise((resolve) => to.server.close(resolve))
  const b = await bench(t, webhookSettings(to.url))
  for (const text of ['a', 'b', 'c']) await b.add(text)
  await b.pass(3 * MINUTE)
  assert.deepEqual(
    (await b.entries()).map(({ attempts, last_error }) => [attempts > 0, last_error]),
    [
      [true, 'refused'],
      [true, 'refused'],
      [false, null],
    ],
  )
  await new Promise<void>((resolve) => to.server.listen(to.port, '127.0.0.1', resolve))
  await b.pass(MINUTE)
  assert.deepEqual(texts(to.received), ['a', 'b', 'c'])
})

test('an event that the receiver alone refuses is parked and holds nobody up, during an outage, too', async (t) => {
  let isAway = false
  const to = await receiver(t, ({ json }) => (json.message_id === 'bad' ? 400 : isAway ? 503 : 200))
  const b = await bench(t, webhookSettings(to.url))
  for (const text of ['bad', 'a', 'b']) await b.add(text)
  await b.pass(SECOND)
  assert.deepEqual(texts(to.received), ['bad', 'a', 'b'])
  isAway = true
  for (const text of ['c', 'd', 'e']) await b.add(text)
  // The refused event is tried again during the outage. It is the oldest event, so its answer shows when the receiver
  // is up again.
  await b.pass(30 * SECOND)
  isAway = false
  await b.pass(2 * MINUTE)
  const taken = (await b.entries()).map(({ status }) => status)
  assert.deepEqual(taken, ['pending', 'delivered', 'delivered', 'delivered', 'delivered', 'delivered'])
  assert.deepEqual(firstOf(texts(to.received)), ['bad', 'a', 'b', 'c', 'd', 'e'])
})

test('one event that fails again and again does not make the others wait', async (t) => {
  const to = await receiver(t, ({ json }) => (json.message_id === 'bad' ? 503 : 200))
  const b = await bench(t, webhookSettings(to.url))
  await b.add('bad')
  await b.pass(MINUTE)
  assert.ok(to.received.length > 1, `${to.received.length} attempts`)
  await b.add('a')
  await b.pass(SECOND)
  assert.deepEqual(firstOf(texts(to.received)), ['bad', 'a'])
})

test('the line of one URL waits, the others go on', async (t) => {
  const gone = await receiver(t, () => 503)
  const there = await receiver(t)
  const b = await bench(t, webhookSettings(gone.url, { delivery_url: there.url }))
  for (let n = 0; n < 700; n++) await b.add(`r${n}`)
  for (let n = 0; n < 5; n++) {
    await b.add(`d${n}`, 'delivery')
    await b.add(`r7${n}`)
  }
  await until(() => there.received.length === 5, 'those of the other')
  assert.deepEqual(texts(there.received), ['d0', 'd1', 'd2', 'd3', 'd4'])
  assert.deepEqual(texts(gone.received), ['r0', 'r1'])
  // The change of settings makes the outbox check all events again. There are more events than it handles in one turn
  // of the event loop.
  b.settings = { ...b.settings }
  b.outbox.configured()
  await b.add('d5', 'delivery')
  await until(() => there.received.length === 6, 'the next of the other')
  assert.deepEqual(texts(gone.received), ['r0', 'r1'])
})

test('an event that was posted is not posted again by a read that precedes the commit of its outcome', async (t) => {
  const gone = await receiver(t, () => 503)
  const there = await receiver(t)
  const b = await bench(t, webhookSettings(gone.url, { delivery_url: there.url }))
  let reads = 0
  const range: typeof b.store.range = (prefix, options) => {
    if (prefix === keys.outbox(INSTANCE)) reads++
    return b.store.range(prefix, options)
  }
  await b.open({ maxUnwritten: 64, store: { ...b.store, range } })
  for (const text of ['a', 'b', 'c']) await b.add(text)
  await until(() => gone.received.length === 2, 'the hold')
  for (const text of ['d', 'e', 'f']) await b.add(text, 'delivery')
  await until(() => there.received.length === 3, 'those of the other')
  // The outbox reads its queue again, from the first event that had to wait.
  const before = reads
  b.settings = { ...b.settings }
  b.outbox.configured()
  await until(() => reads > before, 'the read')
  await b.pass(SECOND)
  assert.deepEqual(texts(there.received), ['d', 'e', 'f'])
})

test('a corrected URL counts at once for what waits, in order; a type that is switched off fails it and says so', async (t) => {
  const gone = await receiver(t, () => 503)
  const there = await receiver(t)
  const b = await bench(t, webhookSettings(gone.url))
  for (const text of ['a', 'b', 'c']) await b.add(text)
  await b.pass(SECOND)
  b.settings = webhookSettings(there.url)
  b.outbox.configured()
  await until(() => there.received.length === 3, 'all three')
  assert.deepEqual(texts(there.received), ['a', 'b', 'c'])

  b.settings = webhookSettings(gone.url)
  for (const text of ['d', 'e', 'f']) await b.add(text)
  await b.pass(SECOND)
  b.settings = webhookSettings(null)
  b.outbox.configured()
  await until(async () => (await b.entries()).slice(3).every(({ status }) => status === 'failed'), 'given up')
  assert.deepEqual(
    (await b.entries()).slice(3).map(({ last_error, resendable }) => [last_error, resendable]),
    Array.from({ length: 3 }, () => ['switched off', true]),
  )
  // The outbox first records that an event has ended, and then subtracts it from the backlog. So the test waits for
  // the backlog.
  await until(() => b.outbox.backlog() === 0, 'nothing that waits')
})

test('what is silenced was decided when the event happened: what waits goes out', async (t) => {
  let answer = 503
  const to = await receiver(t, () => answer)
  const b = await bench(t, webhookSettings(to.url))
  for (const text of ['a', 'b', 'c']) await b.add(text)
  await b.pass(SECOND)
  b.settings = webhookSettings(to.url, { ignore_received_callback: true, ignore_text: true })
  assert.equal(b.outbox.wanted('received'), false)
  answer = 200
  await b.pass(MINUTE)
  assert.deepEqual(firstOf(texts(to.received)), ['a', 'b', 'c'])
  assert.ok((await b.entries()).every(({ status }) => status === 'delivered'))
})

/** Length of the longest outage in hours. The receiver is tried every minute of it. */
const HOURS = amount(60, 24)
/** Time from the first attempt at an event to its last one. */
const SCHEDULE = 7 * HOUR + 11 * MINUTE + 10 * SECOND

test(`${HOURS} hours away: those that were tried end with their schedule, those that never were are all delivered`, async (t) => {
  let isAway = true
  const to = await receiver(t, () => (isAway ? 503 : 200))
  const b = await bench(t, webhookSettings(to.url))
  for (let n = 0; n < HOURS; n++) {
    await b.add(`m${n}`)
    await b.pass(HOUR)
  }
  const failed = (await b.entries()).filter(({ status }) => status === 'failed')
  assert.ok(failed.length > 0)
  // Each failed event has taken a whole retry schedule, one after the other. So at most this many can have failed.
  assert.ok(failed.length <= (HOURS * HOUR) / SCHEDULE, `${failed.length} were given up`)
  for (const { attempts, created_at, finished_at } of failed) {
    assert.ok(attempts >= 6)
    assert.ok(Date.parse(finished_at!) - Date.parse(created_at) >= SCHEDULE)
  }
  isAway = false
  to.received.length = 0
  await b.pass(MINUTE)
  assert.deepEqual(
    texts(to.received),
    Array.from({ length: HOURS - failed.length }, (_, n) => `m${n + failed.length}`),
  )
  await until(() => b.outbox.backlog() === 0, 'nothing that waits')
})

const STEPS = Array.from({ length: 30 }, (_, index) => index + 1)
/** Every third step, and the steps before and after a request to the receiver that is back. */
const MAIN_STEPS = [1, 4, 7, 10, 13, 16, 19, 22, 25, 26, 27, 28, 30]

test('a restart between any two steps of an outage changes neither the order nor what arrives', async (t) => {
  for (const at of amount(STEPS, MAIN_STEPS)) {
    const to = await leaving(t, { isAway: true })
    const { taken, tried } = to
    const b = await bench(t, webhookSettings(to.url))
    let steps = 0
    let isDead = false
    b.hasDied = () => isDead
    await b.open({
      steps() {
        if (++steps !== at) return
        isDead = true
        return new Promise(() => {})
      },
    })
    const opened = b.open
    b.open = async () => {
      isDead = false
      await opened()
    }
    for (const text of ['a', 'b', 'c', 'd']) await b.add(text)
    await b.pass(20 * SECOND)
    await b.add('e')
    await b.pass(3 * MINUTE)
    to.isAway = false
    await b.pass(3 * MINUTE)
    assert.deepEqual(firstOf(tried), ['a', 'b', 'c', 'd', 'e'], `first attempts, killed at step ${at}`)
    assert.deepEqual(firstOf(taken).toSorted(), ['a', 'b', 'c', 'd', 'e'], `killed at step ${at}`)
    assert.deepEqual(
      (await b.entries()).map(({ status }) => status),
      Array(5).fill('delivered'),
      `killed at step ${at}`,
    )
    await until(() => b.outbox.backlog() === 0, 'nothing that waits')
    await b.outbox.stop(0)
  }
})

test('beyond the bound the oldest that waits is given up, counted, and said once a minute', async (t) => {
  const to = await receiver(t, ({ json }) => ((json.message_id as string).startsWith('bad') ? 400 : 503))
  const b = await bench(t, webhookSettings(to.url))
  const given: string[] = []
  await b.open({ maxWaiting: 5, onOverflow: (type) => given.push(type) })
  const ids: string[] = []
  for (const text of ['bad 0', 'bad 1', 'c', 'd', 'e', 'f', 'g', 'h']) {
    ids.push(await b.add(text))
    await b.pass(1)
  }
  await until(() => given.length === 3, 'three given up')
  const all = await b.entries()
  assert.deepEqual(
    all.map(({ status, last_error, resendable }) => [status, last_error, resendable]).slice(0, 3),
    Array.from({ length: 3 }, () => ['failed', 'backlog full', false]),
  )
  assert.ok(all.slice(3).every(({ status, resendable }) => status === 'pending' && resendable))
  assert.equal(b.outbox.backlog(), 5)
  const said = () => b.log.lines.filter(({ message }) => message.includes('too many webhook events')).length
  assert.equal(said(), 1)
  await b.pass(MINUTE)
  await b.add('i')
  await until(() => given.length === 4, 'one more')
  assert.equal(said(), 2)
  const left: string[] = []
  for await (const [key] of b.store.range(keys.instance(INSTANCE))) left.push(key.split(':')[2]!)
  assert.equal(left.filter((name) => name === 'outbox' || name === 'parked').length, 5, 'their bodies are gone')
})
