/**
 * Tests the rules of send safety with single cases, and with weeks of messages during which the clock jumps. A week is
 * checked with the true time, which the rules do not know: no budget may be exceeded, no message may be dropped, and no
 * answer may wait.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createBoundedClock, MOST_STEP } from '../../../src/domain/bounded-clock.ts'
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { SEND_SAFETY_OFF, type SendSafetySettings } from '../../../src/domain/send-safety.ts'
import { quietUntil } from '../../../workers/shard/queue/safety/quiet-hours.ts'
import {
  type Moment,
  paceWait,
  type QuietUntil,
  quietWait,
  type Recipient,
  type SafetyState,
  type Wait,
} from '../../../workers/shard/queue/safety/rules.ts'

type Verdict = 'go' | Wait

/** The queue asks both rules, in this order. */
const decide = (
  settings: SendSafetySettings,
  state: SafetyState,
  recipient: Recipient,
  now: Moment,
  quiet: QuietUntil | undefined,
): Verdict => paceWait(settings, state, recipient, now) ?? (quiet && quietWait(recipient, now.at, quiet)) ?? 'go'

const T0 = Date.UTC(2026, 0, 31, 12)
const NEW: Recipient = { isPerson: true, isKnown: false, heardAt: null, unanswered: 0 }
const KNOWN: Recipient = { ...NEW, isKnown: true }
const NOTHING: SafetyState = { contacts: [], linkedAt: T0 }

const ask = (
  settings: Partial<SendSafetySettings>,
  recipient: Recipient,
  state: Partial<SafetyState> = {},
  now: Moment = { at: T0, steady: T0 },
): Verdict => {
  const all = { ...SEND_SAFETY_OFF, ...settings }
  return decide(all, { ...NOTHING, ...state }, recipient, now, all.quiet_hours ? quietUntil(all.quiet_hours) : undefined)
}

describe('the budget of first contacts', () => {
  const perHour = { first_contacts_per_hour: 2 }

  test('a first contact waits until the oldest one of the hour is an hour old', () => {
    const contacts = [T0 - 90 * MINUTE, T0 - 50 * MINUTE, T0 - 10 * MINUTE]
    assert.deepEqual(ask(perHour, NEW, { contacts }), { reason: 'first_contact_budget', until: T0 + 10 * MINUTE })
    assert.equal(ask(perHour, NEW, { contacts: contacts.slice(1, 2) }), 'go')
  })
  test('known people, groups and channels use nothing of it', () => {
    const contacts = [T0 - 2, T0 - 1]
    assert.equal(ask(perHour, KNOWN, { contacts }), 'go')
    assert.equal(ask(perHour, { ...NEW, isPerson: false }, { contacts }), 'go')
  })
  test('of the budgets for an hour and a day the one that ends last counts', () => {
    const both = { first_contacts_per_hour: 1, first_contacts_per_day: 2 }
    const contacts = [T0 - 20 * HOUR, T0 - MINUTE]
    assert.deepEqual(ask(both, NEW, { contacts }), { reason: 'first_contact_budget', until: T0 + 4 * HOUR })
  })
  test('the clock of the windows is not that of the dates', () => {
    const now = { at: T0 + 5 * DAY, steady: T0 }
    const wait = { reason: 'first_contact_budget', until: T0 + 30 * MINUTE }
    assert.deepEqual(ask({ first_contacts_per_hour: 1 }, NEW, { contacts: [T0 - 30 * MINUTE] }, now), wait)
  })
  test('without settings nothing waits', () => {
    assert.equal(ask({}, { ...NEW, unanswered: 99 }, { contacts: [T0, T0, T0] }), 'go')
  })
})

describe('the warm-up', () => {
  const curve = {
    first_contacts_warm_up: [
      { day: 0, per_day: 0 },
      { day: 3, per_day: 1 },
      { day: 10, per_day: null },
    ],
  }
  const onDay = (day: number, contacts: number[] = []) => ask(curve, NEW, { contacts, linkedAt: T0 - day * DAY })

  test('each step is the budget from its day on, and the next step ends a wait', () => {
    assert.deepEqual(onDay(1), { reason: 'first_contact_budget', until: T0 + 2 * DAY })
    assert.equal(onDay(3), 'go')
    assert.deepEqual(onDay(4, [T0 - HOUR]), { reason: 'first_contact_budget', until: T0 + 23 * HOUR })
    assert.deepEqual(onDay(9.5, [T0 - HOUR]), { reason: 'first_contact_budget', until: T0 + 12 * HOUR })
    assert.equal(onDay(10, [T0 - 2, T0 - 1]), 'go')
  })
  test('a number of unknown age is old', () => assert.equal(ask(curve, NEW, { linkedAt: null }), 'go'))
  test('a last step of zero never ends', () => {
    const never = { first_contacts_warm_up: [{ day: 0, per_day: 0 }] }
    assert.deepEqual(ask(never, NEW), { reason: 'first_contact_budget', until: null })
  })
})

