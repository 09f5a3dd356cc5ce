/**
 * Tests the reasons to hold items of the queue back. One test compares the next item with that of a simple model, which
 * checks every item against every reason. Clocks advance and jump during the tests.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MINUTE } from '../../../src/domain/clock.ts'
import type { Waiting } from '../../../workers/shard/queue/item.ts'
import { type ChangeListener, createHolds, type HoldPolicy } from '../../../workers/shard/queue/line/holds.ts'
import { createSeeded } from '../../faults/seeded.ts'

const itemOf = (place: string, phone = '1'): Waiting => ({
  svcId: place,
  messageId: `message of ${place}`,
  operation: 'send.sendText',
  phone,
  referenceMessageId: null,
  delayMessage: null,
  queuedAt: 0,
  sendAt: undefined,
  hasBytes: false,
  requestId: undefined,
  arrivedAt: 0,
  heldMs: 0,
  place,
  leftAt: undefined,
})

/** Creates a policy that holds back each item until its time. It counts how often the queue asks it. */
function untilTimes(times: Map<string, number>, clock: { now(): number }) {
  const policy: HoldPolicy & { asked: number } = {
    asked: 0,
    clock,
    holding({ svcId }) {
      policy.asked++
      const until = times.get(svcId) ?? 0
      return until > clock.now() ? { reason: 'send_at', until } : undefined
    },
  }
  return policy
}

/** Creates a policy that holds back all items for some people, until a time that is not known in advance. */
function closed() {
  const people = new Set<string>()
  const listeners: ChangeListener[] = []
  const policy: HoldPolicy = {
    clock: { now: () => 0 },
    holding: ({ phone }) => (people.has(phone) ? { reason: 'restricted', until: null } : undefined),
    onChange: (listener) => void listeners.push(listener),
  }
  return {
    policy,
    close: (phone: string) => void people.add(phone),
    open(phone: string, says: 'this person' | 'anybody') {
      people.delete(phone)
      const concerns = says === 'anybody' ? undefined : (item: Waiting) => item.phone === phone
      for (const listener of listeners) listener(concerns)
    },
  }
}

for (const seed of [1, 2, 3, 4, 5, 6])
  test(`the next item is the first that no policy holds, whatever changes and however a clock jumps (seed ${seed})`, () => {
    const { below } = createSeeded(seed)
    const epoch = { at: 1_000_000, now: () => epoch.at }
    const steady = { at: 5_000, now: () => steady.at }
    const dates = new Map<string, number>()
    const pauses = new Map<string, number>()
    const people = closed()
    const policies = [untilTimes(dates, epoch), people.policy, untilTimes(pauses, steady)]
    const holds = createHolds(policies, { clock: epoch, steady })
    let waiting: Waiting[] = []
    let added = 0
    const order = () => waiting.toSorted((one, other) => (one.place < other.place ? -1 : 1))
    const isFree = (item: Waiting) => policies.every(({ holding }) => holding(item) === undefined)
    const changes = [
      function add() {
        const item = itemOf(`${below(1_000)}/${added++}`, String(below(4)))
        if (below(2) === 0) dates.set(item.svcId, epoch.at + below(3 * HOUR))
        if (below(3) === 0) pauses.set(item.svcId, steady.at + below(HOUR))
        waiting.push(item)
        holds.add(item)
      },
      function remove() {
        const item = waiting[below(waiting.length || 1)]
        if (!item) return
        waiting = waiting.filter((each) => each !== item)
        holds.remove(item)
      },
      function pass() {
        const ms = below(20 * MINUTE)
        epoch.at += ms
        steady.at += ms
      },
      function jump() {
        epoch.at += below(4 * HOUR) - 2 * HOUR
      },
      () => people.close(String(below(4))),
      () => people.open(String(below(4)), below(2) === 0 ? 'this person' : 'anybody'),
    ]
    let held = 0
    for (let turn = 0; turn < 3_000; turn++) {
      changes[below(waiting.length > 60 ? changes.length : changes.length + 1) % changes.length]!()
      const expected = order().find(isFree)
      assert.equal(holds.next()?.svcId, expected?.svcId, `turn ${turn}`)
      if (expected === undefined && waiting.length > 0) held++
      for (const item of waiting) assert.equal(holds.of(item) === undefined, isFree(item), `turn ${turn}, ${item.svcId}`)
    }
    assert.ok(held > 0, 'there was a time at which all items were held')
  })

