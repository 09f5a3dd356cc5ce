import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import Stripe from 'stripe'
import { ulid } from 'ulid'
import { HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import type { WebhookSettings } from '../../../src/domain/instance.ts'
import type { Step } from '../../../src/domain/steps.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import type { LogEntry, LogFilter } from '../../../src/domain/webhook-log.ts'
import type { OpenStore } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { type LogRow, logRows } from '../../../src/webhooks/log.ts'
import { logReader } from '../../../src/webhooks/log-reader.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../../workers/shard/webhooks/outbox.ts'
import { textEvent } from '../../harness/received-event.ts'
import { INSTANCE, manualTime, recordingLog, START, sealer, tempStore, until, webhookSettings } from '../storage/fixtures.ts'
import { localDelivery, outboxOptions } from './outbox-options.ts'
import { receiver } from './receiver.ts'

const event = (text: string) => textEvent(text, START)

interface Bench {
  store: OpenStore
  time: ReturnType<typeof manualTime>
  settings: WebhookSettings
  log: ReturnType<typeof recordingLog>
  open(change?: Partial<OutboxOptions>): Promise<Outbox>
  add(outbox: Outbox, ...texts: string[]): Promise<string[]>
  entries(): Promise<LogEntry[]>
  /**
   * Returns the keys that are left in the store. It leaves out the record with the time of a chat's last event, because
   * a delivery does not remove this record.
   */
  keysLeft(): Promise<string[]>
  exhaust(): Promise<void>
}

async function bench(t: TestContext, url: string | null): Promise<Bench> {
  const store = await tempStore(t)
  const time = manualTime()
  const log = recordingLog()
  const made: Bench = {
    store,
    time,
    log,
    settings: webhookSettings(url),
    async open(change = {}) {
      const { deliver, close } = localDelivery(time)
      const varying = { webhooks: () => made.settings, deliver, log, ...change }
      // Each result is written before the next event is sent. Other tests cover results that are written later.
      const outbox = createOutbox(outboxOptions(store, time, { maxUnwritten: 1, ...varying }))
      t.after(async () => {
        await outbox.stop(0)
        await close()
      })
      await outbox.start()
      return outbox
    },
    async add(outbox, ...texts) {
      const found: string[] = []
      for (const text of texts) {
        const { eventId, ops } = outbox.append(event(text))
        await store.commit({ ops })
        found.push(eventId)
      }
      for (const eventId of found) outbox.committed(eventId)
      return found
    },
    entries: async () =>
      (await logReader(store, () => sealer).list({ instanceIds: [INSTANCE], page: 1, pageSize: 100 })).data.toReversed(),
    async exhaust() {
      const next = async () =>
        (await made.entries()).filter(({ status }) => status === 'pending').map((entry) => entry.next_attempt_at)
      for (let waiting = await next(); waiting.length > 0; waiting = await next()) {
        const later = (at: string | null) => at !== null && Date.parse(at) > time.clock.now()
        await until(async () => (await next()).every(later), 'tries that are due')
        const [soonest] = (await next()).map((at) => Date.parse(at!)).toSorted((a, b) => a - b)
        if (soonest !== undefined) time.advance(soonest - time.clock.now())
      }
    },
    async keysLeft() {
      const left: string[] = []
      for await (const [key] of store.range(keys.instance(INSTANCE))) left.push(key.split(':')[2]!)
      return left.filter((name) => name !== 'momment')
    },
  }
  return made
}

const statuses = async (b: Bench) => (await b.entries()).map(({ status }) => status)

test('events arrive in order, signed, once each, and leave nothing behind but their log', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, `${to.url}/hook?token=s3cret`)
  const outbox = await b.open()
  const ids = await b.add(outbox, 'one', 'two', 'three')
  await until(async () => (await statuses(b)).every((status) => status === 'delivered'), 'all delivered')
  assert.deepEqual(to.ids(), ids)
  assert.deepEqual(ids, ids.toSorted())

  const [first] = to.received
  assert.equal(
    first!.body.toString(),
    `{"type":"received","event_id":"${ids[0]}","instance_id":"${INSTANCE}","momment":${START},${JSON.stringify(event('one').body).slice(1)}`,
  )
  const {
    host,
    connection,
    'content-length': length,
    'x-svc-signature': signed,
    'webhook-signature': _,
    ...headers
  } = first!.headers
  assert.deepEqual(headers, {
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhook/1.0',
    'x-svc-event': 'received',
    'x-svc-event-id': ids[0],
    'x-svc-instance-id': INSTANCE,
    'x-svc-attempt': '1',
    'webhook-id': ids[0],
    'webhook-timestamp': String(START / 1_000),
  })
  const { webhooks } = new Stripe('sk_test_x')
  const signature = signed as string
  assert.equal(signature.startsWith(`t=${START / 1_000},v1=`), true)
  // The clock of the test does not show the real time. So the receiver accepts a signature of any age.
  webhooks.constructEvent(first!.body, signature, b.settings.secret, Number.MAX_SAFE_INTEGER)
  assert.throws(() => webhooks.constructEvent(`${first!.body} `, signature, b.settings.secret, Number.MAX_SAFE_INTEGER))

  const entry = (await b.entries())[0]!
  assert.equal(entry.url, `${to.url}/hook?token=***`)
  assert.deepEqual([entry.attempts, entry.last_response_code, entry.last_error, entry.resendable], [1, 200, null, false])
  assert.deepEqual(new Set(await b.keysLeft()), new Set(['log', 'log-ended']))
})

