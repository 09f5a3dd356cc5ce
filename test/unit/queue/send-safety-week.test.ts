/**
 * Runs weeks of one account through a real queue. During a week, the machine's clock jumps, or the service is killed at
 * a step of a send. Each week is checked by the true time, which the queue does not know.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { MOST_STEP } from '../../../src/domain/bounded-clock.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import type { SendSafetySettings } from '../../../src/domain/send-safety.ts'
import { quietUntil } from '../../../workers/shard/queue/safety/quiet-hours.ts'
import { amount } from '../../harness/amount.ts'
import { ENDS, type End, safetyBench } from './safety-bench.ts'

type Step =
  | { kind: 'send'; person: number }
  | { kind: 'hear'; person: number; isAnswered: boolean }
  | { kind: 'jump'; offset: number }
  | { kind: 'kill'; end: End }
type Week = readonly (readonly [number, Step])[]

const PEOPLE = 40
const person = fc.nat(PEOPLE - 1)
const traffic: fc.WeightedArbitrary<Step>[] = [
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('send' as const), person }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hear' as const), person, isAnswered: fc.boolean() }) },
]
const jump = fc.record({
  kind: fc.constant('jump' as const),
  offset: fc.constantFrom(0, -3 * HOUR, 8 * MINUTE, 2 * DAY, 400 * DAY, -40 * DAY),
})
const kill = fc.record({ kind: fc.constant('kill' as const), end: fc.constantFrom(...ENDS) })
const weekWith = (trouble: fc.Arbitrary<Step>): fc.Arbitrary<Week> =>
  fc
    .array(fc.tuple(fc.nat(7 * DAY), fc.oneof(...traffic, { weight: 2, arbitrary: trouble })), { minLength: 60, maxLength: 120 })
    .map((steps) => steps.toSorted(([one], [other]) => one - other))

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const anySettings: fc.Arbitrary<SendSafetySettings> = fc.record({
  first_contacts_per_hour: orNull(fc.integer({ min: 1, max: 3 })),
  first_contacts_per_day: orNull(fc.integer({ min: 4, max: 12 })),
  first_contacts_warm_up: orNull(
    fc.constant([
      { day: 0, per_day: 3 },
      { day: 2, per_day: 6 },
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

const BEGINS = [Date.UTC(2026, 2, 25), Date.UTC(2026, 9, 21)]
/** Step in ms by which the clocks advance while only timers run. */
const LOOK = 30 * MINUTE
/** Time in ms after which a new run sends: the pause after the connection opens, and some tolerance. */
const RESUMED = 5 * SECOND
/**
 * Time in ms after the week in which every message that waits for a time is sent. The smallest budget of a day needs
 * ten days; the rest is tolerance.
 */
const AFTERWARDS = 12 * DAY

const NEVER = Number.POSITIVE_INFINITY
const pauseOf = ({ pause_after_unanswered }: SendSafetySettings) => pause_after_unanswered ?? NEVER
const phoneOf = (one: number) => `55119000000${String(one).padStart(2, '0')}`

async function live(t: TestContext, settings: SendSafetySettings, begin: number, week: Week) {
  const bench = await safetyBench(t, settings, { begin, isBounded: true })
  const { run, time, made, pass, idle, left } = bench
  made.linkedAt = begin
  let now = await run()
  await pass(RESUMED, SECOND)
  const queued: { messageId: string; phone: string }[] = []
  const heard: { phone: string; at: number }[] = []

  async function restart() {
    now.kill()
    now = await run()
    await pass(RESUMED, SECOND)
  }

  async function put(phone: string) {
    const messageId = await now.put(phone)
    queued.push({ messageId, phone })
    await idle()
    return messageId
  }

  async function take(step: Step) {
    if (step.kind === 'jump') made.step = step.offset
    else if (step.kind === 'kill') made.end = step.end
    else if (step.kind === 'send') await put(phoneOf(step.person))
    else {
      const phone = phoneOf(step.person)
      const writtenAt = time.clock.now()
      heard.push({ phone, at: writtenAt })
      now.heard(phone)
      await now.flush()
      await idle()
      if (!step.isAnswered) return
      const answer = await put(phone)
      if (made.isHanging) await restart()
      const since = new Set(left.filter((each) => each.phone === phone && each.at >= writtenAt).map(({ messageId }) => messageId))
      // If earlier messages to this person still waited, they are sent first. Each of them counts as unanswered, so the
      // pause may begin before the answer is sent.
      assert.ok(since.has(answer) || since.size >= pauseOf(settings), 'an answer leaves at once')
    }
  }

  for (const [at, step] of week) {
    await pass(Math.max(0, begin + at - time.clock.now()), LOOK)
    if (made.isHanging) await restart()
    await take(step)
  }
  made.step = 0
  if (made.isHanging) await restart()
  made.end = undefined
  for (let days = 0; days < AFTERWARDS / DAY && now.queue.waiting() > 0; days++) await pass(DAY, 2 * HOUR)
  return { ...bench, queued, heard, waiting: await now.list() }
}

