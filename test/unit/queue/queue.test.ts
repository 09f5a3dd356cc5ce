import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { Failure, type FailureCode } from '../../../src/domain/failures.ts'
import { DEFAULT_SETTINGS, type InstanceSettings } from '../../../src/domain/instance.ts'
import { QUEUE_CAPACITY } from '../../../src/domain/queue-capacity.ts'
import type { SendEnd } from '../../../src/domain/send-outcome.ts'
import { noStorage, StorageFailure } from '../../../src/domain/storage-failure.ts'
import type { WebhookEvent } from '../../../src/features/webhook-payloads.ts'
import { createTally, keyOf, type Tally } from '../../../src/metrics/tally.ts'
import { openBlobs } from '../../../src/storage/blobs.ts'
import { blobFiles } from '../../../src/storage/drivers/blob-files.ts'
import type { OpenStore } from '../../../src/storage/open-store.ts'
import { mountBlobs } from '../../../src/storage/open-store.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import {
  type Enqueue,
  type Queue,
  type QueueOptions,
  resultOf,
  type SendItem,
  type SendResult,
  TryLater,
} from '../../../workers/shard/queue/contract.ts'
import type { Waiting } from '../../../workers/shard/queue/item.ts'
import type { Hold } from '../../../workers/shard/queue/line/holds.ts'
import { createQueue } from '../../../workers/shard/queue/queue.ts'
import { createOutbox, type Outbox } from '../../../workers/shard/webhooks/outbox.ts'
import { column, columns } from '../../harness/columns.ts'
import {
  INSTANCE,
  manualTime,
  recordingLog,
  START,
  sealer,
  tempDir,
  tempStore,
  until,
  webhookSettings,
} from '../storage/fixtures.ts'
import { outboxOptions } from '../webhooks/outbox-options.ts'

interface Bench {
  store: OpenStore
  time: ReturnType<typeof manualTime>
  settings: InstanceSettings
  log: ReturnType<typeof recordingLog>
  /** Number of ms by which the machine's clock was changed. This change does not affect the monotonic clock. */
  step: number
  sent: SendItem[]
  ends: [svcId: string, end: SendEnd][]
  tally: Tally
  noted: WebhookEvent[]
  deliveries(): Promise<Record<string, unknown>[]>
  /** Waits until this many deliveries are stored, and returns them. */
  delivered(count: number): Promise<Record<string, unknown>[]>
  /** Connects the queue, and advances the clock past the wait before the first item. */
  connect(queue: Queue): void
  open(change?: Partial<QueueOptions>): Promise<Queue>
}

/** Settings without a wait between two items. */
const UNPACED = { delay_message_min_ms: 0, delay_message_max_ms: 0 }

async function bench(t: TestContext, settings: Partial<InstanceSettings> = {}): Promise<Bench> {
  const store = await tempStore(t)
  const time = manualTime()
  const log = recordingLog()
  const sent: SendItem[] = []
  const tally = createTally()
  const ends: Bench['ends'] = []
  const noted: WebhookEvent[] = []
  let outbox: Outbox | undefined
  const made: Bench = {
    store,
    time,
    log,
    sent,
    ends,
    tally,
    noted,
    step: 0,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    async deliveries() {
      const found: Record<string, unknown>[] = []
      for await (const [key, bytes] of store.range(keys.outbox(INSTANCE)))
        found.push(JSON.parse(sealer.open(key, bytes).toString()))
      return found
    },
    async delivered(count) {
      await until(async () => (await made.deliveries()).length === count, `${count} deliveries`)
      return made.deliveries()
    },
    connect(queue) {
      queue.setConnected(true)
      time.advance(2 * SECOND)
    },
    async open(change = {}) {
      if (outbox === undefined) {
        // The receiver never answers, so events stay in the outbox.
        const hang = () => new Promise<never>(() => {})
        const webhooks = () => webhookSettings('https://example.com/hook')
        outbox = createOutbox(
          outboxOptions(store, time, {
            webhooks,
            deliver: hang,
            note(event) {
              noted.push(event)
              return []
            },
            log,
          }),
        )
        await outbox.start()
      }
      const queue = createQueue({
        instanceId: INSTANCE,
        store,
        sealer,
        clock: { now: () => time.clock.now() + made.step },
        steady: time.clock,
        hasWritten: async () => false,
        timer: time.timer,
        random: () => 0.5,
        isOpen: () => true,
        settings: () => made.settings,
        events: outbox,
        steps: () => {},
        log,
        tally,
        announce: (svcId, end) => void ends.push([svcId, end]),
        send: async (item) => {
          sent.push(item)
          return accepted
        },
        ...change,
      })
      t.after(() => queue.stop(0))
      await queue.start()
      return queue
    },
  }
  return made
}

const accepted = resultOf({ status: 'sent' })
const phones = (b: Bench) => b.sent.map(({ phone }) => phone)

let made = 0
const text = (phone: string, change: Partial<Enqueue> = {}): Enqueue => ({
  messageId: () => `3EB0${String(made++).padStart(18, '0')}`,
  operation: 'send.sendText',
  phone,
  input: { phone, message: 'hello' },
  preview: 'hello',
  delayMessage: null,
  delayTyping: 0,
  ...change,
})

test('items leave first in, first out, one at a time, with the wait between them', async (t) => {
  const b = await bench(t)
  let flying = 0
  let most = 0
  const queue = await b.open({
    async send(item) {
      most = Math.max(most, ++flying)
      b.sent.push(item)
      await new Promise((resolve) => setImmediate(resolve))
      flying--
      return accepted
    },
  })
  const acks = await Promise.all(['1', '2', '3'].map((phone) => queue.enqueue(text(phone))))
  assert.deepEqual(column(acks, 'svcId'), acks.map(({ svcId }) => svcId).toSorted())
  queue.setConnected(true)
  assert.equal(b.sent.length, 0)
  await b.time.pass(2 * SECOND)
  for (const count of [1, 2]) {
    await until(() => b.sent.length === count, `item ${count}`)
    await b.time.armed(2_000)
    assert.equal(b.sent.length, count)
    b.time.advance(2_000)
  }
  await b.delivered(3)
  assert.deepEqual(phones(b), ['1', '2', '3'])
  assert.equal(most, 1)
  assert.equal(b.sent[0]!.again, false)
  assert.deepEqual(b.sent[0]!.input, { phone: '1', message: 'hello' })
  const [first] = await b.deliveries()
  const { event_id: _, ...rest } = first!
  assert.deepEqual(rest, {
    type: 'delivery',
    instance_id: INSTANCE,
    momment: START + 2_000,
    message_id: acks[0]!.messageId,
    id: acks[0]!.messageId,
    svc_id: acks[0]!.svcId,
    operation: 'send.sendText',
    phone: '1',
    is_group: false,
    reference_message_id: null,
    status: 'sent',
    error_code: null,
    error_message: null,
    queued_at: new Date(START).toISOString(),
  })
  assert.equal(queue.waiting(), 0)
  assert.equal(await b.store.get(keys.queueInFlight(INSTANCE)), undefined)
})