const HTML = '<script>window.hacked=1</script>\u202e\u0000'
/** Answers of a receiver: their bytes, their type, and the text that the log must show. */
const ANSWERS: readonly (readonly [name: string, bytes: Uint8Array, type: string, shown: string | null])[] = [
  ['nothing', Buffer.alloc(0), 'text/plain', null],
  ['markup and control characters', Buffer.from(HTML), 'text/html', HTML],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0xfd, 0x41]), 'image/png; charset="none such"', '\ufffd\ufffd\ufffdA'],
  ['another charset', Buffer.from('S\xe3o Paulo', 'latin1'), 'text/plain; charset=ISO-8859-1', 'S\xe3o Paulo'],
  ['more than is kept', Buffer.from(`${'a'.repeat(2_047)}\u20ac and so on`), 'text/plain', 'a'.repeat(2_047)],
  [
    'the URL, in many words',
    Buffer.from(`?k=s3cret&n=1 s3cret 1${'\u{1f600}'.repeat(300)}`),
    '',
    `?k=***&n=*** *** 1${'\u{1f600}'.repeat(238)}`,
  ],
]

test('each attempt keeps how the receiver answered until the body is erased, and the delivery a short part of its answer', async (t) => {
  let at = 0
  const to = await receiver(t, () => (response) => {
    const [, bytes, type] = ANSWERS[at++]!
    response.writeHead(at < ANSWERS.length ? 422 : 200, { 'content-type': type }).end(bytes)
  })
  const b = await bench(t, `${to.url}/?k=s3cret&n=1`)
  const outbox = await b.open()
  const [id] = await b.add(outbox, 'one')
  const shown = async () => (await outbox.detail(id!)).attempts.map(({ receiver_answer }) => receiver_answer)
  const found = async (q: string, among?: LogFilter['among']) =>
    (await logReader(b.store, () => sealer).list({ instanceIds: [INSTANCE], page: 1, pageSize: 10, q, among })).total
  const sought = ['WINDOW.hacked', 'são paulo', '5511988880001', 'status 422', 'http 422', 'text', 'no such text']
  for (const delay of [10 * SECOND, MINUTE, 10 * MINUTE, HOUR]) {
    await b.time.armed(Math.min(delay, HOUR))
    b.time.advance(delay)
  }
  await b.time.armed(HOUR)
  const answers = ANSWERS.map(([, , , answer]) => answer)
  assert.deepEqual(await shown(), answers.slice(0, -1))
  assert.deepEqual(await Promise.all(sought.map((q) => found(q))), [1, 1, 1, 1, 1, 1, 0])
  const known = { answers: false, people: false }
  assert.deepEqual(await Promise.all(sought.map((q) => found(q, known))), [0, 0, 0, 1, 1, 1, 0])
  b.time.advance(6 * HOUR)
  await until(async () => (await statuses(b))[0] === 'delivered', 'delivered')
  assert.deepEqual(await shown(), [null, null, null, null, null, answers.at(-1)])
  assert.equal((await b.entries())[0]!.last_response_body, answers.at(-1))
  assert.deepEqual(await Promise.all(sought.map((q) => found(q))), [0, 0, 1, 1, 1, 1, 0])
})

test('a search reads five thousand rows, and says from where to go on', async (t) => {
  const store = await tempStore(t)
  const row: LogRow = {
    type: 'received',
    url: 'https://example.com/hook',
    status: 'delivered',
    attempts: 1,
    tries: 1,
    body: 'erased',
    dueAt: null,
    code: 200,
    error: null,
    durationMs: 1,
    createdAt: START,
    finishedAt: START,
    failures: [],
  }
  const rowAt = (at: number, about: string) =>
    logRows(sealer).encode(keys.logEntry(INSTANCE, ulid(START + at)), { ...row, about: [about, null, 'text'] })
  const ops = Array.from({ length: 5_000 }, (_, at) => rowAt(at + 1, 'somebody'))
  await store.commit({ ops: [rowAt(0, 'sought'), ...ops] })
  const search = async (to?: number) => {
    const { total, searched_to } = await logReader(store, () => sealer).list({
      instanceIds: [INSTANCE],
      page: 1,
      pageSize: 10,
      q: 'sought',
      to,
    })
    return [total, searched_to]
  }
  assert.deepEqual(await search(), [0, new Date(START + 1).toISOString()])
  assert.deepEqual(await search(START + 1), [1, null])
})

