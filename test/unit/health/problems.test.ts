import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Facts, problemsOf } from '../../../src/health/problems.ts'

const NOW = Date.parse('2026-01-31T12:00:00.000Z')
const healthy: Facts = {
  checks: { database: 'ok', session_store: 'ok', engine: 'ok', disk: 'ok', media: 'ok' },
  diskProblem: undefined,
  clockProblem: undefined,
  bucketProblems: [],
  threads: [{ name: 'shard 0', up: true, restarts: 0, instances: 1, heap_mb: 40, busy: 0.1 }],
  subscription: { status: 'active', trialEndsAt: null, dueAt: NOW + 1e12, instanceSlots: 50 },
  slots: { used: 1, total: 50 },
  instances: [{ id: 'a', status: 'connected', isIdle: false, queue: 0, backlog: 0, isRestricted: false, refusedSince: null }],
  points: [],
  outboxMax: 100_000,
  now: NOW,
}
const point = {
  at: '2026-01-31T12:00:00.000Z',
  rss_mb: 1,
  queue: 0,
  backlog: 0,
  deliveries_per_second: 1,
  failures_per_second: 0,
  sent_per_second: 0,
  received_per_second: 0,
  requests_per_second: 0,
  webhook_p50_ms: null,
  webhook_p99_ms: null,
  http_p50_ms: null,
  http_p99_ms: null,
}
const instance = {
  id: 'b',
  status: 'connected',
  isIdle: false,
  queue: 0,
  backlog: 0,
  isRestricted: false,
  refusedSince: null,
} as const

test('nothing is said of a service that is well', () => {
  assert.deepEqual(problemsOf(healthy), [])
})

test('an instance that nobody has paired yet, or that its owner paused, is not ill', () => {
  const idle = { ...instance, status: 'stopped', isIdle: true } as const
  assert.deepEqual(problemsOf({ ...healthy, instances: [idle, { ...idle, status: 'logged_out' }] }), [])
})

const CASES: readonly [cause: string, change: Partial<Facts>, level: string, says: RegExp][] = [
  ['a store that fails', { checks: { ...healthy.checks, database: 'failed' } }, 'error', /store cannot be read/],
  [
    'a full disk',
    { checks: { ...healthy.checks, disk: 'failed' }, diskProblem: 'The disk is full: so.' },
    'error',
    /^The disk is full: so\.$/,
  ],
  ['a clock that is ahead', { clockProblem: 'The clock is ahead: so.' }, 'warning', /^The clock is ahead: so\.$/],
  ['no converter', { checks: { ...healthy.checks, media: 'no converter' } }, 'warning', /converter/],
  [
    'a thread that is down',
    { threads: [{ ...healthy.threads[0]!, up: false, busy: null }] },
    'error',
    /1 thread does not answer: shard 0/,
  ],
  [
    'a thread without a pause',
    { threads: [{ ...healthy.threads[0]!, busy: 0.95 }] },
    'warning',
    /1 thread works without a pause/,
  ],
  [
    'a plan that ended',
    { subscription: { ...healthy.subscription, status: 'expired' } },
    'error',
    /plan is expired: nothing can be sent/,
  ],
  ['a trial', { subscription: { ...healthy.subscription, status: 'trial', trialEndsAt: NOW + 1 } }, 'warning', /Account API/],
  [
    'a plan that ends soon',
    { subscription: { ...healthy.subscription, status: 'canceled', dueAt: NOW + 1_000 } },
    'warning',
    /ends within a week/,
  ],
  ['no slot left', { slots: { used: 50, total: 50 } }, 'warning', /slots are used/],
  ['receivers that fail', { points: [{ ...point, failures_per_second: 2 }] }, 'warning', /Most attempts/],
  [
    'an account that is banned',
    { instances: [{ ...instance, status: 'banned' }] },
    'error',
    /1 instance is rejected by the network/,
  ],
  [
    'accounts that are logged out',
    {
      instances: [
        { ...instance, status: 'logged_out' },
        { ...instance, id: 'c', status: 'logged_out' },
      ],
    },
    'warning',
    /2 instances are logged out/,
  ],
  [
    'a queue that is full',
    { instances: [{ ...instance, queue: 1_000 }] },
    'error',
    /1 queue is full.*further messages are refused/,
  ],
  [
    'a receiver that refuses events, also if most attempts fail',
    {
      instances: [{ ...instance, refusedSince: NOW - 61_000 }],
      points: [{ ...point, failures_per_second: 2 }],
    },
    'warning',
    /^The receiver of 1 instance has not taken events/,
  ],
  ['a restriction', { instances: [{ ...instance, isRestricted: true }] }, 'warning', /restricted/],
  ['a line that is long', { instances: [{ ...instance, backlog: 5_000 }] }, 'warning', /behind/],
  ['a line that is full', { instances: [{ ...instance, backlog: 100_000 }] }, 'error', /losing its oldest/],
]

for (const [cause, change, level, says] of CASES)
  test(`${cause}: what is wrong, and what to do`, () => {
    const problems = problemsOf({ ...healthy, ...change })
    assert.equal(problems.length, 1, JSON.stringify(problems))
    assert.equal(problems[0]!.level, level)
    assert.match(problems[0]!.what, says)
    assert.match(problems[0]!.todo, /\.$/)
  })

test('a receiver that refused its first event a moment ago is no problem yet', () => {
  assert.deepEqual(problemsOf({ ...healthy, instances: [{ ...instance, refusedSince: NOW - 10_000 }] }), [])
})

test('no place for a value is left in a sentence', () => {
  for (const [cause, change] of CASES)
    for (const { what, todo } of problemsOf({ ...healthy, ...change })) assert.doesNotMatch(what + todo, /[{}]/, cause)
})

test('of many instances twenty are named', () => {
  const instances = Array.from({ length: 30 }, (_, index) => ({ ...instance, id: String(index), status: 'banned' as const }))
  const [problem] = problemsOf({ ...healthy, instances })
  assert.match(problem!.what, /^30 instances/)
  assert.equal(problem!.instance_ids!.length, 20)
})