test('a failure becomes a failed delivery with its code, and so does a send that breaks', async (t) => {
  const b = await bench(t, UNPACED)
  const outcomes: (() => Promise<SendResult>)[] = [
    async () => resultOf({ status: 'failed', code: 'phone_not_on_whatsapp', message: 'This number has no WhatsApp account.' }),
    async () => Promise.reject(new Failure('media_download_failed', { message: 'The media URL answered 404.' })),
    async () => Promise.reject(new TypeError('a bug with private details')),
  ]
  const queue = await b.open({ send: () => outcomes.shift()!() })
  for (const phone of ['1', '12-group', '3']) await queue.enqueue(text(phone, { referenceMessageId: 'target' }))
  b.connect(queue)
  await b.delivered(3)
  const found = (await b.deliveries()).map((d) => [d.status, d.error_code, d.error_message, d.is_group, d.reference_message_id])
  assert.deepEqual(found, [
    ['failed', 'phone_not_on_whatsapp', 'This number has no WhatsApp account.', false, 'target'],
    ['failed', 'media_download_failed', 'The media URL answered 404.', true, 'target'],
    ['failed', 'send_failed', 'The message could not be sent: the network did not accept it.', false, 'target'],
  ])
  assert.equal(b.log.lines.filter(({ level }) => level === 'error').length, 2)
  await until(() => b.ends.length === 3, 'the announcements')
  assert.deepEqual(
    b.ends.map(([, end]) => end.status === 'failed' && end.code),
    ['phone_not_on_whatsapp', 'media_download_failed', 'send_failed'],
  )
  const failed = (error_code: FailureCode) =>
    b.tally.numbers().get(keyOf('svc_queue_failed_total', { type: 'send.sendText', error_code }))
  assert.deepEqual((['phone_not_on_whatsapp', 'media_download_failed', 'send_failed'] as const).map(failed), [1, 1, 1])
})

test('the time at which an item left is that of its latest try over an open connection, and goes with its delivery', async (t) => {
  const b = await bench(t)
  let isOpen = false
  const answers: ((result: SendResult) => void)[] = []
  const queue = await b.open({
    isOpen: () => isOpen,
    send: () =>
      isOpen ? new Promise((resolve) => answers.push(resolve)) : Promise.reject(new Failure('instance_not_connected')),
  })
  const { svcId } = await queue.enqueue(text('1'))
  b.connect(queue)
  await b.time.armed(2 * SECOND)
  assert.equal(queue.leftAt(svcId), undefined)
  isOpen = true
  b.time.advance(2 * SECOND)
  await until(() => answers.length === 1, 'its try')
  assert.equal(queue.leftAt(svcId), START + 4 * SECOND)
  b.time.advance(SECOND)
  answers[0]!(accepted)
  await until(() => b.ends.length === 1, 'its end')
  assert.equal(queue.leftAt(svcId), undefined)
  assert.deepEqual(
    b.noted.map((event) => event.type === 'delivery' && [event.at, event.leftAt]),
    [[START + 5 * SECOND, START + 4 * SECOND]],
  )
})

test('the list shows every item as the contract says, also filtered and paged', async (t) => {
  const b = await bench(t)
  const answers: ((result: SendResult) => void)[] = []
  const queue = await b.open({ send: () => new Promise((resolve) => answers.push(resolve)) })
  const ack = await queue.enqueue(text('5511988887777', { preview: 'Your order left our warehouse.' }))
  const item = {
    svc_id: ack.svcId,
    message_id: ack.messageId,
    phone: '5511988887777',
    operation: 'send.sendText',
    status: 'waiting',
    waiting_reason: 'instance_not_connected',
    position: 1,
    preview: 'Your order left our warehouse.',
    delay_message: null,
    delay_typing: 0,
    queued_at: '2026-01-31T12:00:00.000Z',
    send_at: null,
    send_after: null,
    expires_at: '2026-02-03T12:00:00.000Z',
  }
  assert.deepEqual(await queue.list({ page: 1, pageSize: 20 }), { data: [item], page: 1, page_size: 20, total: 1 })

  queue.setConnected(true)
  await queue.enqueue(text('2', { delayMessage: 5, delayTyping: 3 }))
  await queue.enqueue(text('3'))
  const shown = async () =>
    (await queue.list({ page: 1, pageSize: 20 })).data.map((i) => [i.phone, i.status, i.waiting_reason, i.position, i.send_after])
  assert.deepEqual(await shown(), [
    ['5511988887777', 'waiting', 'pacing', 1, '2026-01-31T12:00:02.000Z'],
    ['2', 'waiting', 'pacing', 2, '2026-01-31T12:00:07.000Z'],
    ['3', 'waiting', 'pacing', 3, '2026-01-31T12:00:08.000Z'],
  ])
  b.time.advance(2 * SECOND)
  await until(() => answers.length === 1, 'the first')
  assert.deepEqual((await shown())[0], ['5511988887777', 'processing', null, 1, '2026-01-31T12:00:02.000Z'])
  assert.deepEqual(columns((await queue.list({ page: 2, pageSize: 2 })).data, 'phone', 'position'), [['3', 3]])
  const filtered = await queue.list({ page: 1, pageSize: 20, phone: '2' })
  assert.deepEqual(
    [filtered.total, filtered.data[0]!.position, filtered.data[0]!.delay_message, filtered.data[0]!.delay_typing],
    [1, 2, 5, 3],
  )
  assert.deepEqual((await queue.list({ page: 9, pageSize: 20 })).data, [])
})