test('an event that is taken without a word has no field for the answer', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const [id] = await b.add(await b.open(), 'one')
  await until(async () => (await statuses(b))[0] === 'delivered', 'delivered')
  const key = keys.logEntry(INSTANCE, id!)
  const row = JSON.parse(sealer.open(key, (await b.store.get(key))!).toString())
  assert.deepEqual([row.failures, 'answer' in row, row.about], [[], false, ['5511988880001', 'one', 'text']])
})

test('in single-URL mode every event says so', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  b.settings = webhookSettings(to.url, { message_status_url: to.url, instance_status_url: to.url, chat_presence_url: to.url })
  const outbox = await b.open()
  await b.add(outbox, 'one')
  await until(() => to.received.length === 1, 'the event')
  assert.deepEqual(Object.keys(to.received[0]!.json).slice(0, 5), ['type', 'event_id', 'instance_id', 'momment', 'single_url'])
})

// An earlier bug: the log lines about the events of a busy account needed as much CPU time as the webhook requests
// themselves.
test('what is taken at once is logged for debugging; what had failed, or tells of a request, for everybody', async (t) => {
  let answer = 200
  const to = await receiver(t, () => answer)
  const b = await bench(t, to.url)
  const outbox = await b.open()
  const levels = () => b.log.lines.filter(({ message }) => message === 'webhook delivered').map(({ level }) => level)
  await b.add(outbox, 'a')
  await until(() => levels().length === 1, 'the first')
  const { eventId, ops } = outbox.append(event('b'), 'the-request')
  await b.store.commit({ ops })
  outbox.committed(eventId)
  await until(() => levels().length === 2, 'that of a request')
  answer = 500
  await b.add(outbox, 'c')
  await b.time.armed(10 * SECOND)
  answer = 200
  b.time.advance(10 * SECOND)
  await until(() => levels().length === 3, 'the third')
  assert.deepEqual(levels(), ['debug', 'info', 'info'])
})

test('a type without URL, or silenced, is not wanted', async (t) => {
  const b = await bench(t, 'https://example.com/hook')
  const outbox = await b.open()
  assert.equal(outbox.wanted('received'), true)
  assert.equal(outbox.wanted('chat_presence'), false)
  b.settings = { ...b.settings, ignore_received_callback: true }
  assert.equal(outbox.wanted('received'), false)
})

test('a failed event is parked, the next ones go on, and its tries follow the schedule with the same bytes', async (t) => {
  // In the log, each of these bytes becomes a character of three bytes. So only two of the answers fit into the log
  // row.
  const refused = (response: ServerResponse) => response.writeHead(500).end(Buffer.alloc(2_048, 0xff))
  const to = await receiver(t, ({ json }) => (json.message_id === 'bad' ? refused : 200))
  const b = await bench(t, to.url)
  const outbox = await b.open()
  const [bad] = await b.add(outbox, 'bad', 'good 1', 'good 2')
  await until(() => to.received.length === 3, 'the first three')
  assert.deepEqual(
    to.received.map(({ json }) => json.message_id),
    ['bad', 'good 1', 'good 2'],
  )

  const delays = [10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]
  assert.equal(
    delays.reduce((sum, delay) => sum + delay),
    7 * HOUR + 11 * MINUTE + 10 * SECOND,
  )
  for (const [index, delay] of delays.entries()) {
    await b.time.armed(Math.min(delay, HOUR))
    const entry = (await b.entries())[0]!
    assert.deepEqual([entry.status, entry.attempts, entry.last_error], ['pending', index + 1, 'status 500'])
    assert.equal(Date.parse(entry.next_attempt_at!), b.time.clock.now() + delay)
    b.time.advance(delay - 1)
    // The retry is due in 1 ms. Since the last attempt, nothing but the hourly check may have run.
    await b.time.armed(1)
    assert.equal(to.received.length, 3 + index)
    b.time.advance(1)
    await until(() => to.received.length === 4 + index, `try ${index + 2}`)
    assert.equal(to.received.at(-1)!.headers['x-svc-attempt'], String(index + 2))
    assert.deepEqual(to.received.at(-1)!.body, to.received[0]!.body)
    assert.notEqual(to.received.at(-1)!.headers['x-svc-signature'], to.received[0]!.headers['x-svc-signature'])
  }
  await until(async () => (await statuses(b))[0] === 'failed', 'the end')
  const entry = (await b.entries())[0]!
  assert.deepEqual([entry.id, entry.attempts, entry.next_attempt_at, entry.resendable], [bad, 6, null, true])
  assert.equal(Date.parse(entry.finished_at!), START + 7 * HOUR + 11 * MINUTE + 10 * SECOND)
  const lengths = async () => (await outbox.detail(bad!)).attempts.map(({ receiver_answer }) => receiver_answer?.length ?? 0)
  assert.deepEqual(await lengths(), [0, 0, 0, 0, 2_048, 2_048])

  // The body of the event is kept (encrypted) for 72 hours.
  for (let hours = 0; hours < 72; hours++) {
    await b.time.armed(HOUR)
    b.time.advance(HOUR)
  }
  await until(async () => !(await b.entries())[0]!.resendable, 'erased')
  assert.deepEqual(await lengths(), [0, 0, 0, 0, 0, 0])
  assert.deepEqual(new Set(await b.keysLeft()), new Set(['log', 'log-ended']))
  assert.equal(to.received.length, 8)
})

