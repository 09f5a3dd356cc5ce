import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY, MINUTE } from '../../../src/domain/clock.ts'
import { EVENT_TYPES, type EventType } from '../../../src/domain/events.ts'
import type { WebhookSettings } from '../../../src/domain/instance.ts'
import type { Batch, Op, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import type { Outcome } from '../../../src/webhooks/delivery/delivery.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../../workers/shard/webhooks/outbox.ts'
import { sampleEvent } from '../../../workers/shard/webhooks/sample.ts'
import { textEvent } from '../../harness/received-event.ts'
import { INSTANCE, manualTime, recordingLog, START, tempStore, until, webhookSettings } from '../storage/fixtures.ts'
import { outboxOptions } from './outbox-options.ts'

const KEPT = 10 * MINUTE
const REFUSED: Outcome = { ok: false, code: 500, error: 'status 500', durationMs: 1 }
const TAKEN: Outcome = { ok: true, code: 200, error: null, durationMs: 1 }

async function bench(t: TestContext, settings: WebhookSettings = webhookSettings(null)) {
  const store = await tempStore(t)
  const time = manualTime()
  const counts = { news: 0, interests: 0 }
  const made = {
    store,
    time,
    counts,
    settings,
    outcome: TAKEN,
    outbox: undefined as unknown as Outbox,
    async open(change: Partial<OutboxOptions> = {}) {
      await made.outbox?.stop(0)
      const options = outboxOptions(store, time, {
        webhooks: () => made.settings,
        deliver: async () => made.outcome,
        log: recordingLog(),
        onEvents: () => counts.news++,
        onInterest: () => counts.interests++,
        ...change,
      })
      made.outbox = createOutbox(options)
      await made.outbox.start()
    },
    async add(...types: EventType[]): Promise<string[]> {
      const ids: string[] = []
      for (const type of types) {
        const event = type === 'received' ? textEvent(`text ${ids.length}`, START) : sampleEvent(type, START)
        const { eventId, ops } = made.outbox.append(event)
        await store.commit({ ops })
        made.outbox.committed(eventId)
        ids.push(eventId)
      }
      return ids
    },
    async read(after: string | null, types: readonly EventType[] = EVENT_TYPES) {
      const ids: string[] = []
      const gaps: { from: string; to: string }[] = []
      const bodies: string[] = []
      let cursor = after
      let reportedGap: string | null = null
      for (;;) {
        const page = await made.outbox.events({ after: cursor, types, reportedGap })
        if (page.gap) gaps.push(page.gap)
        reportedGap = page.gap?.to ?? reportedGap
        ids.push(...page.events.map(({ id }) => id))
        bodies.push(...page.events.map(({ data }) => data))
        cursor = page.cursor
        if (!page.more) return { ids, gaps, bodies, cursor }
      }
    },
    async stored(prefix: string) {
      let count = 0
      for await (const _ of store.range(prefix)) count++
      return count
    },
  }
  t.after(() => made.outbox?.stop(0))
  await made.open()
  return made
}

test('without a URL and without a reader no event is wanted; with a reader those of its types are, unless they are silenced', async (t) => {
  const b = await bench(t)
  assert.deepEqual(EVENT_TYPES.filter(b.outbox.wanted), [])
  await b.read(null, ['received', 'delivery'])
  assert.deepEqual(EVENT_TYPES.filter(b.outbox.wanted), ['received', 'delivery'])
  assert.equal(b.counts.interests, 1)
  b.settings = { ...b.settings, ignore_received_callback: true }
  assert.deepEqual(EVENT_TYPES.filter(b.outbox.wanted), ['delivery'])
  b.settings = webhookSettings(null)
  await b.read(null, ['received'])
  assert.equal(b.counts.interests, 1, 'nothing new is read')
  b.time.advance(KEPT + 1)
  assert.deepEqual(EVENT_TYPES.filter(b.outbox.wanted), [])
  assert.equal(b.counts.interests, 2, 'nobody reads any more, and somebody is told')
})

test('a reader gets the events behind its last one, in order, as a webhook gets them, and only its types', async (t) => {
  const b = await bench(t)
  const { cursor } = await b.read(null)
  const ids = await b.add('received', 'delivery', 'instance_status', 'received', 'chat_presence')
  const all = await b.read(cursor)
  assert.deepEqual(all.ids, ids)
  assert.deepEqual(all.gaps, [])
  const parsed = all.bodies.map((body) => JSON.parse(body))
  assert.deepEqual(
    parsed.map(({ event_id }) => event_id),
    ids,
  )
  assert.deepEqual(parsed[0], {
    type: 'received',
    event_id: ids[0],
    instance_id: INSTANCE,
    momment: START,
    ...textEvent('text 0', START).body,
  })
  assert.deepEqual((await b.read(ids[1]!)).ids, ids.slice(2))
  assert.deepEqual((await b.read(cursor, ['received'])).ids, [ids[0], ids[3]])
  assert.equal(await b.stored(keys.log(INSTANCE)), 0, 'events that no webhook wants are not in its log')
  assert.equal(b.outbox.backlog(), 0)
})

test('an event with a URL is delivered and kept, with the same bytes', async (t) => {
  const bodies: string[] = []
  const b = await bench(t, webhookSettings('http://127.0.0.1:9/hook'))
  const deliver: OutboxOptions['deliver'] = async ({ body }) => {
    bodies.push(Buffer.from(body).toString())
    return TAKEN
  }
  await b.open({ deliver })
  const { cursor } = await b.read(null)
  await b.add('received', 'received')
  await until(() => bodies.length === 2 && b.outbox.backlog() === 0, 'both delivered')
  assert.deepEqual((await b.read(cursor)).bodies, bodies)
})

test('a page never passes an event that is on its way to the disk', async (t) => {
  const b = await bench(t)
  const { cursor } = await b.read(null)
  const slow = b.outbox.append(textEvent('slow', START))
  const [quick] = await b.add('received')
  assert.ok(slow.eventId < quick!)
  assert.deepEqual((await b.read(cursor)).ids, [])
  const { news } = b.counts
  await b.store.commit({ ops: slow.ops })
  b.outbox.committed(slow.eventId)
  assert.equal(b.counts.news, news + 1, 'who waits is told')
  assert.deepEqual((await b.read(cursor)).ids, [slow.eventId, quick])
})

test('an event whose commit failed holds the others back for a minute, not for good', async (t) => {
  const b = await bench(t)
  const { cursor } = await b.read(null)
  b.outbox.append(textEvent('never stored', START))
  const [next] = await b.add('received')
  assert.deepEqual((await b.read(cursor)).ids, [])
  b.time.advance(MINUTE)
  assert.deepEqual((await b.read(cursor)).ids, [next])
})

// While the disk is full, the result of a send waits, but keeps its event id. When it is written, readers already have
// events with higher ids.
for (const minutes of [1, 11])
  test(`an event that reaches the disk ${minutes} min late is a gap for who has read on`, async (t) => {
    const b = await bench(t)
    const { cursor } = await b.read(null)
    const late = b.outbox.append(textEvent('late', START))
    const [next] = await b.add('received')
    let past = await b.read(cursor)
    for (let minute = 0; minute < minutes; minute++) {
      b.time.advance(MINUTE)
      past = await b.read(past.cursor)
    }
    assert.deepEqual([past.cursor, past.gaps], [next, []])
    await b.store.commit({ ops: late.ops })
    b.outbox.committed(late.eventId)
    assert.deepEqual(
      (await b.read(past.cursor)).gaps.map(({ from }) => from),
      [past.cursor],
    )
    assert.deepEqual((await b.read(cursor)).ids, [late.eventId, next], 'it can be read')
    await b.open()
    assert.equal((await b.read(past.cursor)).gaps.length, 1, 'and after a restart')
    assert.equal(b.outbox.backlog(), 0)
  })

test('a reader that waits is told once, however many events come', async (t) => {
  const b = await bench(t)
  const { cursor } = await b.read(null)
  await b.add('received', 'received', 'received')
  assert.equal(b.counts.news, 1)
  await b.read(cursor)
  await b.add('received')
  assert.equal(b.counts.news, 2)
})

test('the newest are kept, bounded by number, and who is behind is told from where to where', async (t) => {
  const b = await bench(t)
  await b.open({ maxKeptEvents: 50 })
  const { cursor } = await b.read(null)
  const ids = await b.add(...Array.from({ length: 60 }, () => 'received' as const))
  await until(async () => (await b.stored(keys.keptEvents(INSTANCE))) <= 50, 'the oldest dropped')
  const late = await b.read(cursor)
  assert.equal(late.gaps.length, 1)
  const [gap] = late.gaps
  assert.equal(gap!.from, cursor)
  assert.deepEqual(
    late.ids,
    ids.filter((id) => id > gap!.to),
    'behind the gap nothing is missing',
  )
  assert.ok(late.ids.length >= 45 && late.ids.length <= 50)
  assert.deepEqual((await b.read(gap!.to)).gaps, [], 'who has the last one that is gone misses none')
})

// An earlier bug: if the commit that removes kept events failed, these events stayed on disk until the next start.
test('kept events that could not be removed are removed with the next ones', async (t) => {
  const b = await bench(t)
  let isFailing = true
  let failed = 0
  const isRemoval = ({ ops }: Batch) => ops.some(([key, value]) => value === null && key.startsWith(keys.keptEvents(INSTANCE)))
  const store: StateStore = {
    ...b.store,
    async commit(batch) {
      if (isFailing && isRemoval(batch) && ++failed) throw new Error('no space left on device')
      return b.store.commit(batch)
    },
  }
  await b.open({ maxKeptEvents: 50, store })
  await b.read(null)
  await b.add(...Array.from({ length: 60 }, () => 'received' as const))
  await until(() => failed > 0, 'a removal failed')
  isFailing = false
  await b.add('received')
  await until(async () => (await b.stored(keys.keptEvents(INSTANCE))) <= 50, 'the oldest dropped')
})

test('what one type lost is no gap for a reader of another', async (t) => {
  const b = await bench(t)
  await b.open({ maxKeptEvents: 50 })
  const { cursor } = await b.read(null)
  const [status] = await b.add('instance_status')
  await b.read(status!)
  const others = await b.add(...Array.from({ length: 60 }, () => 'received' as const))
  await until(async () => (await b.stored(keys.keptEvents(INSTANCE))) <= 50, 'the oldest dropped')
  assert.deepEqual((await b.read(status!, ['instance_status'])).gaps, [])
  assert.equal((await b.read(cursor, ['instance_status'])).gaps.length, 1)
  assert.equal((await b.read(others[0]!, ['received'])).gaps.length, 1)
})

test('what is kept is bounded by bytes, too', async (t) => {
  const b = await bench(t)
  await b.read(null)
  for (let i = 0; i < 12; i++) {
    const { eventId, ops } = b.outbox.append(textEvent('x'.repeat(1_000_000), START))
    await b.store.commit({ ops })
    b.outbox.committed(eventId)
  }
  await until(async () => (await b.stored(keys.keptEvents(INSTANCE))) <= 8, 'no more than 8 MB')
  assert.equal(
    (await b.outbox.events({ after: '00000000000000000000000001', types: EVENT_TYPES, reportedGap: null })).events.length,
    1,
  )
})

test('after a restart the reader goes on where it was, with what came before it was back', async (t) => {
  const b = await bench(t)
  const { cursor } = await b.read(null)
  const before = await b.add('received', 'received')
  await b.open()
  const after = await b.add('received')
  const again = await b.read(cursor)
  assert.deepEqual(again.ids, [...before, ...after])
  assert.deepEqual(again.gaps, [])
  assert.ok(before[1]! < after[0]!, 'ids go on ascending')
})

test('events are not kept for readers who do not come back, and who comes later is told of a gap', async (t) => {
  const b = await bench(t)
  const { cursor } = await b.read(null)
  await b.add('received', 'received')
  b.time.advance(KEPT + 1)
  await until(async () => (await b.stored(keys.keptEvents(INSTANCE))) === 0, 'all dropped')
  await until(async () => (await b.store.get(keys.eventInterest(INSTANCE))) === undefined, 'nothing is left')
  const late = await b.read(cursor)
  assert.deepEqual(late.ids, [])
  assert.deepEqual(
    late.gaps.map(({ from }) => from),
    [cursor],
  )
  const next = await b.add('received')
  assert.deepEqual((await b.read(late.cursor)).ids, next)
})

test('a reader that stays is renewed by reading', async (t) => {
  const b = await bench(t)
  let { cursor } = await b.read(null)
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    b.time.advance(KEPT - 1)
    ids.push(...(await b.add('received')))
    const page = await b.read(cursor)
    assert.deepEqual([page.ids.length, page.gaps.length], [1, 0])
    cursor = page.cursor
  }
  assert.equal(cursor, ids.at(-1))
})

