/** Tests the rules of send safety case by case. `send-safety-week.test.ts` runs weeks of messages through a queue. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE } from '../../../src/domain/clock.ts'
import { SEND_SAFETY_OFF, type SendSafetySettings } from '../../../src/domain/send-safety.ts'
import { quietUntil } from '../../../workers/shard/queue/safety/quiet-hours.ts'
import {
  budgetsFreeAt,
  type Moment,
  paceWait,
  type QuietUntil,
  quietWait,
  type Recipient,
  type SafetyState,
  type Wait,
} from '../../../workers/shard/queue/safety/rules.ts'

type Verdict = 'go' | Wait

const decide = (
  settings: SendSafetySettings,
  state: SafetyState,
  recipient: Recipient,
  now: Moment,
  quiet: QuietUntil | undefined,
): Verdict =>
  paceWait(settings, recipient, () => budgetsFreeAt(settings, state, now)) ??
  (quiet && quietWait(recipient, now.at, quiet)) ??
  'go'

const T0 = Date.UTC(2026, 0, 31, 12)
const NEW: Recipient = { isPerson: true, isMe: false, isKnown: false, heardAt: null, unanswered: 0 }
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
    // In this time zone, the clocks change from 02:00 to 03:00 on 29 March 2026 (at 01:00 UTC), and from 03:00 to 02:00
    // on 25 October.
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
  test('the account may write to itself at any time', () => {
    const at = utc('2026-01-31T03:00')
    assert.equal(ask({ quiet_hours: SAO_PAULO }, { ...NEW, isPerson: false, isMe: true }, {}, { at, steady: at }), 'go')
  })
  test('their end is the first minute that is not quiet', () => {
    const zones = ['America/Sao_Paulo', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']
    const time = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
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