test('a try whose moment has come goes before events that came after that moment, and after those that came before', async (t) => {
  let down = true
  const to = await receiver(t, () => (down ? 503 : 200))
  const b = await bench(t, to.url)
  const outbox = await b.open()
  await b.add(outbox, 'a')
  await b.time.armed(10 * SECOND)
  await outbox.stop(0)
  down = false
  const later = await b.open({ steps: () => new Promise(() => {}) })
  b.time.advance(9 * SECOND)
  await b.add(later, 'b')
  b.time.advance(2 * SECOND)
  await b.add(later, 'c')
  await b.open()
  await until(() => to.received.length === 4, 'all')
  assert.deepEqual(
    to.received.map(({ json }) => json.message_id),
    ['a', 'b', 'a', 'c'],
  )
})

test('after a restart in the middle everything left arrives, in order, parked ones at their time', async (t) => {
  let broken = true
  const to = await receiver(t, ({ json }) => (broken && json.message_id === 'a' ? 500 : 200))
  const b = await bench(t, to.url)
  let seen = 0
  const first = await b.open({
    steps: (step) => (step === 'outbox:before-post' && ++seen > 2 ? new Promise(() => {}) : undefined),
  })
  const ids = await b.add(first, 'a', 'b', 'c', 'd')
  // The first outbox hangs before its third request, as if the process had been killed there.
  await until(() => seen === 3, 'the hang')
  broken = false
  const second = await b.open()
  await until(() => to.received.length === 4, 'the rest')
  const [next] = await b.add(second, 'e')
  assert.ok(next! > ids.at(-1)!)
  await until(() => to.received.length === 5, 'the new one')
  await b.time.armed(10 * SECOND)
  b.time.advance(10 * SECOND)
  await until(() => to.received.length === 6, 'the parked one')
  assert.deepEqual(
    to.received.map(({ json }) => json.message_id),
    ['a', 'b', 'c', 'd', 'e', 'a'],
  )
  await until(async () => (await statuses(b)).every((status) => status === 'delivered'), 'all delivered')
})

for (const [at, posts] of [
  ['picked', 1],
  ['before-post', 1],
  ['after-post', 2],
  ['settled', 1],
] as const) {
  test(`a kill at "${at}" loses nothing and repeats at most the attempt, with the same event id`, async (t) => {
    const to = await receiver(t)
    const b = await bench(t, to.url)
    let hung = false
    const first = await b.open({
      steps(step) {
        if (step !== `outbox:${at}`) return
        hung = true
        return new Promise(() => {})
      },
    })
    const [id] = await b.add(first, 'one')
    await until(() => hung, 'the kill')
    await b.open()
    await until(async () => (await statuses(b))[0] === 'delivered', 'delivered')
    assert.deepEqual(to.ids(), Array(posts).fill(id))
    assert.deepEqual(new Set(await b.keysLeft()), new Set(['log', 'log-ended']))
  })
}

test('an event is appended and delivered even when nobody said that it was committed, after a start', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const outbox = await b.open()
  const { ops } = outbox.append(event('silent'))
  await outbox.stop(0)
  await b.store.commit({ ops })
  await b.open()
  await until(() => to.received.length === 1, 'the event')
})

test('a corrected URL and a new secret count for waiting retries; a type switched off fails them', async (t) => {
  const wrong = await receiver(t, () => 404)
  const right = await receiver(t)
  const b = await bench(t, wrong.url)
  const outbox = await b.open()
  await b.add(outbox, 'one')
  await b.time.armed(10 * SECOND)
  b.settings = webhookSettings(right.url, { secret: 'whsec_new' })
  b.time.advance(10 * SECOND)
  await until(() => right.received.length === 1, 'the right one')
  const { body, headers } = right.received[0]!
  new Stripe('sk_test_x').webhooks.constructEvent(
    body,
    headers['x-svc-signature'] as string,
    'whsec_new',
    Number.MAX_SAFE_INTEGER,
  )

  b.settings = webhookSettings(wrong.url)
  await b.add(outbox, 'two')
  await until(async () => (await b.entries())[1]?.attempts === 1, 'the failure')
  await b.time.armed(10 * SECOND)
  b.settings = webhookSettings(null)
  b.time.advance(10 * SECOND)
  await until(async () => (await statuses(b))[1] === 'failed', 'given up')
  const entry = (await b.entries())[1]!
  assert.deepEqual([entry.resendable, entry.next_attempt_at, entry.last_error], [true, null, 'switched off'])
})