test('each held item is asked about once, and not at each look at the line', () => {
  const clock = { at: 0, now: () => clock.at }
  const times = new Map<string, number>()
  const policy = untilTimes(times, clock)
  const holds = createHolds([policy], { clock, steady: clock })
  for (let index = 0; index < 1_000; index++) {
    const item = itemOf(String(index).padStart(4, '0'))
    times.set(item.svcId, HOUR + index * MINUTE)
    holds.add(item)
  }
  for (let look = 0; look < 100; look++) assert.equal(holds.next(), undefined)
  assert.equal(policy.asked, 1_000)
  clock.at = HOUR + 2 * MINUTE
  for (const expected of ['0000', '0001', '0002']) {
    const next = holds.next()!
    assert.equal(next.svcId, expected)
    holds.remove(next)
  }
  assert.equal(holds.next(), undefined)
  assert.equal(policy.asked, 1_003)
})

test('the clocks are read again after a minute, or when the first hold ends; without a time nothing wakes', () => {
  const clock = { at: 0, now: () => clock.at }
  const times = new Map([['timed', HOUR]])
  const people = closed()
  people.close('2')
  const holds = createHolds([untilTimes(times, clock), people.policy], { clock, steady: clock })
  holds.add(itemOf('closed', '2'))
  assert.equal(holds.next(), undefined)
  assert.equal(holds.nextIn(), Number.POSITIVE_INFINITY)
  holds.add(itemOf('timed'))
  assert.equal(holds.next(), undefined)
  assert.equal(holds.nextIn(), MINUTE)
  clock.at = HOUR - 20
  assert.equal(holds.nextIn(), 20)
})

test('a time of the steady clock is listed as an epoch time', () => {
  const epoch = { at: 1_000_000, now: () => epoch.at }
  const steady = { at: 50, now: () => steady.at }
  const holds = createHolds([untilTimes(new Map([['paused', 80]]), steady)], { clock: epoch, steady })
  const item = itemOf('paused')
  holds.add(item)
  assert.deepEqual(holds.of(item), { reason: 'send_at', until: 1_000_030 })
  assert.equal(holds.next(), undefined)
  epoch.at += HOUR
  assert.deepEqual(holds.of(item), { reason: 'send_at', until: 1_000_030 + HOUR })
})

test('after a clock was set back or ahead, each policy is asked again at once', () => {
  const epoch = { at: 1_000_000, now: () => epoch.at }
  const steady = { at: 50, now: () => steady.at }
  let isNight = true
  const night: HoldPolicy = {
    clock: epoch,
    holding: () => (isNight ? { reason: 'quiet_hours', until: epoch.at + 9 * HOUR } : undefined),
  }
  for (const step of [-9 * HOUR, 2 * MINUTE]) {
    isNight = true
    const holds = createHolds([night], { clock: epoch, steady })
    const item = itemOf('1')
    holds.add(item)
    assert.equal(holds.next(), undefined)
    isNight = false
    epoch.at += MINUTE / 2
    assert.equal(holds.next(), undefined, 'a small adjustment changes nothing')
    assert.equal(holds.nextIn(), MINUTE)
    epoch.at += step
    assert.equal(holds.next(), item)
  }
})

test('a hold whose end had passed when it was made is asked about again', () => {
  const clock = { at: 1_000, now: () => clock.at }
  let isHeld = true
  const policy: HoldPolicy = {
    clock,
    holding: () => (isHeld ? { reason: 'first_contact_budget', until: clock.at - 1 } : undefined),
  }
  const holds = createHolds([policy], { clock, steady: clock })
  const item = itemOf('1')
  holds.add(item)
  assert.equal(holds.next(), undefined)
  isHeld = false
  clock.at += holds.nextIn()
  assert.equal(holds.next(), item)
})