test('what is in flight cannot be removed; what waits can, one by one, by chat or all, without a delivery', async (t) => {
  const b = await bench(t)
  const answers: ((result: SendResult) => void)[] = []
  const queue = await b.open({ send: () => new Promise((resolve) => answers.push(resolve)) })
  const acks: Awaited<ReturnType<Queue['enqueue']>>[] = []
  for (const phone of ['1', '2', '3', '2', '4']) acks.push(await queue.enqueue(text(phone)))
  b.connect(queue)
  await until(() => answers.length === 1, 'the first')
  assert.equal(await queue.remove(acks[0]!.svcId), false)
  assert.equal(await queue.remove(acks[2]!.svcId), true)
  assert.equal(await queue.remove(acks[2]!.svcId), false)
  assert.equal(await queue.clear('2'), 2)
  assert.equal(await queue.clear('1'), 0)
  assert.equal(await queue.clear(), 1)
  assert.equal(queue.waiting(), 0)
  answers[0]!(accepted)
  await b.delivered(1)
  for await (const [key] of b.store.range(keys.queue(INSTANCE))) assert.fail(`${key} is left`)
  await until(() => b.ends.length === 5, 'the announcements')
  assert.deepEqual(
    b.ends.map(([svcId, { status }]) => [svcId, status]),
    [2, 1, 3, 4, 0].map((index) => [acks[index]!.svcId, index === 0 ? 'sent' : 'removed']),
  )
})

test('the line holds 1,000 waiting items, the one in flight not counted', async (t) => {
  const b = await bench(t)
  const queue = await b.open({ send: () => new Promise(() => {}) })
  const acks = await Promise.allSettled(Array.from({ length: QUEUE_CAPACITY + 5 }, () => queue.enqueue(text('1'))))
  assert.equal(acks.filter(({ status }) => status === 'fulfilled').length, QUEUE_CAPACITY)
  for (const ack of acks) if (ack.status === 'rejected') assert.equal(ack.reason.code, 'queue_full')
  b.connect(queue)
  await queue.enqueue(text('1'))
  await assert.rejects(queue.enqueue(text('1')), { code: 'queue_full', status: 409, message: /full: it holds 1000 messages/ })
})

test('a connection lost in flight puts the item back at the head, with the same message id and no delivery', async (t) => {
  const b = await bench(t)
  let lost = true
  const queue = await b.open({
    async send(item) {
      b.sent.push(item)
      if (lost) throw new Failure('instance_not_connected')
      return accepted
    },
  })
  const ack = await queue.enqueue(text('1'))
  await queue.enqueue(text('2'))
  b.connect(queue)
  await until(() => queue.waiting() === 2, 'back in line')
  queue.setConnected(false)
  const [first] = (await queue.list({ page: 1, pageSize: 1 })).data
  assert.deepEqual([first!.svc_id, first!.status, first!.waiting_reason], [ack.svcId, 'waiting', 'instance_not_connected'])
  assert.deepEqual(await b.deliveries(), [])
  lost = false
  b.connect(queue)
  await b.delivered(1)
  assert.deepEqual(columns(b.sent, 'messageId', 'again'), [
    [ack.messageId, false],
    [ack.messageId, true],
  ])
})

// An earlier bug: if the commit of keys failed on a full disk, the accepted message ended as `send_failed`.
test('a disk that fails under a send puts the item back, however often, and it leaves with the same message id', async (t) => {
  const b = await bench(t)
  const met = [
    new StorageFailure('The disk is full, so nothing was stored.'),
    noStorage(new StorageFailure('The store could not write the records.')),
    new Failure('send_failed', { cause: new Error('relay', { cause: Object.assign(new Error('write'), { code: 'ENOSPC' }) }) }),
    Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
    new StorageFailure('again'),
  ]
  const queue = await b.open({
    async send(item) {
      b.sent.push(item)
      const error = met[b.sent.length - 1]
      if (error) throw error
      return accepted
    },
  })
  const ack = await queue.enqueue(text('1'))
  queue.setConnected(true)
  for (let tries = 1; tries <= met.length; tries++) {
    await b.time.armed(tries === 1 ? 2 * SECOND : 5 * SECOND)
    assert.deepEqual(await b.deliveries(), [])
    b.time.advance(tries === 1 ? 2 * SECOND : 5 * SECOND)
    await until(() => b.sent.length === tries && queue.waiting() === 1, `try ${tries}`)
  }
  await b.time.pass(5 * SECOND)
  const delivered = await b.delivered(1)
  assert.deepEqual(columns(delivered, 'message_id', 'status'), [[ack.messageId, 'sent']])
  assert.deepEqual(new Set(b.sent.map(({ messageId }) => messageId)), new Set([ack.messageId]))
})

test('what was put back is sent again after a restart, too', async (t) => {
  const b = await bench(t)
  const first = await b.open({ send: async () => Promise.reject(new Failure('instance_not_connected')) })
  const ack = await first.enqueue(text('1'))
  assert.equal(first.undecided(), undefined)
  b.connect(first)
  await until(() => first.waiting() === 1 && first.undecided() === ack.messageId, 'back in line')
  await first.stop(0)
  const second = await b.open()
  assert.equal(second.undecided(), ack.messageId)
  b.connect(second)
  await b.delivered(1)
  assert.deepEqual(columns(b.sent, 'messageId', 'again'), [[ack.messageId, true]])
  await until(() => second.undecided() === undefined, 'the outcome')
})

/**
 * Builds a queue in which every send to one person fails with the error that there is no connection, even if the
 * connection is open.
 */
async function withLost(b: Bench, isOpen: () => boolean) {
  const tries: string[] = []
  const queue = await b.open({
    isOpen,
    async send({ phone }) {
      tries.push(phone)
      if (phone === 'lost') throw new Failure('instance_not_connected')
      return accepted
    },
  })
  await queue.enqueue(text('lost'))
  await queue.enqueue(text('next'))
  queue.setConnected(true)
  const untilTried = async (count: number) => {
    await b.time.pass(2 * SECOND)
    await until(() => tries.length === count, `try ${count}`)
  }
  return { queue, tries, untilTried }
}

// An earlier bug: a query with the answer 408 was treated as a lost connection, so all other items waited although the
// instance was connected.
test('an item that finds no connection although there is one fails after three times, and the line goes on', async (t) => {
  const b = await bench(t)
  const { tries, untilTried } = await withLost(b, () => true)
  for (let count = 1; count <= 5; count++) await untilTried(count)
  assert.deepEqual(tries, ['lost', 'lost', 'lost', 'lost', 'next'])
  const delivered = await b.delivered(2)
  assert.deepEqual(columns(delivered, 'phone', 'error_code'), [
    ['lost', 'send_failed'],
    ['next', null],
  ])
})

