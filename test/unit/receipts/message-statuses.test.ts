import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY } from '../../../src/domain/clock.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createRetention } from '../../../src/storage/retention.ts'
import { createSealer, type Sealer } from '../../../src/storage/sealer.ts'
import { createIdentity } from '../../../workers/shard/connection/identity.ts'
import { createReceiptLevels } from '../../../workers/shard/messages/receipt-levels.ts'
import { createMessageStatuses } from '../../../workers/shard/receipts/message-statuses.ts'
import type { MessageStatus, Receipt } from '../../../workers/shard/translate/inbound/receipt.ts'
import { createOutbox } from '../../../workers/shard/webhooks/outbox.ts'
import { INSTANCE, recordingLog, START, sealer, tempStore, until, webhookSettings } from '../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const ANA_LID = '81896604190001@lid'
const BIA = '5511988880002@s.whatsapp.net'
const GROUP = '120363019502650977@g.us'

/** Mapping from number to LID and from LID to number, in the form in which the library stores it. */
const pairs: Record<string, string> = {}
const identity = createIdentity({
  creds: { me: { id: '5511999990000:7@s.whatsapp.net' } },
  keys: { get: async (_: string, ids: string[]) => Object.fromEntries(ids.map((id) => [id, pairs[id]])) },
} as unknown as Parameters<typeof createIdentity>[0])

interface Bench {
  open(): Promise<ReturnType<typeof createMessageStatuses>>
  /** Reported statuses in the form `status ids participant`, in the order of the webhooks. */
  told: string[]
  fail(times: number): void
  /** Number of commits that changed the status of a message. */
  commits(): number
  pass(ms: number): void
  rows(): Promise<string[]>
}

async function bench(t: TestContext): Promise<Bench> {
  const real = await tempStore(t)
  const log = recordingLog()
  const told: string[] = []
  let failing = 0
  let commits = 0
  let now = START
  /** Ends the outbox of the previous run. Otherwise two outboxes would deliver the same events. */
  let endPrevious = async () => {}
  const clock = { now: () => now }
  const store = {
    ...real,
    commit: async (batch: Parameters<typeof real.commit>[0]) => {
      const isOfReceipts = batch.ops.some(([key]) => key.startsWith(keys.receipts(INSTANCE)))
      if (failing > 0 && isOfReceipts) {
        failing--
        throw new Error('no space left on device')
      }
      if (isOfReceipts) commits++
      return real.commit(batch)
    },
  }
  const made: Bench = {
    told,
    fail: (times) => {
      failing = times
    },
    commits: () => commits,
    pass: (ms) => {
      now += ms
    },
    async rows() {
      const found: string[] = []
      for await (const [key] of real.range(keys.receipts(INSTANCE))) found.push(key)
      return found
    },
    async open() {
      await endPrevious()
      const outbox = createOutbox({
        steps: () => {},
        instanceId: INSTANCE,
        store,
        sealer,
        clock,
        steady: clock,
        webhooks: () => webhookSettings(null, { message_status_url: 'http://127.0.0.1:1/hook' }),
        async deliver({ body }) {
          const { status, ids, phone, participant_phone } = JSON.parse(Buffer.from(body).toString())
          told.push([status, ids.join('+'), participant_phone ?? phone].join(' '))
          return { ok: true, code: 200, error: null, durationMs: 0 }
        },
        log,
      })
      await outbox.start()
      const retention = createRetention(log)
      const levels = createReceiptLevels({ id: INSTANCE, store, sealer, clock, log, retention })
      const statuses = createMessageStatuses({ store, steps: () => {} }, { outbox, levels })
      retention.start()
      endPrevious = async () => {
        await statuses.stop()
        await retention.stop()
        await outbox.stop(1_000)
      }
      t.after(endPrevious)
      return statuses
    },
  }
  return made
}

const receipt = (status: MessageStatus, ids: string[], more: Partial<Receipt> = {}): Receipt => ({
  status,
  ids,
  chat: ANA,
  participant: null,
  at: START,
  ...more,
})

const acked = (id: string, chat: string) => ({ chat, id, at: START, requestId: undefined, isNew: true })

// An earlier bug: the reported statuses were only in memory, so a late `delivered` was reported after `read` if a
// restart came between them.
test('after a restart no value is told again, and no lower one', async (t) => {
  const b = await bench(t)
  const before = await b.open()
  await before.take(identity, receipt('read', ['A']))
  await before.stop()
  const after = await b.open()
  await after.take(identity, receipt('delivered', ['A', 'B']))
  await after.take(identity, receipt('read', ['A']))
  assert.equal(await after.sent(identity, acked('A', ANA)), null)
  await after.take(identity, receipt('played', ['A']))
  const rising = ['sent A', 'delivered A', 'read A', 'sent B', 'delivered B', 'played A']
  await until(() => b.told.length === rising.length, 'all')
  assert.deepEqual(
    b.told,
    rising.map((each) => `${each} 5511988880001`),
  )
})