test('events that waited for a type that is switched off are recorded as failed and can be sent again', async (t) => {
  const away = await receiver(t, () => 500)
  const there = await receiver(t)
  const b = await bench(t, away.url)
  const outbox = await b.open({ maxUnwritten: 64 })
  const [parked] = await b.add(outbox, 'parked')
  await b.time.armed(10 * SECOND)
  b.settings = webhookSettings(null)
  const queued = await b.add(outbox, 'queued', 'and another')
  b.time.advance(10 * SECOND)
  await until(async () => (await statuses(b)).every((status) => status === 'failed'), 'given up')
  const all = await b.entries()
  assert.deepEqual(
    all.map(({ last_error, resendable, attempts, next_attempt_at }) => [last_error, resendable, attempts, next_attempt_at]),
    [1, 0, 0].map((attempts) => ['switched off', true, attempts, null]),
  )
  assert.equal(outbox.backlog(), 0)
  await assert.rejects(outbox.resend(parked!), { code: 'not_allowed' })

  b.settings = webhookSettings(there.url)
  assert.equal((await outbox.resend(queued[0]!)).status, 'delivered')
  assert.deepEqual(await outbox.resendMany([parked!]), { queued: 1, notFound: 0 })
  await until(async () => (await statuses(b))[0] === 'delivered', 'the parked one')
  assert.deepEqual(there.ids(), [queued[0], parked])
})

test('the body of an event that was given up because its type was switched off is erased after 72 h, also when nothing else happens', async (t) => {
  const b = await bench(t, null)
  const outbox = await b.open({ maxUnwritten: 64 })
  await b.time.armed(HOUR)
  await b.add(outbox, 'queued', 'and another')
  await until(() => outbox.backlog() === 0, 'given up')
  await b.time.armed(HOUR)
  b.time.advance(SECOND)
  await until(async () => (await statuses(b)).join() === 'failed,failed', 'written')
  b.time.advance(72 * HOUR)
  await until(async () => (await b.entries()).every(({ resendable }) => !resendable), 'erased')
  assert.deepEqual(new Set(await b.keysLeft()), new Set(['log', 'log-ended']))
})

test('a manual resend makes one attempt at once and leaves schedule and erasure as they were', async (t) => {
  let answer = 500
  const to = await receiver(t, () => answer)
  const b = await bench(t, to.url)
  const outbox = await b.open()
  const [id] = await b.add(outbox, 'one')
  await b.time.armed(10 * SECOND)
  const failedAgain = await outbox.resend(id!)
  assert.deepEqual([failedAgain.status, failedAgain.attempts, failedAgain.last_error], ['pending', 2, 'status 500'])
  assert.equal(Date.parse(failedAgain.next_attempt_at!), START + 10 * SECOND)
  answer = 204
  const sent = await outbox.resend(id!)
  assert.deepEqual([sent.status, sent.attempts, sent.last_response_code, sent.resendable], ['delivered', 3, 204, false])
  assert.deepEqual(new Set(to.ids()), new Set([id]))
  await assert.rejects(outbox.resend(id!), { code: 'not_found' })
  await assert.rejects(outbox.resend('01JK3V8Q2M6T0Z4R7Y9B1C5D8F'), { code: 'not_found' })
  assert.deepEqual(new Set(await b.keysLeft()), new Set(['log', 'log-ended']))
})

// An earlier bug: if the service stopped while a requested resend waited for the disk, the event was removed from the
// queue, and the caller got no answer.
test('a manual resend that a stop finds waiting for the disk is refused', async (t) => {
  const b = await bench(t, 'http://127.0.0.1:9/hook')
  let isFull = false
  const commit: OpenStore['commit'] = (batch) => (isFull ? Promise.reject(new Error('disk full')) : b.store.commit(batch))
  const posted: string[] = []
  const outbox = await b.open({
    store: { ...b.store, commit },
    maxUnwritten: 64,
    async deliver({ body, eventId }) {
      posted.push(eventId)
      const ok = !Buffer.from(body).includes('refused')
      isFull = ok
      return { ok, code: ok ? 200 : 500, error: ok ? null : 'status 500', durationMs: 0 }
    },
  })
  const [refused] = await b.add(outbox, 'refused')
  await b.time.armed(10 * SECOND)
  await b.add(outbox, 'taken')
  await until(() => posted.length === 2, 'both posted')
  await b.time.armed(10 * SECOND)
  const resent = outbox.resend(refused!)
  await until(() => b.log.lines.some(({ message }) => message.includes('could not be stored')), 'it waits for the disk')
  const stopped = outbox.stop(0)
  await assert.rejects(resent, /not available/)
  await stopped
  assert.equal(posted.length, 2)
})