describe('the pause after unanswered messages', () => {
  const pause = { pause_after_unanswered: 2 }
  test('the message after the last unanswered one waits without a time', () => {
    assert.equal(ask(pause, { ...KNOWN, unanswered: 1 }), 'go')
    assert.deepEqual(ask(pause, { ...KNOWN, unanswered: 2 }), { reason: 'unanswered', until: null })
    assert.equal(ask(pause, { ...KNOWN, isPerson: false, unanswered: 2 }), 'go')
  })
})

describe('quiet hours', () => {
  const SAO_PAULO = { from: '22:00', to: '08:00', time_zone: 'America/Sao_Paulo' }
  const utc = (text: string) => Date.parse(`${text}:00Z`)

  test('they include midnight, and end with the minute of their end', () => {
    const until = quietUntil(SAO_PAULO)
    assert.equal(until(utc('2026-01-31T01:30')), utc('2026-01-31T11:00'))
    assert.equal(until(utc('2026-01-31T10:59')), utc('2026-01-31T11:00'))
    assert.equal(until(utc('2026-01-31T11:00')), null)
    assert.equal(until(utc('2026-01-31T00:59')), null)
  })
  test('they are right when clocks change, even if their end does not exist that day', () => {
    const berlin = (to: string) => quietUntil({ from: '22:00', to, time_zone: 'Europe/Berlin' })
    // In this zone, on 29 March 2026 clocks are set from 02:00 to 03:00 at 01:00 UTC, and on 25 October from 03:00 to
    // 02:00.
    assert.equal(berlin('07:00')(utc('2026-03-28T22:00')), utc('2026-03-29T05:00'))
    assert.equal(berlin('02:30')(utc('2026-03-28T22:00')), utc('2026-03-29T01:00'))
    assert.equal(berlin('07:00')(utc('2026-10-24T22:00')), utc('2026-10-25T06:00'))
  })
  test('whoever wrote within a day gets answers', () => {
    const at = utc('2026-01-31T03:00')
    const night = (heardAt: number | null) => ask({ quiet_hours: SAO_PAULO }, { ...KNOWN, heardAt }, {}, { at, steady: at })
    assert.equal(night(at - 23 * HOUR), 'go')
    assert.equal(night(at + MINUTE), 'go')
    assert.deepEqual(night(at - 25 * HOUR), { reason: 'quiet_hours', until: utc('2026-01-31T11:00') })
    assert.deepEqual(night(null), { reason: 'quiet_hours', until: utc('2026-01-31T11:00') })
  })
  test('their end is the first minute that is not quiet', () => {
    const zones = ['America/Sao_Paulo', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']
    const time = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
    // The hours around the clock changes of 2026 in these zones, and any other hours.
    const changes = [
      '2026-03-29T01:00',
      '2026-10-25T01:00',
      '2026-03-08T07:00',
      '2026-11-01T06:00',
      '2026-04-04T15:00',
      '2026-10-03T15:30',
    ]
    const near = fc
      .tuple(fc.constantFrom(...changes), fc.integer({ min: -1_440, max: 1_440 }))
      .map(([at, minutes]) => utc(at) + minutes * MINUTE)
    fc.assert(
      fc.property(fc.constantFrom(...zones), time, time, near, (time_zone, from, to, at) => {
        fc.pre(from !== to)
        const until = quietUntil({ from, to, time_zone })
        const end = until(at)
        if (end === null) return
        assert.equal(until(end), null)
        for (let minute = at; minute < end; minute += MINUTE) assert.notEqual(until(minute), null, new Date(minute).toISOString())
      }),
      { numRuns: 60 },
    )
  })
})

/** Runs a week of one account. The steps are in true time. `jump` sets the machine's clock. */
type Step =
  | { kind: 'send'; person: number }
  | { kind: 'hear'; person: number; isAnswered: boolean }
  | { kind: 'jump'; offset: number }

const PEOPLE = 60
const person = fc.nat(PEOPLE - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('send' as const), person }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hear' as const), person, isAnswered: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      offset: fc.constantFrom(0, -3 * HOUR, 8 * MINUTE, 2 * DAY, 400 * DAY, -40 * DAY),
    }),
  },
)
const week = fc.array(fc.tuple(fc.nat(7 * DAY), step), { minLength: 60, maxLength: 200 })
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const anySettings: fc.Arbitrary<SendSafetySettings> = fc.record({
  first_contacts_per_hour: orNull(fc.integer({ min: 1, max: 3 })),
  first_contacts_per_day: orNull(fc.integer({ min: 2, max: 12 })),
  first_contacts_warm_up: orNull(
    fc.constant([
      { day: 0, per_day: 2 },
      { day: 2, per_day: 5 },
      { day: 5, per_day: null },
    ]),
  ),
  quiet_hours: orNull(
    fc.constantFrom(
      { from: '22:00', to: '08:00', time_zone: 'Europe/Berlin' },
      { from: '00:30', to: '02:30', time_zone: 'Europe/Berlin' },
    ),
  ),
  pause_after_unanswered: orNull(fc.integer({ min: 1, max: 4 })),
})