// An earlier bug: if the commit of a status failed, the event was lost, because a repetition of the receipt was
// ignored.
test('what could not be written is told when it comes again', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  b.fail(1)
  await assert.rejects(statuses.take(identity, receipt('delivered', ['A'])))
  await statuses.take(identity, receipt('delivered', ['A']))
  await until(() => b.told.length === 2, 'sent and delivered')
})

const FORTY = Array.from({ length: 40 }, (_, index) => `M${index}`)
const statusesOf = (ids: readonly string[]) =>
  ids.flatMap((id) => ['sent', 'delivered', 'read'].map((status) => `${status} ${id} 5511988880001`))

test('receipts that come together share commits, and the events keep their order', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  await Promise.all(
    FORTY.flatMap((id) => [receipt('delivered', [id]), receipt('read', [id])]).map((each) => statuses.take(identity, each)),
  )
  assert.equal(b.commits(), 3)
  await until(() => b.told.length === 3 * FORTY.length, 'all')
  assert.deepEqual(b.told, statusesOf(FORTY))
})

test('after a failed commit of several receipts each has a commit of its own, and only the one that fails comes again', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  b.fail(2)
  const ids = FORTY.slice(0, 3)
  const taken = await Promise.allSettled(ids.map((id) => statuses.take(identity, receipt('read', [id]))))
  assert.deepEqual(
    taken.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
  await statuses.take(identity, receipt('read', [ids[0]!]))
  await until(() => b.told.length === 9, 'all')
  assert.deepEqual([...b.told].sort(), statusesOf(ids).sort())
})

// In an earlier bug, `sent` counted as reported as soon as its operations were prepared. If the item could not be ended
// after that, the next attempt did not report `sent`.
test('`sent` counts when it is committed, not when it is prepared', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  assert.ok((await statuses.sent(identity, acked('A', ANA)))?.ops().length)
  const again = await statuses.sent(identity, acked('A', ANA))
  assert.ok(again?.ops().length)
  again.applied()
  assert.equal(await statuses.sent(identity, acked('A', ANA)), null)
})

test('a receipt waits for the commit of `sent`; where that takes too long, the receipt reports it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const b = await bench(t)
  const statuses = await b.open()
  statuses.hold('A')
  const first = await statuses.sent(identity, acked('A', ANA))
  const waiting = statuses.take(identity, receipt('delivered', ['A']))
  await statuses.take(identity, receipt('delivered', ['B']))
  assert.equal((await b.rows()).length, 1)
  t.mock.timers.tick(10_000)
  await waiting
  assert.deepEqual(first?.ops(), [])
  await until(() => b.told.length === 4, 'all')
  assert.deepEqual(
    b.told,
    ['sent B', 'delivered B', 'sent A', 'delivered A'].map((each) => `${each} 5511988880001`),
  )
})

// An earlier bug: if the receipt was written first, `sent` was reported after `delivered`, and the receipt was then
// reported again.
test('a receipt that reaches the disk while the commit of `sent` waits for it reports `sent`, and the commit does not', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  const first = await statuses.sent(identity, acked('A', ANA))
  assert.ok(first?.ops().length, 'a try that failed')
  await statuses.take(identity, receipt('delivered', ['A']))
  assert.deepEqual(first.ops(), [], 'the next one')
  first.applied()
  await statuses.take(identity, receipt('delivered', ['A']))
  await statuses.take(identity, receipt('read', ['A']))
  await until(() => b.told.length === 3, 'all')
  assert.deepEqual(b.told, ['sent A 5511988880001', 'delivered A 5511988880001', 'read A 5511988880001'])
})

test('one person under two names is one participant', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  await statuses.take(identity, receipt('read', ['A'], { chat: ANA_LID }))
  await statuses.take(identity, receipt('read', ['G'], { chat: GROUP, participant: ANA_LID }))
  t.after(() => {
    for (const name of Object.keys(pairs)) delete pairs[name]
  })
  Object.assign(pairs, { '5511988880001': '81896604190001', '81896604190001_reverse': '5511988880001' })
  await statuses.take(identity, receipt('delivered', ['A']))
  await statuses.take(identity, receipt('delivered', ['G'], { chat: GROUP, participant: ANA }))
  await statuses.take(identity, receipt('delivered', ['G'], { chat: GROUP, participant: BIA }))
  const told = [
    ...['sent A', 'delivered A', 'read A'].map((each) => `${each} 81896604190001@lid`),
    'sent G 120363019502650977-group',
    ...['delivered G', 'read G'].map((each) => `${each} 81896604190001@lid`),
    'delivered G 5511988880002',
  ]
  await until(() => b.told.length === told.length, 'all')
  assert.deepEqual(b.told, told)
})