test('resending many puts failed events back into the normal schedule and counts what is gone', async (t) => {
  let answer = 500
  const to = await receiver(t, () => answer)
  const b = await bench(t, to.url)
  const outbox = await b.open()
  const ids = await b.add(outbox, 'one', 'two')
  await b.exhaust()
  await until(async () => (await statuses(b)).every((status) => status === 'failed'), 'all failed')
  answer = 200
  assert.deepEqual(await outbox.resendMany([...ids, ids[0]!, 'unknown']), { queued: 2, notFound: 1 })
  await until(async () => (await statuses(b)).every((status) => status === 'delivered'), 'all delivered')
  b.settings = webhookSettings(null)
  await assert.rejects(outbox.resend(ids[0]!), { code: 'not_found' })
})

test('a body changed on disk is recorded as unreadable and does not stop the line', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const outbox = await b.open()
  const { eventId, ops } = outbox.append(event('tampered'))
  const body = ops.findIndex(([key]) => key === keys.outboxEvent(INSTANCE, eventId))
  const sealed = Buffer.from(ops[body]![1]!)
  sealed[sealed.length - 1]! ^= 1
  await b.store.commit({ ops: ops.with(body, [ops[body]![0], sealed]) })
  await b.add(outbox, 'fine')
  // This outbox has the event in memory and would not read the damaged record, so another one is opened.
  await outbox.stop(SECOND)
  await b.open()
  await until(() => to.received.length === 1, 'the other one')
  assert.equal(to.received[0]!.json.message_id, 'fine')
  const found = async () => (await b.entries()).find(({ id }) => id === eventId)!
  await until(async () => (await found()).status === 'failed', 'found out')
  const entry = await found()
  assert.deepEqual([entry.status, entry.last_error, entry.resendable], ['failed', 'unreadable', false])
})

test('storage that fails for a while delays an outcome and repeats no POST', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  let failing = 0
  const store = {
    ...b.store,
    commit: (batch: Parameters<OpenStore['commit']>[0]) =>
      failing-- > 0 ? Promise.reject(new Error('disk full')) : b.store.commit(batch),
  }
  const breakDisk = (step: Step) => {
    if (step === 'outbox:after-post') failing = 2
  }
  const outbox = await b.open({ store, steps: (step) => breakDisk(step) })
  await b.add(outbox, 'one')
  await b.time.armed(SECOND)
  b.time.advance(SECOND)
  await b.time.armed(2 * SECOND)
  b.time.advance(2 * SECOND)
  await until(async () => (await statuses(b))[0] === 'delivered', 'delivered')
  assert.equal(to.received.length, 1)
})

test('what was taken is written with the next event as soon as there is enough of it, and else a moment later', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const commits: string[][] = []
  const nameOf = ([key, value]: readonly [string, Uint8Array | null]) => `${key.split(':')[2]} ${value === null ? 'gone' : 'set'}`
  const store = {
    ...b.store,
    commit: (batch: Parameters<OpenStore['commit']>[0]) => {
      commits.push(batch.ops.map(nameOf))
      return b.store.commit(batch)
    },
  }
  const outbox = await b.open({ store, maxUnwritten: 64 })
  async function addNext(): Promise<string[]> {
    const { eventId, ops } = outbox.append(event('next'))
    await b.store.commit({ ops })
    outbox.committed(eventId)
    return ops.map(nameOf)
  }
  const taken = ['outbox gone', 'log set', 'log-ended set']
  const own = ['momment set', 'outbox set', 'log set']
  const isTaken = (count: number) => until(() => to.received.length === count && outbox.backlog() === 0, `${count} taken`)
  await b.add(outbox, ...Array.from({ length: 7 }, (_, index) => `event ${index}`))
  await isTaken(7)
  assert.ok(
    (await statuses(b)).every((status) => status === 'pending'),
    'nobody waits for it',
  )
  assert.deepEqual(await addNext(), own)
  await isTaken(8)
  assert.deepEqual(await addNext(), [...Array.from({ length: 8 }, () => taken).flat(), ...own])
  await isTaken(9)
  assert.deepEqual(await statuses(b), [...Array.from({ length: 8 }, () => 'delivered'), 'pending'])
  assert.deepEqual(commits, [])
  b.time.advance(250)
  await until(async () => (await statuses(b))[8] === 'delivered', 'written')
  assert.deepEqual(commits, [taken])
  assert.equal(new Set(to.ids()).size, 9)
})

// An earlier bug: the commit of an event also wrote the outcomes of sixty other events, so it could fail on an almost
// full disk.
test('an event takes the outcomes of a few events along, not of all', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const outbox = await b.open({ maxUnwritten: 64 })
  await b.add(outbox, ...Array.from({ length: 12 }, (_, index) => `event ${index}`))
  await until(() => to.received.length === 12 && outbox.backlog() === 0, 'all')
  const goneWith = ({ ops }: { ops: readonly (readonly [string, Uint8Array | null])[] }) =>
    ops.filter(([key, value]) => value === null && key.startsWith(keys.outbox(INSTANCE))).length
  assert.equal(goneWith(outbox.append(event('next'))), 8)
  assert.equal(goneWith(outbox.append(event('the one behind'))), 0)
})

