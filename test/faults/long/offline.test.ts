/**
 * 5,000 messages wait for a gateway that was off, and are an hour old when they arrive. Every message must have an
 * event, and each chat must be in order, even if the process is killed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGround, until } from '../ground.ts'
import { compare, firstDeliveries, line, outOfOrder, textOf } from '../ledger.ts'
import { createChats, createMixed, stanzaOf, wrongWith } from '../mixed.ts'
import { createSeeded } from '../seeded.ts'
import { CONTACTS, MEMBERS, PHONE, writeBursts } from '../traffic.ts'

const HOUR = 3_600_000
const MIXED = 500
const ALONE = 1_350
const IN_GROUP = 900
const NEW = 30
/** The service runs twice. Its first run is killed after this number of events. */
const FIRST_LIFE = 1_500

/** Code that sets `Date` back by an hour in all threads of the network's process. */
const HOUR_BEHIND = `const Real = Date
globalThis.Date = class extends Real {
  constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() - ${HOUR}) }
  static now() { return Real.now() - ${HOUR} }
}`
const NETWORK = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HOUR_BEHIND)}` }

test('5,000 messages of an hour without the gateway are all delivered, none taken for history', {
  timeout: 540_000,
}, async (t) => {
  const seeded = createSeeded()
  const ground = await startGround(NETWORK)
  const { gateway, sandbox, receiver } = ground
  try {
    await gateway.connected(sandbox, PHONE, receiver, { webhooks: { notify_sent_by_me: true } })
    const chats = await createChats(sandbox)
    await ground.service.kill()

    const mixed = createMixed(sandbox, chats, MIXED, seeded)
    const [, two, three, four] = CONTACTS
    const lines = [
      [three, PHONE, ALONE, 'old c '],
      [four, PHONE, ALONE, 'old d '],
      [MEMBERS[0], chats.group, IN_GROUP, 'old g '],
      [MEMBERS[1], chats.group, IN_GROUP, 'old h '],
    ] as const
    const { ids, burst } = writeBursts(sandbox)
    for (const [from, to, count, prefix] of lines) await burst(from, to, count, prefix)
    while (mixed.left > 0) await mixed.send()
    // The network queues a message for the linked devices before the phone receives it. So the test waits for the
    // phone.
    const missing = new Set(ids)
    let seen = 0
    await until('all of them queued', async () => {
      for (const { seq, id } of await sandbox.inbox(PHONE, seen, 1_000)) {
        seen = seq
        missing.delete(id)
      }
      return missing.size === 0
    })
    // The set is made before new messages are sent, so it contains only messages that wait on the network.
    const queued = new Set([...ids, ...mixed.sent.map(({ id }) => id)])
    assert.equal(queued.size, 5_000)

    const startedAt = Date.now()
    await ground.start()
    await until('the first of them', () => receiver.events('received').length >= FIRST_LIFE, 180_000)
    await ground.service.kill()
    await burst(three, PHONE, NEW, 'new c ', 10)
    await burst(MEMBERS[1], chats.group, NEW, 'new h ', 10)
    await burst(two, PHONE, NEW, 'new b ', 10)
    await ground.start()

    const all = [...ids, ...mixed.sent.map(({ id }) => id)]
    const settle = () => compare(receiver, 'received', all, stanzaOf)
    const deadline = Date.now() + 240_000
    const isDone = () => receiver.received.length > all.length && settle().lost.length === 0
    await until('everything', () => isDone() || Date.now() > deadline, 250_000)

    const { sent, unique, duplicates, lost, torn } = settle()
    const tookMs = Date.now() - startedAt
    const unread = ground.unreadable() ?? '?'
    const facts = { duplicates, lost: lost.length, took_ms: tookMs, unreadable_at_first: unread }
    t.diagnostic(line('offline', { seed: seeded.seed, queued: queued.size, sent, unique, ...facts }))
    assert.deepEqual(lost, [])
    assert.deepEqual(torn, [], 'messages with two event ids')

    const first = firstDeliveries(receiver.events('received'))
    const isOld = ({ momment }: { momment: number }) => momment < startedAt - HOUR + 60_000
    assert.equal(first.filter((event) => isOld(event) && queued.has(stanzaOf(event))).length, queued.size, 'an hour old')
    const burstOf = new Set(ids)
    const texts = first.filter((event) => burstOf.has(stanzaOf(event)))
    assert.deepEqual(
      outOfOrder(
        texts,
        (event) => `${event.phone} ${event.participant_phone} ${/(.) \d+$/.exec(textOf(event))![1]}`,
        (event) => (textOf(event).startsWith('new') ? ALONE : 0) + Number(/\d+$/.exec(textOf(event))![0]),
      ),
      [],
      'texts out of order',
    )
    const byId = new Map(mixed.sent.map((each) => [each.id, each]))
    const others = first.flatMap((event) => {
      const message = byId.get(stanzaOf(event))
      return message ? [{ event, message }] : []
    })
    assert.deepEqual(
      others.map(({ event, message }) => wrongWith(message, event)).filter((wrong) => wrong !== null),
      [],
    )
    assert.deepEqual(
      outOfOrder(
        others,
        ({ event }) => String(event.phone),
        ({ message }) => message.number,
      ),
      [],
      'mixed messages out of order within a chat',
    )
    assert.deepEqual(receiver.problems, [])
  } finally {
    await ground.stop()
  }
})