test('a stranger’s receipt for a message to somebody else hides nothing', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  await statuses.take(identity, receipt('played', ['A'], { chat: BIA }))
  await statuses.take(identity, receipt('delivered', ['A']))
  await statuses.take(identity, receipt('delivered', ['../?', 'x'.repeat(5_000)], { chat: BIA }))
  await until(() => b.told.length === 7, 'all')
  assert.deepEqual(b.told.slice(3, 5), ['sent A 5511988880001', 'delivered A 5511988880001'])
})

// A contact may open a chat weeks after a message was delivered, so the receipt `read` may come weeks later.
test('values are kept for as long as receipts for a message count', async (t) => {
  const b = await bench(t)
  let statuses = await b.open()
  await statuses.take(identity, receipt('delivered', ['A']))
  const restart = async (ms: number) => {
    await statuses.stop()
    b.pass(ms)
    statuses = await b.open()
  }
  await restart(62 * DAY)
  await statuses.take(identity, receipt('read', ['A']))
  await until(() => b.told.length === 3, 'all')
  assert.deepEqual(
    b.told,
    ['sent A', 'delivered A', 'read A'].map((each) => `${each} 5511988880001`),
  )
  await restart(71 * DAY)
  await until(async () => (await b.rows()).length === 0, 'removed')
})

const rising = [
  ['read', 'a person', {}, ['sent A 5511988880001', 'delivered A 5511988880001', 'read A 5511988880001']],
  // A person who hides read receipts still sends receipts for played messages. So `read` must not be implied.
  ['played', 'a person', {}, ['sent A 5511988880001', 'delivered A 5511988880001', 'played A 5511988880001']],
  [
    'played',
    'a member of a group',
    { chat: GROUP, participant: BIA },
    ['sent A 120363019502650977-group', 'delivered A 5511988880002', 'read A 5511988880002', 'played A 5511988880002'],
  ],
] as const

// Receipts may arrive in the wrong order. An earlier bug reported only the higher status, so programs waited forever
// for the lower status.
for (const [status, who, where, told] of rising)
  test(`a \`${status}\` by ${who} that overtakes the receipts below it reports them first, each once`, async (t) => {
    const b = await bench(t)
    const statuses = await b.open()
    for (const each of [status, 'delivered', 'read', status] as const) await statuses.take(identity, receipt(each, ['A'], where))
    await statuses.take(identity, receipt('delivered', ['B'], where))
    await until(() => b.told.length === told.length + 2, 'all')
    assert.deepEqual(b.told.slice(0, told.length), told)
  })

test('a list of messages in one receipt reports `delivered` for those alone that were not reported before', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  await statuses.take(identity, receipt('delivered', ['A']))
  await statuses.take(identity, receipt('read', ['A', 'B']))
  await until(() => b.told.length === 5, 'all')
  assert.deepEqual(
    b.told,
    ['sent A', 'delivered A', 'sent B', 'delivered B', 'read A+B'].map((each) => `${each} 5511988880001`),
  )
})

// The ack of the first attempt was lost with the connection. So the ack of the second attempt arrives after the
// receipts.
test('a receipt reports that the message was sent, in chats and in groups, once', async (t) => {
  const b = await bench(t)
  const statuses = await b.open()
  await statuses.take(identity, receipt('delivered', ['A', 'B']))
  await statuses.take(identity, receipt('read', ['A']))
  assert.equal(await statuses.sent(identity, acked('A', ANA)), null)
  await statuses.take(identity, receipt('delivered', ['G'], { chat: GROUP, participant: ANA }))
  await statuses.take(identity, receipt('delivered', ['G'], { chat: GROUP, participant: BIA }))
  assert.equal(await statuses.sent(identity, acked('G', GROUP)), null)
  await until(() => b.told.length === 6, 'all')
  assert.deepEqual(b.told, [
    'sent A+B 5511988880001',
    'delivered A+B 5511988880001',
    'read A 5511988880001',
    'sent G 120363019502650977-group',
    'delivered G 5511988880001',
    'delivered G 5511988880002',
  ])
})

// An unkeyed hash of an id and a number can be reversed by trying all values. So the hash is made with the key of the
// instance.
test('the name of a kept value is keyed: of another instance it is another', async (t) => {
  const store = await tempStore(t)
  const log = recordingLog()
  const context = { id: INSTANCE, store, clock: { now: () => START }, log, retention: createRetention(log) }
  const subject = (of: Sealer) => createReceiptLevels({ ...context, sealer: of }).subject('A', '5511988880001', '')
  assert.equal(subject(sealer), subject(sealer))
  assert.notEqual(subject(sealer), subject(createSealer(Buffer.alloc(32, 9))))
})