test('an item waits for a connection that is lost however often that happens', async (t) => {
  const b = await bench(t)
  let isStanding = false
  const { queue, tries, untilTried } = await withLost(b, () => isStanding)
  for (let count = 1; count <= 8; count++) await untilTried(count)
  // From here on the connection is open, but the send still fails. With each new connection, the count of attempts
  // starts again.
  isStanding = true
  for (let connection = 0; connection < 3; connection++) {
    for (let count = 1; count <= 3; count++) await untilTried(tries.length + 1)
    await until(() => queue.waiting() === 2, 'back in line')
    queue.setConnected(false)
    queue.setConnected(true)
  }
  assert.ok(tries.every((phone) => phone === 'lost'))
  assert.deepEqual(await b.deliveries(), [])
})

/**
 * Starts a queue with an open connection. By default, it hangs when it is about to send an item, as if it were killed
 * there.
 */
async function life(b: Bench, change: Partial<QueueOptions> = {}) {
  let hung = false
  const queue = await b.open({
    steps(name) {
      if (name !== 'queue:before-send') return
      hung = true
      return new Promise(() => {})
    },
    ...change,
  })
  queue.setConnected(true)
  await b.time.pass(2 * SECOND)
  return { queue, untilHung: () => until(() => hung, 'the end') }
}

// An earlier bug: an item whose sending crashed the process crashed it again in each run, and so ended all instances of
// the thread.
test('an item that ended three lives is not tried a fourth time: it fails, and the line goes on', async (t) => {
  const b = await bench(t, UNPACED)
  const before = await b.open()
  const acks = [await before.enqueue(text('poison')), await before.enqueue(text('next'))]
  await before.stop(0)
  for (let lives = 0; lives < 3; lives++) await (await life(b)).untilHung()
  await life(b, { steps: () => {} })
  const delivered = await b.delivered(2)
  assert.deepEqual(columns(delivered, 'svc_id', 'error_code'), [
    [acks[0]!.svcId, 'send_failed'],
    [acks[1]!.svcId, null],
  ])
  assert.deepEqual(phones(b), ['next'])
  assert.equal(await b.store.get(keys.queueInFlight(INSTANCE)), undefined)
})

function recordingAhead() {
  const begun: string[] = []
  let discarded = 0
  const ahead: QueueOptions['ahead'] = {
    wants: (operation) => operation === 'send.sendImage',
    begin: ({ phone }) => void begun.push(phone),
    discard: () => void discarded++,
  }
  return { ahead, begun, discarded: () => discarded }
}
const image = (phone: string) => text(phone, { operation: 'send.sendImage', input: { phone } })

test('the next item is prepared while one is in flight, once, if it has media', async (t) => {
  const b = await bench(t, UNPACED)
  const { ahead, begun, discarded } = recordingAhead()
  const answers: (() => void)[] = []
  const send = () => new Promise<SendResult>((resolve) => answers.push(() => resolve(accepted)))
  const queue = await b.open({ ahead, send })
  queue.setConnected(true)
  await queue.enqueue(text('first'))
  await b.time.pass(2 * SECOND)
  await until(() => answers.length === 1, 'the first in flight')
  for (const item of [image('second'), image('third'), text('fourth')]) await queue.enqueue(item)
  await until(() => begun.length === 1, 'the second prepared')
  answers.shift()!()
  await until(() => answers.length === 1, 'the second in flight')
  await until(() => begun.length === 2, 'the third prepared')
  assert.deepEqual([begun, discarded()], [['second', 'third'], 0])
  await queue.clear()
  assert.equal(discarded(), 1)
})

test('nothing is prepared beside an item that may have ended the thread: it would be counted as that item\u2019s doing', async (t) => {
  const b = await bench(t, UNPACED)
  const before = await b.open()
  for (const item of [text('innocent'), image('heavy')]) await before.enqueue(item)
  await before.stop(0)
  const { ahead, begun } = recordingAhead()
  await (await life(b, { ahead })).untilHung()
  await until(() => begun.length === 1, 'the second prepared')
  await (await life(b, { ahead })).untilHung()
  assert.deepEqual(begun, ['heavy'])
})

test('a stop that was wanted and a connection that was lost are not counted among them', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  await before.enqueue(text('slow'))
  await before.stop(0)
  const lost = async () => Promise.reject(new Failure('instance_not_connected'))
  for (let lives = 0; lives < 3; lives++) {
    const wanted = await life(b)
    await wanted.untilHung()
    await wanted.queue.stop(0)
    const cut = await life(b, { steps: () => {}, send: lost, isOpen: () => false })
    await until(() => cut.queue.waiting() === 1, 'back in line')
    await cut.queue.stop(0)
  }
  // An item that has been in flight at two kills is still tried again.
  for (let lives = 0; lives < 2; lives++) await (await life(b)).untilHung()
  await life(b, { steps: () => {} })
  await b.delivered(1)
  assert.equal((await b.deliveries())[0]!.status, 'sent')
})

test('the count costs no commit of its own', async (t) => {
  const b = await bench(t)
  let commits = 0
  const store = {
    ...b.store,
    commit(batch: Parameters<OpenStore['commit']>[0]) {
      commits++
      return b.store.commit(batch)
    },
  }
  const queue = await b.open({ store })
  await queue.enqueue(text('1'))
  queue.setConnected(true)
  await b.time.armed(2 * SECOND)
  commits = 0
  b.time.advance(2 * SECOND)
  await b.delivered(1)
  assert.equal(commits, 2)
})

async function watched(t: TestContext) {
  const b = await bench(t, UNPACED)
  const seen = { commits: 0, marks: [] as string[], sent: [] as string[] }
  const markOf = async () => Buffer.from((await b.store.get(keys.queueInFlight(INSTANCE))) ?? []).toString()
  const queue = await b.open({
    blobs: (await openBlobs(mountBlobs(blobFiles({ dir: await tempDir(t) })), { budgetBytes: 10_000_000 })).of(sealer),
    store: {
      ...b.store,
      commit(batch) {
        seen.commits++
        return b.store.commit(batch)
      },
    },
    async send({ svcId }) {
      seen.sent.push(svcId)
      seen.marks.push(await markOf())
      return accepted
    },
  })
  b.connect(queue)
  return {
    b,
    queue,
    seen,
    markOf,
    delivered: (count: number) => until(async () => (await b.deliveries()).length === count, 'deliveries'),
  }
}

test('an item that leaves at once is named in flight by the commit that queues it', async (t) => {
  const { queue, seen, markOf, delivered } = await watched(t)
  const { svcId } = await queue.enqueue(text('1'))
  await delivered(1)
  assert.deepEqual(seen.marks, [`${svcId}:1`])
  assert.equal(seen.commits, 2)
  assert.equal(await markOf(), '')
})