test('what waits for a webhook, or failed there, can be read though it was not kept for readers', async (t) => {
  const b = await bench(t, webhookSettings('http://127.0.0.1:9/hook'))
  b.outcome = REFUSED
  await b.open()
  const ids = await b.add('received', 'received')
  await until(async () => (await b.stored(keys.parked(INSTANCE))) === 2, 'both parked')
  const first = '00000000000000000000000001'
  const { ids: found, gaps } = await b.read(first)
  assert.deepEqual(found, ids)
  assert.deepEqual(
    gaps.map(({ from }) => from),
    [first],
    'before them others may have been delivered',
  )
  const more = await b.add('received')
  assert.deepEqual((await b.read(ids[0]!)).ids, [ids[1], ...more])
})

test('who has an event that this store never gave out is told so, and goes on from now', async (t) => {
  const b = await bench(t)
  await b.read(null)
  await b.add('received')
  const future = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'
  const page = await b.read(future)
  assert.deepEqual([page.ids, page.gaps.map(({ from }) => from)], [[], [future]])
  const next = await b.add('received')
  assert.deepEqual((await b.read(page.cursor)).ids, next)
})

test('event ids that were a month ahead begin again at the present, and a reader goes on behind a gap', async (t) => {
  const made = await bench(t)
  let shift = 0
  await made.open({ clock: { now: () => made.time.clock.now() + shift } })
  const { cursor: start } = await made.read(null)
  shift = 30 * DAY
  const [early] = await made.add('received')
  const { ids: seen, cursor } = await made.read(start)
  assert.deepEqual(seen, [early])
  shift = 0
  assert.ok(made.outbox.ahead() > 29 * DAY)
  made.outbox.configured()
  await until(() => made.outbox.ahead() === 0, 'ids of the present')
  const later = await made.add('received', 'received')
  assert.ok(later.every((id) => id < early!))
  const { gaps, ids, cursor: present } = await made.read(cursor)
  assert.deepEqual([ids, gaps], [[], [{ from: cursor, to: present }]])
  const next = await made.add('received')
  assert.deepEqual((await made.read(present)).ids, next)
})

test('one commit holds the event for the webhook and for the reader', async (t) => {
  const b = await bench(t, webhookSettings('http://127.0.0.1:9/hook'))
  await b.read(null)
  const { eventId, ops } = b.outbox.append(textEvent('both', START))
  const written = new Set(ops.map(([key]: Op) => key))
  assert.ok(written.has(keys.outboxEvent(INSTANCE, eventId)))
  assert.ok(written.has(keys.keptEvent(INSTANCE, eventId, 'received')))
})