test('outcomes whose carrier was never committed are written all the same', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const outbox = await b.open({ maxUnwritten: 64 })
  await b.add(outbox, ...Array.from({ length: 8 }, (_, index) => `event ${index}`))
  await until(() => to.received.length === 8 && outbox.backlog() === 0, 'all')
  outbox.append(event('lost with its commit'))
  b.time.advance(250)
  await b.time.armed(250)
  b.time.advance(250)
  await until(async () => (await statuses(b)).every((status) => status === 'delivered'), 'written')
})

test('a stop writes what is not written yet, and a kill repeats no more than that', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const first = await b.open({ maxUnwritten: 3 })
  await b.add(first, 'a', 'b', 'c', 'd', 'e')
  await until(() => to.received.length === 5 && first.backlog() === 0, 'all')
  // The first process is abandoned here, as in a kill. At this moment three outcomes are on disk, and two are not.
  const second = await b.open({ maxUnwritten: 64 })
  await until(() => to.received.length === 7 && second.backlog() === 0, 'those that were not written')
  assert.deepEqual(
    to.received.slice(5).map(({ json }) => json.message_id),
    ['d', 'e'],
  )
  assert.deepEqual(new Set(to.ids()).size, 5)
  await second.stop(SECOND)
  assert.ok((await statuses(b)).every((status) => status === 'delivered'))
  await b.open()
  await b.time.armed(HOUR)
  assert.equal(to.received.length, 7)
})

test('a burst that is faster than its receiver waits on disk, and comes in order', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const outbox = await b.open({ maxUnwritten: 64 })
  const texts = Array.from({ length: 700 }, (_, index) => `n${index}`)
  const ids = await b.add(outbox, ...texts)
  await until(() => to.received.length >= 700 && outbox.backlog() === 0, 'all')
  assert.deepEqual(to.ids(), ids)
  await outbox.stop(SECOND)
  assert.ok((await statuses(b)).every((status) => status === 'delivered'))
})

// In PostgreSQL, a read that begins at the first key also scans all records that were removed before. So the reads must
// begin later.
test('the queue is read behind the events that have left it', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const begins: (string | undefined)[] = []
  const range: OpenStore['range'] = (prefix, options) => {
    if (prefix === keys.outbox(INSTANCE) && options?.reverse !== true) begins.push(options?.after)
    return b.store.range(prefix, options)
  }
  const outbox = await b.open({ store: { ...b.store, range } })
  const ids = await b.add(outbox, 'one', 'two')
  await until(() => to.received.length === 2 && outbox.backlog() === 0, 'both')
  // The refused request makes the outbox read the queue again.
  await assert.rejects(outbox.resend('unknown'), { code: 'not_found' })
  await until(() => begins.at(-1) === keys.outboxEvent(INSTANCE, ids[1]!), 'a read behind the second')
})

test('the log keeps its size and its age, and never loses a waiting event', async (t) => {
  const to = await receiver(t, ({ json }) => (json.message_id === 'stuck' ? 500 : 200))
  const b = await bench(t, to.url)
  const outbox = await b.open({ maxLogEntries: 10 })
  await b.add(outbox, 'stuck', ...Array.from({ length: 30 }, (_, i) => `n${i}`))
  await until(() => to.received.length === 31, 'all tried')
  await until(async () => (await b.entries()).length <= 10, 'pruned')
  const left = await b.entries()
  assert.deepEqual([left.length, left[0]!.status], [10, 'pending'])
  for (let hours = 0; hours < 24 * 7 + 1; hours++) {
    await until(
      async () => (await b.entries()).every(({ next_attempt_at: at }) => at === null || Date.parse(at) > b.time.clock.now()),
      'tries',
    )
    b.time.advance(HOUR)
  }
  await until(async () => (await b.entries()).length === 0, 'too old')
  assert.deepEqual(await b.keysLeft(), [])
})

// An earlier bug: a commit of five hundred records needed seventy megabytes of disk. If the disk had less space, the
// webhooks were delayed.
test('events leave though the disk has no room for a long commit, and the log is pruned in short ones, to its end', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const first = await b.open({ maxUnwritten: 64 })
  await b.add(first, ...Array.from({ length: 200 }, (_, i) => `n${i}`))
  await until(() => to.received.length === 200, 'all delivered')
  await first.stop(1_000)
  b.time.advance(24 * 7 * HOUR + HOUR)
  let longest = 0
  let isFull = true
  const commit: OpenStore['commit'] = async (batch) => {
    longest = Math.max(longest, batch.ops.length)
    if (isFull && batch.ops.length > 20) throw new StorageFailure('the disk is full', { isFull })
    return b.store.commit(batch)
  }
  const outbox = await b.open({ store: { ...b.store, commit } })
  await b.add(outbox, 'new')
  await until(() => to.received.length === 201, 'the new one')
  isFull = false
  b.time.advance(MINUTE)
  await b.add(outbox, 'newer')
  await until(async () => (await b.entries()).length === 2 && to.received.length === 202, 'pruned')
  assert.ok(longest < 150, `${longest} operations in a commit`)
})