/** Runs a week that begins at `begin`. After it, continues for as long as a message waits for a time. */
function live(settings: SendSafetySettings, begin: number, steps: readonly (readonly [number, Step])[]) {
  let time = begin
  let offset = 0
  const wall = { now: () => time + offset }
  const steady = { now: () => time }
  const clock = createBoundedClock({ wall, steady, uptime: () => time })
  const quiet = settings.quiet_hours ? quietUntil(settings.quiet_hours) : undefined
  const state = { contacts: [] as number[], linkedAt: begin }
  const people = Array.from({ length: PEOPLE }, () => ({ ...NEW }))
  const queue: { person: number; isAnswer: boolean }[] = []
  const sent: { person: number; at: number; isFirst: boolean; isAnswer: boolean; isClockRight: boolean }[] = []

  const verdictOf = (one: number) => decide(settings, state, people[one]!, { at: clock.now(), steady: time }, quiet)

  function pump() {
    // The network reports the true time, so the service does not believe a jump ahead.
    clock.learned(time, true)
    for (;;) {
      const next = queue.findIndex((item) => verdictOf(item.person) === 'go')
      if (next === -1) return
      const [item] = queue.splice(next, 1)
      const to = people[item!.person]!
      sent.push({ ...item!, at: time, isFirst: !to.isKnown, isClockRight: clock.now() === time })
      if (!to.isKnown) state.contacts.push(time)
      to.isKnown = true
      to.unanswered++
    }
  }

  /** Returns the time at which the queue asks the rules again by itself. */
  function nextEnd() {
    const ends = queue.flatMap((item) => {
      const verdict = verdictOf(item.person)
      if (verdict === 'go' || verdict.until === null) return []
      // Quiet hours end at a time of the wall clock. The other holds end at a time of the monotonic clock, which does
      // not jump.
      return [verdict.reason === 'quiet_hours' ? time + (verdict.until - clock.now()) : verdict.until]
    })
    return Math.min(...ends)
  }

  function runUntil(end: number) {
    for (let next = nextEnd(); next <= end; next = nextEnd()) {
      assert.ok(next > time, 'a wait ends later than it is asked about')
      time = next
      pump()
    }
    time = end
  }

  function take(one: Step) {
    if (one.kind === 'jump') offset = one.offset
    else if (one.kind === 'send') queue.push({ person: one.person, isAnswer: false })
    else {
      Object.assign(people[one.person]!, { isKnown: true, heardAt: time, unanswered: 0 })
      if (one.isAnswered) queue.unshift({ person: one.person, isAnswer: true })
    }
    const before = queue.length
    pump()
    if (one.kind === 'hear' && one.isAnswered) {
      assert.ok(queue.length < before && queue.every(({ isAnswer }) => !isAnswer), 'an answer leaves at once')
    }
  }

  for (const [at, one] of [...steps].sort(([first], [second]) => first - second)) {
    runUntil(begin + at)
    take(one)
  }
  const atEnd = queue.length + sent.length
  offset = 0
  pump()
  runUntil(Math.max(time, begin + 90 * DAY))
  return { sent, queue, atEnd, people, quiet }
}

test('in a week with a clock that jumps no budget is exceeded, nothing is dropped and no answer waits', () => {
  const summer = Date.UTC(2026, 2, 25)
  const winter = Date.UTC(2026, 9, 21)
  fc.assert(
    fc.property(anySettings, fc.constantFrom(summer, winter), week, (settings, begin, steps) => {
      const { sent, queue, atEnd, people, quiet } = live(settings, begin, steps)
      const queued = steps.filter(([, one]) => one.kind === 'send' || (one.kind === 'hear' && one.isAnswered)).length
      assert.equal(atEnd, queued)
      assert.equal(sent.length + queue.length, queued)
      for (const item of queue) {
        assert.ok(people[item.person]!.unanswered >= (settings.pause_after_unanswered ?? Number.POSITIVE_INFINITY))
      }
      const firsts = sent.filter(({ isFirst }) => isFirst).map(({ at }) => at)
      assert.equal(new Set(sent.filter(({ isFirst }) => isFirst).map((each) => each.person)).size, firsts.length)
      for (const at of firsts) {
        const within = (ms: number) => firsts.filter((other) => other > at - ms && other <= at).length
        // The service follows a small jump of the clock. So a step of the warm-up may begin earlier by the size of such
        // a jump.
        const warmUp = settings.first_contacts_warm_up?.findLast(({ day }) => begin + day * DAY <= at + MOST_STEP)?.per_day
        assert.ok(within(HOUR) <= (settings.first_contacts_per_hour ?? Number.POSITIVE_INFINITY))
        assert.ok(
          within(DAY) <=
            Math.min(settings.first_contacts_per_day ?? Number.POSITIVE_INFINITY, warmUp ?? Number.POSITIVE_INFINITY),
        )
      }
      if (quiet) {
        const atNight = sent.filter(({ at, isClockRight }) => isClockRight && quiet(at) !== null)
        for (const { person: to, at } of atNight) {
          const heard = steps.some(
            ([ms, one]) => one.kind === 'hear' && one.person === to && begin + ms <= at && begin + ms > at - DAY,
          )
          assert.ok(heard, 'only answers leave in quiet hours')
        }
      }
    }),
    { numRuns: 25, endOnFailure: true },
  )
})
