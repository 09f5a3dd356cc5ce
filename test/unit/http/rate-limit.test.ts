import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitUse } from '../../../src/domain/limit-share.ts'
import {
  createBuckets,
  createThrottle,
  FAILURES_PER_MINUTE,
  failuresAmong,
  sharedBuckets,
  startsAmong,
} from '../../../src/http/rate-limit.ts'
import { createUsesPace } from '../../../src/peer/engine/uses-pace.ts'

type Shared = ReturnType<typeof sharedBuckets>

test('a bucket gives 120 at once and then one every sixtieth of a second, never more than 120', () => {
  const time = { now: 0 }
  const buckets = createBuckets({ now: () => time.now })
  for (let left = 119; left >= 0; left--) assert.deepEqual(buckets.take('a'), { allowed: true, remaining: left, retryAfter: 1 })
  assert.equal(buckets.take('a').allowed, false)
  time.now = 16
  assert.equal(buckets.take('a').allowed, false)
  time.now = 17
  assert.equal(buckets.take('a').allowed, true)
  time.now = 1_000_000
  assert.equal(buckets.remaining('a'), 120)
})

/**
 * Returns how many requests of one caller several services allow. The caller sends to all of them every `pause`
 * seconds, and each service tells the others every quarter of a second what it has allowed.
 */
function allowedBy(services: number, seconds: number, perSecond: number, pause = 0.25): number {
  const time = { now: 0 }
  const clock = { now: () => time.now }
  const all = Array.from({ length: services }, () => sharedBuckets(createBuckets(clock, undefined, () => services)))
  let allowed = 0
  for (let step = 0; step < 4 * seconds; step++) {
    const requests = step % (4 * pause) === 0 ? (perSecond * pause) / services : 0
    for (const { buckets } of all) for (let request = 0; request < requests; request++) if (buckets.take('a').allowed) allowed++
    for (const { share } of all) {
      const uses = share.uses()
      for (const other of all) if (other.share !== share) other.share.spend(uses)
    }
    time.now += 250
  }
  return allowed
}

test('several services count the limit together: a flood gets that of one service, and a caller within it is never refused', () => {
  const alone = allowedBy(1, 60, 6_000)
  for (const services of [2, 3, 5]) {
    const together = allowedBy(services, 60, 6_000)
    // Several services may allow more than one service, until each has the counts of the others.
    assert.ok(together < 1.1 * alone + 120 * services, `${services}: ${together} of ${alone}`)
    const within = services * 4 * Math.floor(60 / services / 4)
    assert.equal(allowedBy(services, 60, within), 60 * within)
  }
})

test('a caller who sends bursts to all of several services at once pays for all of them', () => {
  const alone = allowedBy(1, 60, 6_000, 2)
  for (const services of [2, 3, 10]) {
    const together = allowedBy(services, 60, 6_000, 2)
    assert.ok(together < 1.1 * alone + 120 * services, `${services}: ${together} of ${alone}`)
  }
})

test('a caller within the limit is not refused because the news of some seconds arrives late and at once', () => {
  const time = { now: 0 }
  const clock = { now: () => time.now }
  const [here, there] = [0, 1].map(() => sharedBuckets(createBuckets(clock, undefined, () => 2))) as [Shared, Shared]
  const isInTime = createUsesPace(clock)
  const read = (lines: LimitUse[][]) => {
    for (const uses of lines.splice(0)) if (isInTime()) here.share.spend(uses)
  }
  const held: LimitUse[][] = []
  const send = ({ buckets }: Shared) => Array.from({ length: 15 }, () => buckets.take('a').allowed).every(Boolean)
  for (let step = 0; step < 22; step++) {
    if (step === 11) read(held)
    assert.ok(send(step < 11 ? there : here), `${step}`)
    held.push(there.share.uses())
    time.now += 250
  }
  // The first counts that arrive after a pause are in time, so a burst in them counts in full.
  time.now += 10_000
  read([[['a', 120]]])
  assert.equal(here.buckets.take('a').allowed, false)
})

test('a bucket owes at most what those of the other services can hold, and says that nothing remains', () => {
  const time = { now: 0 }
  const { buckets, share } = sharedBuckets(createBuckets({ now: () => time.now }))
  share.spend([['a', 1_000]])
  assert.deepEqual([buckets.remaining('a'), buckets.take('a')], [0, { allowed: false, remaining: 0, retryAfter: 3 }])
  assert.deepEqual(share.uses(), [], 'a refused request is no use')
  time.now = 2_100
  assert.equal(buckets.take('a').allowed, true)
  assert.deepEqual([share.uses(), share.uses()], [[['a', 1]], []])
})