test('the commit that ends an item names the next one, which costs one commit then', async (t) => {
  const { b, queue, seen, markOf, delivered } = await watched(t)
  queue.setConnected(false)
  const ids: string[] = []
  for (let index = 0; index < 4; index++) ids.push((await queue.enqueue(text('1'))).svcId)
  seen.commits = 0
  b.connect(queue)
  await delivered(4)
  assert.deepEqual(
    seen.marks,
    ids.map((svcId) => `${svcId}:1`),
  )
  assert.equal(seen.commits, 5)
  assert.equal(await markOf(), '')
})

test('whatever is queued at the same time, what is with the network is what is named in flight', async (t) => {
  const { queue, seen, delivered } = await watched(t)
  const bytes = new Uint8Array(200_000)
  for (let round = 0; round < 5; round++)
    await Promise.all([
      queue.enqueue(text('1', { bytes })),
      queue.enqueue(text('2')),
      queue.enqueue(text('3')),
      queue.enqueue(text('4', { bytes })),
    ])
  await delivered(20)
  assert.deepEqual(
    seen.marks,
    seen.sent.map((svcId) => `${svcId}:1`),
  )
})

test('nothing begins while another item is being named', async (t) => {
  const b = await bench(t, UNPACED)
  let write = () => {}
  const isLate = new Promise<void>((resolve) => {
    write = resolve
  })
  let commits = 0
  const marks: string[] = []
  const queue = await b.open({
    store: {
      ...b.store,
      async commit(batch) {
        commits++
        if (commits === 1) await isLate
        return b.store.commit(batch)
      },
    },
    async send({ svcId }) {
      const mark = await b.store.get(keys.queueInFlight(INSTANCE))
      marks.push(`${svcId} ${Buffer.from(mark ?? []).toString()}`)
      write()
      return accepted
    },
  })
  b.connect(queue)
  const first = queue.enqueue(text('1'))
  const second = await queue.enqueue(text('2'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(marks, [])
  write()
  const { svcId } = await first
  await b.delivered(2)
  assert.deepEqual(marks, [`${svcId} ${svcId}:1`, `${second.svcId} ${second.svcId}:1`])
})

test('one that was named and does not leave is not named any more', async (t) => {
  const { b, queue, markOf } = await watched(t)
  await queue.stop(0)
  const ids: string[] = []
  const again: Queue = await b.open({
    // At this step, the next item is marked as in flight by a commit, but its sending has not begun.
    async steps(step, svcId) {
      if (step === 'queue:settled' && svcId === ids[0]) await again.clear()
    },
  })
  ids.push((await again.enqueue(text('1'))).svcId, (await again.enqueue(text('1'))).svcId)
  b.connect(again)
  await until(async () => (await b.deliveries()).length === 1 && (await markOf()) === '', 'the end of the mark')
  assert.deepEqual(column(b.sent, 'svcId'), ids.slice(0, 1))
})

test('nor is one whose connection goes while it is being named', async (t) => {
  const b = await bench(t, UNPACED)
  const queue: Queue = await b.open({
    store: {
      ...b.store,
      async commit(batch) {
        const isCommitted = await b.store.commit(batch)
        queue.setConnected(false)
        return isCommitted
      },
    },
  })
  b.connect(queue)
  await queue.enqueue(text('1'))
  assert.equal(await b.store.get(keys.queueInFlight(INSTANCE)), undefined)
  assert.deepEqual(b.sent, [])
})

test('nor is one that a stop finds before its try', async (t) => {
  const b = await bench(t, UNPACED)
  let isRead = false
  const queue = await b.open({
    store: {
      ...b.store,
      get(key) {
        if (!key.startsWith(keys.queueItem(INSTANCE, ''))) return b.store.get(key)
        isRead = true
        return new Promise(() => {})
      },
    },
  })
  b.connect(queue)
  // An item whose record is that long is not kept in memory. It is read from the store when its turn comes.
  const { svcId } = await queue.enqueue({ ...text('1'), input: { message: 'x'.repeat(5_000) } })
  await until(() => isRead, 'the read that comes before the try')
  assert.equal(Buffer.from((await b.store.get(keys.queueInFlight(INSTANCE))) ?? []).toString(), `${svcId}:1`)
  await queue.stop(0)
  assert.equal(await b.store.get(keys.queueInFlight(INSTANCE)), undefined)
})

test('an item that this run has stored is sent without reading it back', async (t) => {
  const b = await bench(t, UNPACED)
  const read: string[] = []
  const get: OpenStore['get'] = (key) => {
    read.push(key)
    return b.store.get(key)
  }
  const queue = await b.open({ store: { ...b.store, get } })
  b.connect(queue)
  await queue.enqueue(text('1'))
  await queue.enqueue(text('2'))
  await until(() => b.sent.length === 2, 'both to leave')
  assert.deepEqual(
    read.filter((key) => key.startsWith(keys.queueItem(INSTANCE, ''))),
    [],
  )
})

test('an item that the network does not decide on waits for its time, and others go past it', async (t) => {
  const b = await bench(t, UNPACED)
  const left: string[] = []
  const queue = await b.open({
    async send({ phone }) {
      left.push(phone)
      if (left.length === 1) throw new TryLater(MINUTE, {})
      return accepted
    },
  })
  b.connect(queue)
  await queue.enqueue(text('1'))
  await queue.enqueue(text('2'))
  await until(() => left.length === 2, 'both tried')
  await b.time.armed(MINUTE)
  assert.deepEqual(left, ['1', '2'])
  b.time.advance(MINUTE)
  await b.delivered(2)
  assert.deepEqual(left, ['1', '2', '1'])
})

test('an item whose removal cannot be written keeps its place', async (t) => {
  const b = await bench(t)
  let isFailing = false
  const commit: OpenStore['commit'] = (batch) => (isFailing ? Promise.reject(new Error('disk full')) : b.store.commit(batch))
  const queue = await b.open({ store: { ...b.store, commit } })
  const { svcId } = await queue.enqueue(text('1'))
  await queue.enqueue(text('2'))
  isFailing = true
  await assert.rejects(queue.remove(svcId), /disk full/)
  isFailing = false
  const { data } = await queue.list({ page: 1, pageSize: 10 })
  assert.deepEqual(columns(data, 'phone', 'position'), [
    ['1', 1],
    ['2', 2],
  ])
})

test('a mark of before, which is a service id and nothing else, is still known', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  const { svcId, messageId } = await before.enqueue(text('1'))
  await before.stop(0)
  await b.store.commit({ ops: [[keys.queueInFlight(INSTANCE), Buffer.from(svcId)]] })
  const queue = await b.open()
  assert.equal(queue.undecided(), messageId)
  queue.setConnected(true)
  await b.time.pass(2 * SECOND)
  await until(() => b.sent.length === 1, 'it to leave')
  assert.equal(b.sent[0]!.again, true)
})

for (const [step, times] of [
  ['before-send', 1],
  ['after-send', 2],
  ['settled', 1],
] as const) {
  test(`a kill at "${step}" loses nothing: the item is sent ${times === 1 ? 'once' : 'again with the same message id'} and reported once`, async (t) => {
    const b = await bench(t, UNPACED)
    let hung = false
    const killed = await b.open({
      steps(name) {
        if (name !== `queue:${step}`) return
        hung = true
        return new Promise(() => {})
      },
    })
    const acks = [await killed.enqueue(text('1')), await killed.enqueue(text('2'))]
    b.connect(killed)
    await until(() => hung, 'the kill')
    const queue = await b.open()
    b.connect(queue)
    await b.delivered(2)
    assert.deepEqual(column(b.sent, 'messageId'), [...Array(times).fill(acks[0]!.messageId), acks[1]!.messageId])
    if (step === 'after-send') assert.equal(b.sent[1]!.again, true)
    assert.deepEqual(
      (await b.deliveries()).map((d) => d.svc_id),
      acks.map(({ svcId }) => svcId),
    )
  })
}

test('an item whose message the network may know is not held by a policy after a restart; one that it cannot know is', async (t) => {
  for (const mayHaveLeft of [true, false]) {
    const b = await bench(t, UNPACED)
    let isInFlight = false
    const killed = await b.open({
      send() {
        isInFlight = true
        return new Promise(() => {})
      },
    })
    await killed.enqueue(text('1'))
    b.connect(killed)
    await until(() => isInFlight, 'the item to leave')
    const holding = (item: Waiting): Hold | undefined => (item.mayHaveLeft ? undefined : { reason: 'pacing', until: null })
    const queue = await b.open({ mayHaveLeft: async () => mayHaveLeft, policies: [{ clock: b.time.clock, holding }] })
    b.connect(queue)
    if (mayHaveLeft) await b.delivered(1)
    else assert.equal(queue.waitingFor(['pacing']).pacing, 1)
  }
})

test('waiting items survive a restart, in order, and new ones come after them', async (t) => {
  const b = await bench(t)
  const first = await b.open()
  const acks = [await first.enqueue(text('1')), await first.enqueue(text('2'))]
  await first.stop(0)
  await assert.rejects(first.enqueue(text('3')), { code: 'engine_unavailable' })
  const second = await b.open()
  acks.push(await second.enqueue(text('3')))
  const listed = (await second.list({ page: 1, pageSize: 20 })).data.map(({ svc_id: id }) => id)
  assert.deepEqual(
    listed,
    acks.map(({ svcId }) => svcId),
  )
})

test('items too old are removed every minute, connected or not, and reported as send_timeout', async (t) => {
  const b = await bench(t, { queue_max_age_hours: 1 })
  const queue = await b.open()
  for (let i = 0; i < 60; i++) await queue.enqueue(text('1'))
  b.time.advance(30 * MINUTE)
  await b.time.armed(MINUTE)
  await queue.enqueue(text('2'))
  for (let minutes = 30; minutes < 60; minutes++) {
    await b.time.armed(MINUTE)
    assert.equal(queue.waiting(), 61)
    b.time.advance(MINUTE)
  }
  await b.delivered(60)
  const deliveries = await b.deliveries()
  assert.deepEqual(new Set(deliveries.map((d) => d.error_code)), new Set(['send_timeout']))
  assert.match(String(deliveries[0]!.error_message), /waited longer than queue_max_age_hours/)
  assert.equal(queue.waiting(), 1)
  assert.equal(b.time.clock.now(), START + HOUR)
})

test('items of an account that was moved do not expire here, because the new server has them too', async (t) => {
  const b = await bench(t, { queue_max_age_hours: 1 })
  let hasMoved = true
  const queue = await b.open({ hasMoved: () => hasMoved })
  await queue.enqueue(text('1'))
  b.time.advance(2 * HOUR)
  await b.time.armed(MINUTE)
  assert.deepEqual([queue.waiting(), await b.deliveries()], [1, []])
  hasMoved = false
  b.time.advance(MINUTE)
  await b.delivered(1)
  assert.equal(queue.waiting(), 0)
})

test('items of a paused instance do not age, and age again when it is resumed', async (t) => {
  const b = await bench(t, { queue_max_age_hours: 1 })
  let isPaused = true
  const queue = await b.open({ isPaused: () => isPaused })
  await queue.enqueue(text('1'))
  // The queue checks the age of its items every minute. During this jump only the first check runs, because the test
  // does not wait until the timer of the second check is set.
  b.time.advance(2 * HOUR)
  await b.time.pass(MINUTE)
  await b.time.armed(MINUTE)
  isPaused = false
  b.time.advance(59 * MINUTE)
  await b.time.armed(MINUTE)
  assert.deepEqual([queue.waiting(), await b.deliveries()], [1, []])
  b.time.advance(MINUTE)
  await b.delivered(1)
})

test('inline media waits beside its item and goes with it', async (t) => {
  const b = await bench(t, UNPACED)
  const blobs = (await openBlobs(mountBlobs(blobFiles({ dir: await tempDir(t) })), { budgetBytes: 5_000 })).of(sealer)
  const target = join(await tempDir(t), 'part')
  const parts: string[] = []
  const queue = await b.open({
    blobs,
    async send(item) {
      await item.copyMedia?.(target, { offset: 1_996, size: 4 })
      parts.push(await readFile(target, 'utf8'))
      return accepted
    },
  })
  const bytes = Buffer.from(`${'i'.repeat(1_996)}tail`)
  await queue.enqueue(text('1', { bytes }))
  const second = await queue.enqueue(text('2', { bytes }))
  await assert.rejects(queue.enqueue(text('3', { bytes })), { code: 'queue_full' })
  await queue.remove(second.svcId)
  assert.equal((await blobs.list(keys.blobs(INSTANCE))).length, 1)
  b.connect(queue)
  await b.delivered(1)
  assert.deepEqual(parts, ['tail'])
  await until(() => blobs.used() === 0, 'media gone')

  // If the service is killed between writing media and writing their item, the store has media without an item, such as
  // these.
  await blobs.put(keys.blob(INSTANCE, 'orphan'), bytes)
  await queue.stop(0)
  await b.open({ blobs })
  assert.equal(blobs.used(), 0)
})

test('the media of an item that could not be stored leave no trace', async (t) => {
  const b = await bench(t, UNPACED)
  const blobs = (await openBlobs(mountBlobs(blobFiles({ dir: await tempDir(t) })), { budgetBytes: 5_000 })).of(sealer)
  const commit = () => Promise.reject(new StorageFailure('The disk is full.', { isFull: true }))
  const queue = await b.open({ blobs, store: { ...b.store, commit } })
  await assert.rejects(queue.enqueue(text('1', { bytes: Buffer.alloc(3_000) })))
  assert.deepEqual([blobs.used(), await blobs.list(keys.blobs(INSTANCE))], [0, []])
})

test('an item that cannot be read keeps its media over a start, and has it when it can be read again', async (t) => {
  const b = await bench(t, UNPACED)
  const blobs = (await openBlobs(mountBlobs(blobFiles({ dir: await tempDir(t) })), { budgetBytes: 5_000 })).of(sealer)
  const target = join(await tempDir(t), 'part')
  const queue = await b.open({ blobs })
  const { svcId } = await queue.enqueue(text('1', { bytes: Buffer.from('media') }))
  await queue.stop(0)
  const key = keys.queueItem(INSTANCE, svcId)
  const record = (await b.store.get(key))!
  await b.store.commit({ ops: [[key, Buffer.from('tampered')]] })
  await (await b.open({ blobs })).stop(0)
  await b.store.commit({ ops: [[key, record]] })
  const parts: string[] = []
  const again = await b.open({
    blobs,
    async send(item) {
      await item.copyMedia?.(target, { offset: 0, size: 5 })
      parts.push(await readFile(target, 'utf8'))
      return accepted
    },
  })
  b.connect(again)
  await b.delivered(1)
  assert.deepEqual(parts, ['media'])
})

test('an item changed on disk is reported as failed and does not stop the line', async (t) => {
  const b = await bench(t, UNPACED)
  const before = await b.open()
  const bad = await before.enqueue(text('1'))
  await before.enqueue(text('2'))
  // This run has the items in memory. The next run has to read them from the store.
  await before.stop(0)
  const queue = await b.open()
  await b.store.commit({ ops: [[keys.queueItem(INSTANCE, bad.svcId), Buffer.from('tampered')]] })
  b.connect(queue)
  const delivered = await b.delivered(2)
  assert.deepEqual(
    delivered.map((d) => [d.phone, d.status, d.error_code]),
    [
      ['1', 'failed', 'send_failed'],
      ['2', 'sent', null],
    ],
  )
})

test('storage that fails for a while delays the outcome and sends nothing twice', async (t) => {
  const b = await bench(t)
  const after: number[] = []
  let failing = 0
  const commit: OpenStore['commit'] = (batch) => (failing-- > 0 ? Promise.reject(new Error('disk full')) : b.store.commit(batch))
  const queue = await b.open({
    store: { ...b.store, commit },
    // The stored data and the effects must be those of the successful attempt, and the effects must come after it.
    async send(item) {
      b.sent.push(item)
      let tries = 0
      return {
        outcome: { status: 'sent' },
        commit: () => [[`try-${++tries}`, Buffer.from('beside')]],
        after: () => void after.push(tries),
      }
    },
    steps(step) {
      if (step === 'queue:after-send') failing = 1
    },
  })
  await queue.enqueue(text('1'))
  failing = 1
  await assert.rejects(queue.enqueue(text('2')), /disk full/)
  b.connect(queue)
  await b.time.armed(SECOND)
  assert.deepEqual(await b.deliveries(), [])
  assert.deepEqual([after, b.ends], [[], []])
  b.time.advance(SECOND)
  await until(() => b.ends.length === 1, 'its end')
  assert.equal((await b.deliveries()).length, 1)
  assert.equal(b.sent.length, 1)
  assert.deepEqual(after, [2])
  assert.deepEqual(await Promise.all(['try-1', 'try-2'].map((key) => b.store.get(key))), [undefined, Buffer.from('beside')])
})

// An earlier bug: if the clock was set back by some time, the queue stopped for that time, even after a restart.
test('a clock that is set back holds nothing up, neither while the queue runs nor after a restart', async (t) => {
  const b = await bench(t)
  const first = await b.open()
  await first.enqueue(text('1'))
  first.setConnected(true)
  b.step = -HOUR
  await b.time.pass(2 * SECOND)
  await until(() => b.sent.length === 1, 'the first')
  await b.delivered(1)
  b.step = HOUR
  await first.enqueue(text('2', { delayMessage: 5 }))
  await first.stop(0)
  // The item's time of arrival is now an hour in the future. The queue treats the item as if it had arrived now.
  b.step = 0
  const second = await b.open()
  second.setConnected(true)
  await b.time.pass(5 * SECOND)
  await until(() => b.sent.length === 2, 'the second')
})

test('a clock that is set forward expires nothing', async (t) => {
  const b = await bench(t)
  const queue = await b.open()
  await queue.enqueue(text('1'))
  b.step = 1_000 * HOUR
  b.time.advance(MINUTE)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(queue.waiting(), 1)
})

const listed = async (queue: Queue) =>
  (await queue.list({ page: 1, pageSize: 20 })).data.map((i) => [i.phone, i.waiting_reason, i.send_at, i.send_after])

test('a message with send_at waits for its time, is listed with it, and holds nothing up, not even in its own chat', async (t) => {
  const b = await bench(t)
  const queue = await b.open()
  const at = '2026-01-31T13:00:00.000Z'
  const { svcId } = await queue.enqueue(text('1', { sendAt: Date.parse(at) }))
  await queue.enqueue(text('1'))
  assert.deepEqual(await listed(queue), [
    ['1', 'instance_not_connected', null, null],
    ['1', 'send_at', at, at],
  ])
  queue.setConnected(true)
  assert.deepEqual(await listed(queue), [
    ['1', 'pacing', null, '2026-01-31T12:00:02.000Z'],
    ['1', 'send_at', at, at],
  ])
  await b.time.pass(2 * SECOND)
  await b.delivered(1)
  assert.deepEqual(await listed(queue), [['1', 'send_at', at, at]])
  const { expires_at } = (await queue.find(svcId))!
  assert.equal(expires_at, '2026-02-03T13:00:00.000Z')
  b.time.advance(HOUR - 3 * SECOND)
  assert.equal(b.sent.length, 1)
  b.time.advance(SECOND)
  // The item must not wait longer than an item that is queued now.
  assert.deepEqual(await listed(queue), [['1', 'pacing', at, '2026-01-31T13:00:02.000Z']])
  b.time.advance(2 * SECOND)
  await until(() => b.sent.length === 2, 'the one with a time')
  assert.equal(b.sent[1]!.svcId, svcId)
})

test('messages leave in the order of their times, and those of the same time in the order in which they were queued', async (t) => {
  const b = await bench(t, UNPACED)
  const queue = await b.open()
  const inHours = async (phone: string, hours: number) => {
    await queue.enqueue(text(phone, { sendAt: START + hours * HOUR }))
    b.time.advance(SECOND)
  }
  await inHours('late', 3)
  await inHours('first of two', 2)
  await inHours('second of two', 2)
  await inHours('early', 1)
  b.time.advance(2 * HOUR + MINUTE)
  await queue.enqueue(text('plain'))
  b.time.advance(HOUR)
  await inHours('past', 1)
  b.connect(queue)
  await until(() => b.sent.length === 6, 'all')
  assert.deepEqual(phones(b), ['early', 'first of two', 'second of two', 'plain', 'late', 'past'])
})

test('a time in the past changes nothing', async (t) => {
  const b = await bench(t, UNPACED)
  const queue = await b.open()
  b.connect(queue)
  const { svcId } = await queue.enqueue(text('1', { sendAt: START - 1_000 * HOUR }))
  await until(() => b.sent.length === 1, 'it')
  assert.equal(b.sent[0]!.svcId, svcId)
})

test('messages that wait for their time can be removed, and count against the capacity', async (t) => {
  const b = await bench(t)
  const queue = await b.open()
  queue.setConnected(true)
  const later = (phone: string) => queue.enqueue(text(phone, { sendAt: START + HOUR }))
  const { svcId } = await later('1')
  for (let index = 1; index < QUEUE_CAPACITY; index++) await later('2')
  await assert.rejects(later('3'), { code: 'queue_full' })
  assert.equal(await queue.remove(svcId), true)
  assert.equal(await queue.clear('2'), QUEUE_CAPACITY - 1)
  b.time.advance(2 * HOUR)
  await queue.enqueue(text('4'))
  await b.time.pass(2 * SECOND)
  await until(() => b.sent.length === 1, 'the last')
  assert.deepEqual(phones(b), ['4'])
})

test('the age of a message counts from its send_at, and from the time of queueing if that is later', async (t) => {
  const b = await bench(t, { queue_max_age_hours: 1 })
  const queue = await b.open()
  await queue.enqueue(text('past', { sendAt: START - 30 * HOUR }))
  await queue.enqueue(text('later', { sendAt: START + 30 * HOUR }))
  const pass = async (hours: number) => {
    for (let minutes = 0; minutes < hours * 60; minutes++) {
      await b.time.pass(MINUTE)
    }
  }
  await pass(1)
  await b.delivered(1)
  await pass(29)
  assert.equal(queue.waiting(), 1)
  await pass(1)
  const delivered = await b.delivered(2)
  assert.deepEqual(columns(delivered, 'phone', 'error_code'), [
    ['past', 'send_timeout'],
    ['later', 'send_timeout'],
  ])
})

test('a restart keeps the times, and sends at once what became due meanwhile', async (t) => {
  const b = await bench(t, UNPACED)
  const first = await b.open()
  await first.enqueue(text('soon', { sendAt: START + HOUR }))
  await first.enqueue(text('in 30 days', { sendAt: START + 720 * HOUR }))
  await first.stop(0)
  b.time.advance(2 * HOUR)
  const second = await b.open()
  b.connect(second)
  await b.delivered(1)
  assert.deepEqual(phones(b), ['soon'])
  await second.stop(0)
  b.time.advance(717 * HOUR)
  const third = await b.open()
  b.connect(third)
  assert.deepEqual(
    (await listed(third)).map(([phone, reason]) => [phone, reason]),
    [['in 30 days', 'send_at']],
  )
  b.time.advance(HOUR)
  await until(() => b.sent.length === 2, 'the second')
})

test('a clock that is set forward sends within a minute what is due, and expires nothing', async (t) => {
  const b = await bench(t, UNPACED)
  const queue = await b.open()
  queue.setConnected(true)
  await queue.enqueue(text('1', { sendAt: START + 20 * HOUR }))
  b.time.advance(2 * SECOND)
  b.step = 1_000 * HOUR
  b.time.advance(MINUTE)
  await until(() => b.sent.length === 1, 'it')
  await b.delivered(1)
  assert.equal((await b.deliveries())[0]!.status, 'sent')
})

test('a clock that is set back makes a message wait for its time again, and does not lose it', async (t) => {
  const b = await bench(t, UNPACED)
  const queue = await b.open()
  b.connect(queue)
  await queue.enqueue(text('1', { sendAt: START + HOUR }))
  b.step = -3 * HOUR
  await queue.enqueue(text('2'))
  await until(() => b.sent.length === 1, 'one without a time')
  await b.delivered(1)
  b.time.advance(3 * HOUR)
  assert.deepEqual(phones(b), ['2'])
  b.time.advance(HOUR)
  await until(() => b.sent.length === 2, 'it')
  assert.deepEqual(phones(b), ['2', '1'])
})

test('a message whose time has come does not wait again: neither if the clock is set back, nor after a kill in flight', async (t) => {
  const b = await bench(t, UNPACED)
  let isOpen = false
  const first = await b.open({
    isOpen: () => isOpen,
    async send(item) {
      b.sent.push(item)
      if (!isOpen) throw new Failure('instance_not_connected')
      return new Promise(() => {})
    },
  })
  const { messageId } = await first.enqueue(text('1', { sendAt: START + HOUR }))
  first.setConnected(true)
  b.time.advance(HOUR)
  await until(() => b.sent.length === 1, 'its first try')
  await b.time.armed(2 * SECOND)
  b.step = -2 * HOUR
  isOpen = true
  b.time.advance(2 * SECOND)
  await until(() => b.sent.length === 2, 'its second try')
  const second = await b.open()
  assert.equal(second.undecided(), messageId)
  b.connect(second)
  await until(() => b.sent.length === 3, 'its third try')
  assert.deepEqual(
    b.sent.map((item) => [item.messageId, item.again]),
    [
      [messageId, false],
      [messageId, true],
      [messageId, true],
    ],
  )
})