test('the log lists newest first over several instances, filtered and paged', async (t) => {
  const to = await receiver(t)
  const b = await bench(t, to.url)
  const other = '00000000-0000-4000-8000-000000000002'
  const one = await b.open()
  const two = await b.open({ instanceId: other })
  for (let i = 0; i < 6; i++) {
    await b.add(i % 2 === 0 ? one : two, `n${i}`)
    b.time.advance(1)
  }
  await until(() => to.received.length === 6, 'all')
  const query = { instanceIds: [INSTANCE, other], page: 1, pageSize: 4 }
  await until(
    async () => (await logReader(b.store, () => sealer).list({ ...query, status: 'delivered' })).total === 6,
    'all delivered',
  )
  const page = await logReader(b.store, () => sealer).list(query)
  assert.deepEqual([page.total, page.data.length], [6, 4])
  assert.deepEqual(
    page.data.map(({ created_at: at }) => Date.parse(at) - START),
    [5, 4, 3, 2],
  )
  assert.deepEqual(
    (await logReader(b.store, () => sealer).list({ ...query, page: 2 })).data.map(({ created_at: at }) => Date.parse(at) - START),
    [1, 0],
  )
  assert.equal((await logReader(b.store, () => sealer).list({ ...query, from: START + 2, to: START + 3 })).total, 2)
  assert.equal((await logReader(b.store, () => sealer).list({ ...query, type: 'delivery' })).total, 0)
  assert.equal((await logReader(b.store, () => sealer).list({ ...query, instanceIds: [other], status: 'delivered' })).total, 3)
})

test('a filter finds its rows by their index: those of the page are opened, and no others', async (t) => {
  let answer = 200
  const to = await receiver(t, () => answer)
  const b = await bench(t, to.url)
  const outbox = await b.open()
  for (let i = 0; i < 12; i++) {
    answer = i % 4 === 0 ? 500 : 200
    await b.add(outbox, `n${i}`)
    await until(() => to.received.length === i + 1, 'each')
  }
  let opened = 0
  const counting: typeof sealer = {
    ...sealer,
    open(key, bytes) {
      opened++
      return sealer.open(key, bytes)
    },
  }
  const list = async (filter: Pick<LogFilter, 'type' | 'status'>, page = 1) => {
    opened = 0
    const found = await logReader(b.store, () => counting).list({ instanceIds: [INSTANCE], page, pageSize: 2, ...filter })
    return [found.data.map(({ created_at: at, status }) => [Date.parse(at) - START, status]), found.total, opened]
  }
  await until(async () => (await list({ status: 'delivered' }))[1] === 9, 'nine delivered')
  assert.deepEqual(await list({ status: 'delivered' }), [
    [
      [0, 'delivered'],
      [0, 'delivered'],
    ],
    9,
    2,
  ])
  assert.deepEqual((await list({ status: 'delivered' }, 5)).slice(1), [9, 1])
  assert.deepEqual((await list({ status: 'pending' })).slice(1), [3, 2])
  assert.deepEqual((await list({ status: 'failed' })).slice(1), [0, 0])
  assert.deepEqual((await list({ status: 'delivered', type: 'received' })).slice(1), [9, 2])
  assert.deepEqual((await list({ status: 'delivered', type: 'delivery' })).slice(1), [0, 0])
  // The log rows of the three waiting events do not contain the type. So the events themselves must be read.
  assert.deepEqual((await list({ type: 'received' }))[1], 12)
  // These events first fail permanently, and are then sent again on request.
  answer = 500
  await b.exhaust()
  assert.deepEqual((await list({ status: 'failed' })).slice(1), [3, 2])
  answer = 200
  const failed = (await b.entries()).filter(({ status }) => status === 'failed').map(({ id }) => id)
  await outbox.resendMany(failed)
  await until(async () => (await list({ status: 'delivered' }))[1] === 12, 'all delivered')
  assert.deepEqual((await list({ status: 'failed' })).slice(1), [0, 0])
})

// An earlier bug: if the clock was ahead and was then set back, the next attempt was too late by as much as the clock
// had been ahead.
test('a next try that was put off by a clock that was ahead comes after its own wait', async (t) => {
  const b = await bench(t, 'https://example.com/hook')
  let ahead = 1_000 * HOUR
  let tries = 0
  const change: Partial<OutboxOptions> = {
    steady: { now: () => b.time.clock.now() + ahead },
    async deliver() {
      tries++
      return { ok: false, code: 500, error: null, durationMs: 1 }
    },
  }
  const before = await b.open(change)
  await b.add(before, 'one')
  await until(async () => tries === 1 && (await b.entries())[0]?.next_attempt_at !== null, 'the first try')
  await before.stop(1_000)
  ahead = 0
  await b.open(change)
  await b.time.armed(10 * SECOND)
  b.time.advance(10 * SECOND)
  await until(() => tries === 2, 'the second try')
})