test('a clock that is set back neither fills a bucket nor stops it from filling', () => {
  const time = { now: 1_000_000 }
  const buckets = createBuckets({ now: () => time.now })
  for (let sent = 0; sent < 120; sent++) buckets.take('a')
  time.now = 0
  assert.equal(buckets.take('a').allowed, false)
  time.now = 1_000
  assert.equal(buckets.take('a').remaining, 59)
})

test('a bucket that is full again is forgotten when there are very many', () => {
  const time = { now: 0 }
  const buckets = createBuckets({ now: () => time.now })
  for (let owner = 0; owner < 10_002; owner++) buckets.take(`o${owner}`)
  time.now = 60_000
  assert.equal(buckets.take('o1').remaining, 119)
})

test('the thirtieth failure of a minute blocks the address until that minute ends', () => {
  const time = { now: 5_000 }
  const throttle = createThrottle({ now: () => time.now })
  for (let failure = 1; failure < FAILURES_PER_MINUTE; failure++) throttle.failed('a')
  assert.equal(throttle.blockedFor('a'), undefined)
  time.now = 64_000
  throttle.failed('a')
  assert.equal(throttle.blockedFor('a'), 1)
  assert.equal(throttle.blockedFor('b'), undefined)
  time.now = 65_000
  assert.equal(throttle.blockedFor('a'), undefined)
  throttle.failed('a')
  assert.equal(throttle.blockedFor('a'), undefined, 'a new minute begins with nothing')
})

test('the addresses of one IPv6 network are one: a subscriber is given 2^64 of them', () => {
  const throttle = createThrottle({ now: () => 0 })
  for (let failure = 0; failure < FAILURES_PER_MINUTE; failure++) throttle.failed(`2001:db8:1:2::${failure.toString(16)}`)
  assert.equal(throttle.blockedFor('2001:db8:1:2:ffff::1'), 60)
  assert.equal(throttle.blockedFor('2001:db8:1:3::1'), undefined)
})

/**
 * The tests measure the work by the number of times that the clock is read. A sweep of the buckets reads it for each
 * bucket; the throttle reads it once for each failure.
 */
test('a request costs the same however many owners have a bucket', () => {
  let looks = 0
  const buckets = createBuckets({ now: () => ++looks / 1_000 })
  for (let owner = 0; owner < 11_000; owner++) buckets.take(`o${owner}`)
  assert.ok(looks <= 200_000, `${looks} looks`)
})

test('failures are counted for 100,000 addresses; beyond that the first to be forgiven is forgotten', () => {
  const time = { now: 0 }
  const throttle = createThrottle({ now: () => time.now })
  const fail = (source: string) => {
    for (let failure = 0; failure < FAILURES_PER_MINUTE; failure++) throttle.failed(source)
  }
  fail('first')
  time.now = 1
  fail('second')
  for (let source = 0; source < 99_999; source++) throttle.failed(`s${source}`)
  assert.deepEqual([throttle.blockedFor('first'), throttle.blockedFor('second')], [undefined, 60])
})

test('services on one store share the failures of a minute and the starts of a link, as many as run at the time', () => {
  const time = { now: 0 }
  let services = 3
  const clock = { now: () => time.now }
  const throttle = createThrottle(clock, () => failuresAmong(services))
  for (let failed = 1; failed <= 10; failed++) {
    assert.equal(throttle.blockedFor('198.51.100.7'), undefined)
    throttle.failed('198.51.100.7')
  }
  assert.equal(throttle.blockedFor('198.51.100.7'), 60)
  services = 1
  assert.equal(throttle.blockedFor('198.51.100.7'), undefined)
  assert.deepEqual([failuresAmong(1), failuresAmong(100)], [FAILURES_PER_MINUTE, 5])

  const starts = createBuckets(clock, () => startsAmong(services))
  assert.equal(starts.take('link').remaining, 4)
  services = 2
  assert.equal(starts.take('link').remaining, 1)
  assert.equal(starts.take('link').allowed, true)
  assert.deepEqual(starts.take('link'), { allowed: false, remaining: 0, retryAfter: 120 })
})