for (const [what, trouble] of [
  ['a clock that jumps', jump],
  ['a kill at each step', kill],
] as const)
  test(`in a week with ${what} no budget is exceeded, nothing is dropped or sent under two ids, and no answer waits`, async (t) => {
    const counts = { weeks: 0, queued: 0, left: 0, expired: 0, waiting: 0, answered: 0, kills: 0 }
    await fc.assert(
      fc.asyncProperty(anySettings, fc.constantFrom(...BEGINS), weekWith(trouble), async (settings, begin, week) => {
        const { left, queued, heard, expired, waiting, toldAt } = await live(t, settings, begin, week)
        counts.weeks++
        counts.queued += queued.length
        counts.left += new Set(left.map(({ messageId }) => messageId)).size
        counts.expired += expired.length
        counts.waiting += waiting.length
        counts.answered += week.filter(([, step]) => step.kind === 'hear' && step.isAnswered).length
        counts.kills += week.filter(([, step]) => step.kind === 'kill').length
        const pause = pauseOf(settings)
        const times = new Map<string, number[]>()
        for (const { messageId, at } of left) times.set(messageId, [...(times.get(messageId) ?? []), at])
        assert.ok(queued.every(({ messageId }) => (times.get(messageId)?.length ?? 0) <= (trouble === kill ? NEVER : 1)))

        const unsent = queued.filter(({ messageId }) => !times.has(messageId))
        assert.equal(unsent.length, waiting.length + expired.length)
        for (const { phone, at: end } of [...waiting.map(({ phone }) => ({ phone, at: NEVER })), ...expired]) {
          const since = Math.max(0, ...heard.filter((each) => each.phone === phone && each.at <= end).map(({ at }) => at))
          const after = left.filter((each) => each.phone === phone && each.at >= since && each.at <= end)
          const count = new Set(after.map(({ messageId }) => messageId)).size
          assert.ok(
            count >= pause,
            `only a message that waits for an answer stays or becomes too old: ${phone} ${new Date(end === NEVER ? 0 : end).toISOString()}`,
          )
        }

        const firstOf = new Map<string, number>()
        for (const { phone, at } of left) {
          const wrote = heard.some((each) => each.phone === phone && each.at <= at)
          if (!firstOf.has(phone)) firstOf.set(phone, wrote ? NEVER : at)
        }
        const firsts = [...firstOf.values()].filter((at) => at < NEVER)
        for (const at of firsts) {
          const within = (ms: number) => firsts.filter((other) => other > at - ms && other <= at).length
          // The service follows small jumps of the clock. So a step of the warm-up may begin too early, by as much as
          // the clock has jumped.
          const warmUp = settings.first_contacts_warm_up?.findLast(({ day }) => begin + day * DAY <= at + MOST_STEP)?.per_day
          assert.ok(within(HOUR) <= (settings.first_contacts_per_hour ?? NEVER), 'the budget of an hour')
          assert.ok(within(DAY) <= Math.min(settings.first_contacts_per_day ?? NEVER, warmUp ?? NEVER), 'the budget of a day')
        }

        const quiet = settings.quiet_hours && quietUntil(settings.quiet_hours)
        for (const { phone, messageId, at, isClockRight } of left) {
          // A message that was sent before a kill is sent again under its id at any time of the day. Such repetitions
          // are not checked.
          if (!quiet || !isClockRight || quiet(at) === null || times.get(messageId)![0] !== at) continue
          assert.ok(
            heard.some((each) => each.phone === phone && each.at <= at && each.at > at - DAY),
            'only answers leave in quiet hours',
          )
        }

        if (trouble === kill)
          for (const [ms, period] of [
            [HOUR, 'hour'],
            [DAY, 'day'],
          ] as const) {
            const events = toldAt.flatMap(({ at, budgets }) =>
              (budgets ?? []).filter((each) => each.period === period).map(({ limit }) => ({ at, limit })),
            )
            for (const { at, limit } of events)
              assert.equal(events.filter((other) => other.limit === limit && other.at > at - ms && other.at <= at).length, 1)
          }
      }),
      { numRuns: amount(15, 1), endOnFailure: true },
    )
    t.diagnostic(JSON.stringify(counts))
  })
